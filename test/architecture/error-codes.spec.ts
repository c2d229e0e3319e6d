import { errorCodes, findError } from '@espalier/contracts/error-codes';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.js';

const files = sourceFiles().filter(
  (file) => !file.path.startsWith('libs/contracts/src/errors/') && !file.path.startsWith('test/'),
);
const product = files.filter((file) => !file.path.endsWith('.spec.ts'));

describe('error codes', () => {
  it('are written as area.reason, with a description', () => {
    for (const [code, { meaning }] of Object.entries(errorCodes)) {
      expect(code).toMatch(/^[a-z-]+\.[a-z_0-9]+$/);
      expect(meaning.length).toBeGreaterThan(15);
    }
  });

  it('are all in use', () => {
    const text = product
      .filter((file) => !file.path.endsWith('apps/cli/src/error-hints.ts'))
      .map((file) => file.text)
      .join('\n');
    const unused = Object.keys(errorCodes).filter((code) => !text.includes(`'${code}'`));
    expect(unused).toEqual([]);
  });

  it('are all named in a test, which provokes them', () => {
    const text = sourceFiles()
      .filter(({ path }) => path.endsWith('.spec.ts') || /^test\/|\/testing\//.test(path))
      .map((file) => file.text)
      .join('\n');
    const unnamed = Object.keys(errorCodes).filter((code) => !text.includes(code));
    expect(unnamed).toEqual([]);
  });

  it('all have a row in the table', () => {
    const written = /(?:AppError\(|\bcode: |\bcode === |\.code !== )\s*'([a-z]+\.[a-z_0-9]+)'/g;
    const unknown = product.flatMap((file) =>
      [...file.text.matchAll(written)]
        .filter(([, code = '']) => !code.startsWith('commander.') && findError(code) === undefined)
        .map(([, code]) => `${file.path}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });

  it('have a status that agrees with retry', () => {
    const wrong = Object.entries(errorCodes).filter(
      ([, { status, retry }]) => [425, 429, 503].includes(status ?? 0) && retry !== true,
    );
    expect(wrong).toEqual([]);
  });

  it('are used by all libraries, which throw AppError and never a bare Error', () => {
    const bare = product
      .filter((file) => file.path.startsWith('libs/') && !/\/(testing|contracts|random)\//.test(file.path))
      .flatMap((file) =>
        file.text
          .split('\n')
          .flatMap((line, index) => (/throw new Error\(/.test(line) ? [`${file.path}:${index + 1}`] : [])),
      );
    expect(bare).toEqual([]);
  });
});
