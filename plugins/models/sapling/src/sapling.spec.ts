import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import sapling from './index.js';

describe('sapling', () => {
  const folder = sapling.folder(sapling.params.parse({}));

  it('names an absolute folder that has everything a model needs, and what it was taught', () => {
    expect(isAbsolute(folder)).toBe(true);
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([
        'README.md',
        'config.json',
        'generation_config.json',
        'model.safetensors',
        'tokenizer.json',
        'tokenizer_config.json',
        'warm-start.json',
      ]),
    );
  });

  it('is no larger than 16 MB', () => {
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(16e6);
  });

  it('has no options', () => {
    expect(() => sapling.params.parse({ size: 1 })).toThrow();
  });
});
