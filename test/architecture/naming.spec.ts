import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.js';

const files = sourceFiles();

describe('file names', () => {
  it('are kebab-case', () => {
    const others = files.filter(
      (file) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*\.tsx?$/.test(file.path.split('/').at(-1) ?? ''),
    );
    expect(others.map((file) => file.path)).toEqual([]);
  });

  it('give each library one entry point', () => {
    const barrels = files.filter(
      (file) => /\/src\/.+\/index\.ts$/.test(file.path) && !file.path.includes('/src/testing/'),
    );
    expect(barrels.map((file) => file.path)).toEqual([]);
  });
});
