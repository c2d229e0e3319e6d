import { warmStartSpecSchema } from '@espalier/contracts';
import type { SingleSpec } from '@espalier/contracts/mixing';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { createTokenizer } from '@espalier/model';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PluginLookup } from '@espalier/trainer';
import { corridor } from '../../trainer/src/testing/corridor.js';
import { expectEpisodes } from './expected-episodes.js';
import { resolveDemonstrations } from './demonstration.js';
import { trainVocabulary } from './vocabulary.js';

const plugins = { get: () => corridor } as unknown as PluginLookup;
const environment = plugins.get('environment', 'corridor');
const demonstrations = warmStartSpecSchema.parse({
  model: { vocabularySize: 400 },
  demonstrations: [{ environment: { use: 'corridor' }, noise: 0 }],
});
const rollout = {
  promptsPerStep: 3,
  groupSize: 2,
  noiseSeed: 'per-trajectory',
  prompt: resolvePrompt(),
  maxTurns: 4,
  maxActions: 6,
};
const specOf = (own: object): SingleSpec =>
  ({
    seed: 1,
    environment: { use: 'corridor', length: 5 },
    rollout: { ...rollout, maxActionsPerTurn: 2, maxResponseTokens: 64, ...own },
  }) as unknown as SingleSpec;
let tokenizer: ReturnType<typeof createTokenizer>;

beforeAll(async () => {
  tokenizer = createTokenizer(
    await trainVocabulary(
      demonstrations.seed,
      demonstrations.model,
      resolveDemonstrations(demonstrations, plugins),
    ),
  );
}, 60_000);

describe('expectEpisodes', () => {
  it('gives every attempt turns with something shown and something said', async () => {
    const episodes = await expectEpisodes(specOf({}), environment, tokenizer);
    expect(episodes).toHaveLength(6);
    for (const turns of episodes) {
      expect(turns.length).toBeGreaterThanOrEqual(1);
      expect(turns.length).toBeLessThanOrEqual(4);
      for (const { shown, sampled } of turns) expect(Math.min(shown, sampled)).toBeGreaterThan(0);
    }
    // instruction and limits are only told at the start
    const several = episodes.find((turns) => turns.length > 1);
    expect(several?.[0]?.shown).toBeGreaterThan(several?.[1]?.shown ?? 0);
  });

  it('begins a window at each turn that is prompted alone', async () => {
    const context = { turns: 1, whenFull: 'end' };
    const whole = await expectEpisodes(specOf({}), environment, tokenizer);
    const alone = await expectEpisodes(specOf({ context }), environment, tokenizer);
    expect(alone.map((turns) => turns.map(({ sampled }) => sampled))).toEqual(
      whole.map((turns) => turns.map(({ sampled }) => sampled)),
    );
    expect(alone.some((turns) => turns.length > 1)).toBe(true);
    for (const turns of alone) {
      expect(turns.map(({ isFresh = false }) => isFresh)).toEqual(turns.map((_, turn) => turn > 0));
      for (const { shown } of turns) expect(shown).toBeGreaterThan(whole[0]?.[1]?.shown ?? 0);
    }
  });

  it('is the same again, and obeys the limits of turns and replies', async () => {
    const once = await expectEpisodes(specOf({}), environment, tokenizer);
    expect(await expectEpisodes(specOf({}), environment, tokenizer)).toEqual(once);
    const short = await expectEpisodes(specOf({ maxTurns: 1, maxResponseTokens: 3 }), environment, tokenizer);
    expect(short.flat().map(({ sampled }) => sampled)).toEqual(Array.from({ length: 6 }, () => 3));
  });
});
