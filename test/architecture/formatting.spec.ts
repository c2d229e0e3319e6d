import { ESLint } from 'eslint';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { root, sourceFiles } from './source-files.js';

/** Generated, run unchanged by a test, or read by a tool before eslint has a program. */
const unchecked = /(^|\/)generated\/|^docs\/examples\/|^vitest[^/]*\.config\.ts$/;

/** Gives the files that the formatter reads: with other ends of lines it would write each of them anew. */
function listFormatted(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-formatting-'));
  try {
    const style = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8')) as object;
    const config = join(folder, 'oxfmtrc.json');
    writeFileSync(config, JSON.stringify({ ...style, endOfLine: 'crlf' }));
    const program = join(root, 'node_modules', '.bin', 'oxfmt');
    const { stdout, stderr } = spawnSync(program, ['--list-different', '--config', config], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    });
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  } finally {
    removeFolder(folder);
  }
}

describe('formatter and linter', () => {
  const paths = sourceFiles().map(({ path }) => path);
  const written = paths.filter((path) => !unchecked.test(path));

  it('cover every source file: no ignore pattern matches a nested folder by accident', async () => {
    const formatted = new Set(listFormatted());
    expect(written.filter((path) => !formatted.has(path))).toEqual([]);

    const eslint = new ESLint({ cwd: root });
    const unlinted: string[] = [];
    for (const path of written) if (await eslint.isPathIgnored(join(root, path))) unlinted.push(path);
    expect(unlinted).toEqual([]);
    expect(written.length).toBeGreaterThan(500);
  });
});
