import { ESLint } from 'eslint';
import { join } from 'node:path';
import { getFileInfo } from 'prettier';
import { describe, expect, it } from 'vitest';
import { root, sourceFiles } from './source-files.js';

/** Generated, run unchanged by a test, or read by a tool before eslint has a program. */
const unchecked = /(^|\/)generated\/|^docs\/examples\/|^vitest[^/]*\.config\.ts$/;

describe('formatter and linter', () => {
  const paths = sourceFiles().map(({ path }) => path);
  const written = paths.filter((path) => !unchecked.test(path));

  it('cover every source file: no ignore pattern matches a nested folder by accident', async () => {
    const ignorePath = join(root, '.prettierignore');
    const unformatted: string[] = [];
    for (const path of written)
      if ((await getFileInfo(join(root, path), { ignorePath })).ignored) unformatted.push(path);
    expect(unformatted).toEqual([]);

    const eslint = new ESLint({ cwd: root });
    const unlinted: string[] = [];
    for (const path of written) if (await eslint.isPathIgnored(join(root, path))) unlinted.push(path);
    expect(unlinted).toEqual([]);
    expect(written.length).toBeGreaterThan(500);
  });
});
