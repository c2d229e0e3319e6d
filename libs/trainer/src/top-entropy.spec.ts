import gmpo from '@espalier/algorithm-gmpo';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import type { PluginLookup } from './bind-plugins.js';
import { tinyEngine, tinyRegistry, type TinyTraining, trainTiny } from './testing/tiny-run.js';
import { keepUndecided } from './top-entropy.js';

const of = (...values: number[]) => Float32Array.from(values);
const advantages = [of(1, 1, 1), of(-2, -2)];

describe('keepUndecided', () => {
  it('keeps the advantages of the tokens with the highest entropy of the batch, by hand', () => {
    const entropies = [of(0.1, 2, 0.5), of(1, 0)];
    const kept = (share: number) => {
      const { advantages: own, metrics } = keepUndecided(advantages, entropies, share);
      return [...own.map((one) => [...one]), metrics['credit/entropy_threshold']];
    };
    expect(kept(0.4)).toEqual([[0, 1, 0], [-2, 0], 1]);
    // a fifth of five is one, and there is always one
    expect(kept(0.2)).toEqual([[0, 1, 0], [0, 0], 2]);
    expect(kept(0.01)).toEqual(kept(0.2));
    expect(kept(0.6)).toEqual([[0, 1, 1], [-2, 0], 0.5]);
  });

  it('keeps all that are as undecided as the last one, and says how many', () => {
    const result = keepUndecided(advantages, [of(1, 1, 0), of(1, 0)], 0.2);
    expect(result.advantages.map((own) => [...own])).toEqual([
      [1, 1, 0],
      [-2, 0],
    ]);
    expect(result.counted?.map((own) => [...own])).toEqual([
      [1, 1, 0],
      [1, 0],
    ]);
    expect(result.metrics).toEqual({ 'credit/entropy_threshold': 1, 'credit/counted_token_share': 0.6 });
  });

  it('changes nothing with share 1, and needs no token', () => {
    expect(keepUndecided(advantages, [], 1)).toEqual({ advantages, metrics: {} });
    expect(keepUndecided([of()], [of()], 0.5)).toEqual({ advantages: [of()], metrics: {} });
  });
});

/** The advantages of the first batch of a run, as its loss reads them. */
async function showAdvantages(topEntropyShare: number, more: Partial<TinyTraining> = {}): Promise<number[]> {
  const batches: (readonly Datum[])[] = [];
  const plain = tinyEngine({ onLearn: (_, batch) => void batches.push(batch) });
  // entropies that differ by token, where the toy has the same at all
  const engine = {
    ...plain,
    policy: {
      ...plain.policy,
      sample: async (...given: Parameters<typeof plain.policy.sample>) => {
        const result = await plain.policy.sample(...given);
        return { ...result, entropies: result.entropies.map((_, n) => n) };
      },
    },
  };
  const spec = { steps: 1, validation: { every: 0 }, update: { topEntropyShare }, ...more.spec };
  await trainTiny(mkdtempSync(join(tmpdir(), 'espalier-entropy-')), { ...more, engine, spec });
  return batches[0]?.flatMap(({ columns }) => [...(columns['advantages'] ?? [])]) ?? [];
}

const ofGmpo = {
  spec: { algorithm: { use: 'gmpo', ...gmpo.params.parse({}) } },
  registry: {
    get: (kind, id) => (kind === 'algorithm' ? (gmpo as never) : tinyRegistry.get(kind, id)),
  } satisfies PluginLookup,
};

describe('update.topEntropyShare', () => {
  it.each([
    ['a loss of single tokens', {}],
    ['one that judges whole trajectories', ofGmpo],
  ])('reaches %s in a run', async (_, training) => {
    const [all, some] = [await showAdvantages(1, training), await showAdvantages(0.25, training)];
    expect(all.length).toBe(some.length);
    const changed = some.filter((advantage, n) => Math.abs(advantage - (all[n] ?? 0)) > 1e-6);
    expect(changed.length).toBeGreaterThan(all.length / 2);
    expect(changed.every((advantage) => advantage === 0)).toBe(true);
    expect(some.some((advantage) => advantage !== 0)).toBe(true);
  });
});
