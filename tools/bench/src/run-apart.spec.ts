import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runApart } from './run-apart.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-run-apart-'));
});
afterEach(() => removeFolder(folder));

const program = (text: string): string => {
  const path = join(folder, 'program.mjs');
  writeFileSync(path, text);
  return path;
};
const options = { short: true, threads: 1 };

describe('an item in its own process', () => {
  it('returns its rows', () => {
    const echo = `import { writeFileSync } from 'node:fs';
const [name, options, file] = process.argv.slice(2);
writeFileSync(file, JSON.stringify([{ name, options: JSON.parse(options) }]));`;
    expect(runApart('kernels', options, program(echo))).toEqual([{ name: 'kernels', options }]);
  });

  it.each([
    ['process.exitCode = 3', 'exit code 3'],
    ["process.kill(process.pid, 'SIGKILL')", 'SIGKILL'],
  ])('that fails by %s is named with its end', (text, ending) => {
    expect(() => runApart('kernels', options, program(text))).toThrow(
      expect.objectContaining({
        code: 'bench.item_failed',
        message: `bench kernels: failed with ${ending}; its own words are above`,
      }),
    );
  });
});
