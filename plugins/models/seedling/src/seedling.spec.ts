import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import seedling from './index.js';

describe('seedling', () => {
  const folder = seedling.folder(seedling.params.parse({}));

  it('names an absolute folder that has everything a model needs', () => {
    expect(isAbsolute(folder)).toBe(true);
    for (const name of [
      'config.json',
      'generation_config.json',
      'tokenizer.json',
      'tokenizer_config.json',
      'model.safetensors',
      'README.md',
    ]) {
      expect(existsSync(join(folder, name)), name).toBe(true);
    }
  });

  it('has no options', () => {
    expect(() => seedling.params.parse({ size: 1 })).toThrow();
  });
});
