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

  it.each([
    [{ use: 'bandit', arms: 'professions' }, {}, []],
    [{ use: 'frozen-lake', size: 4, p: 0.8, observation: 'grid' }, {}, []],
    [{ use: 'sokoban', dims: [6, 6], boxes: 1 }, {}, []],
    [{ use: 'sokoban', dims: [8, 8], boxes: 1 }, {}, ['environment.dims']],
    [{ use: 'sokoban', symbols: { wall: 'W' } }, {}, ['environment.symbols']],
    [
      { use: 'frozen-lake', size: 8, observation: 'coord' },
      {},
      ['environment.size', 'environment.observation'],
    ],
    [{ use: 'guess' }, {}, ['environment.use']],
    [{ use: 'household' }, {}, ['environment.use']],
    [{ use: 'webshop', observation: 'compact' }, {}, ['environment.use']],
    [{ use: 'countdown', count: [3, 3] }, {}, ['environment.use']],
    [{ use: 'bandit' }, { prompt: { preset: 'seedling', thinking: 'none' } }, ['rollout.prompt.thinking']],
    [{ use: 'bandit' }, { prompt: { preset: 'plain', thinking: 'required' } }, ['rollout.prompt.preset']],
    [
      { use: 'bandit' },
      { prompt: { preset: 'seedling', thinking: 'required', thinkStyle: 'world-modelling' } },
      ['rollout.prompt.thinkStyle'],
    ],
    [{ use: 'bandit' }, { maxActionsPerTurn: 3 }, ['rollout.maxActionsPerTurn']],
  ])('warns of what it was not taught: %j %j', (environment, changed, expected) => {
    const prompt = { preset: 'seedling', thinking: 'required' };
    const rollout = { prompt, maxActionsPerTurn: 2, ...changed };
    const warnings = seedling.warnings?.({ environment, rollout }) ?? [];
    expect(warnings.map((text) => text.split(':')[0])).toEqual(expected);
  });
});
