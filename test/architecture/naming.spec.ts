import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.js';

const banned = new Set([
  'manager',
  'helper',
  'helpers',
  'utils',
  'util',
  'common',
  'base',
  'data',
  'info',
  'process',
  'handle',
  'misc',
]);
const files = sourceFiles();

describe('names', () => {
  it('are kebab-case files', () => {
    const odd = files.filter(
      (file) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*\.ts$/.test(file.path.split('/').at(-1) ?? ''),
    );
    expect(odd.map((file) => file.path)).toEqual([]);
  });

  it('say what a file is about', () => {
    const vague = files.filter((file) =>
      file.path.split('/').some((part) => banned.has(part.replace(/(\.spec)?\.ts$/, ''))),
    );
    expect(vague.map((file) => file.path)).toEqual([]);
  });

  it('have one door per library', () => {
    const barrels = files.filter(
      (file) => /\/src\/.+\/index\.ts$/.test(file.path) && !file.path.includes('/src/testing/'),
    );
    expect(barrels.map((file) => file.path)).toEqual([]);
  });
});
