import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.js';

/** Lines at which a file must be split by subject (CONTRIBUTING.md, "Sizes"). */
function limitOf(path: string): number {
  if (path.endsWith('.spec.ts') || path.startsWith('test/') || path.includes('/src/testing/')) return 600;
  if (path.startsWith('plugins/')) return 300;
  return 400;
}

const files = sourceFiles().filter((file) => !file.path.includes('/generated/'));

describe('file sizes', () => {
  it('stay under the stop mark', () => {
    const long = files
      .filter((file) => file.lines > limitOf(file.path))
      .map((file) => `${file.path}: ${file.lines}`);
    expect(long).toEqual([]);
  });

  it('have a median under 150 lines', () => {
    const lines = files
      .filter((file) => !file.path.endsWith('.spec.ts'))
      .map((file) => file.lines)
      .sort((a, b) => a - b);
    expect(lines[Math.floor(lines.length / 2)]).toBeLessThan(150);
  });

  it('give each library at most 40 public names', () => {
    const many = files
      .filter((file) => /^libs\/[a-z-]+\/src\/index\.ts$/.test(file.path))
      .filter((file) => countStatements(file.text) > 40)
      .map((file) => file.path);
    expect(many).toEqual([]);
  });
});

function countStatements(text: string): number {
  return text.split('\n').filter((line) => line.startsWith('export')).length;
}
