import { errorCodes } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.js';

const files = sourceFiles().filter(
  (file) => !file.path.endsWith('error-codes.ts') && !file.path.startsWith('test/'),
);
const product = files.filter((file) => !file.path.endsWith('.spec.ts'));

describe('error codes', () => {
  it('are written as area.reason, with a description', () => {
    for (const [code, sentence] of Object.entries(errorCodes)) {
      expect(code).toMatch(/^[a-z-]+\.[a-z_0-9]+$/);
      expect(sentence.length).toBeGreaterThan(15);
    }
  });

  it('are all in use', () => {
    const tables = /apps\/cli\/src\/(exit-codes|error-hints)\.ts$/;
    const text = product
      .filter((file) => !tables.test(file.path))
      .map((file) => file.text)
      .join('\n');
    const unused = Object.keys(errorCodes).filter((code) => !text.includes(`'${code}'`));
    expect(unused).toEqual([]);
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
