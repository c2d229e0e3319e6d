import type { UpdateRecord } from '@espalier/contracts/update-record';
import type { StoredTrajectory } from '@espalier/recorder';
import { describe, expect, it } from 'vitest';
import { cutTokenPage, summarizeTokens } from './token-columns.js';

/** Six tokens: a prompt of two, an answer of three, the end of the turn, which is masked. */
const stored = (update?: UpdateRecord): StoredTrajectory =>
  ({
    id: 'train/1/0/0',
    tokens: Int32Array.of(10, 11, 12, 13, 14, 15),
    logprobs: Float32Array.of(0, 0, -0.5, 0, -2, -1),
    entropies: Float32Array.of(0, 0, 0.25, Number.NaN, 1, 0.5),
    spans: [
      { kind: 'template', start: 0, end: 2, turn: 0 },
      { kind: 'answer', start: 2, end: 5, turn: 0 },
      { kind: 'control', start: 5, end: 6, turn: 0 },
    ],
    kept: true,
    update,
  }) as unknown as StoredTrajectory;

const trained: UpdateRecord = {
  outcome: 'trained',
  lossTokens: 3,
  clippedTokens: 2,
  share: 0.5,
  tokens: {
    ranges: Int32Array.of(2, 5),
    advantages: Float32Array.of(1, 0, -3),
    ratios: Float32Array.of(1, 1.5, 0.25),
    losses: Float32Array.of(-1, 0, 2),
    gradientWeights: Float32Array.of(0.5, 0, -1),
    trainerLogprobs: Float32Array.of(-0.5, 0, -2.25),
    clipped: { high: Int32Array.of(1), low: Int32Array.of(2) },
  },
};

describe('cutTokenPage', () => {
  it('gives a value only where there is one', () => {
    expect(cutTokenPage(stored(trained), 0, 100)).toEqual({
      from: 0,
      total: 6,
      tokens: [10, 11, 12, 13, 14, 15],
      textEnds: null,
      mask: [0, 0, 2, 2, 2, 1],
      clipped: [null, null, 0, 2, 1, null],
      logprobs: [null, null, -0.5, 0, -2, -1],
      entropies: [null, null, 0.25, null, 1, 0.5],
      advantages: [null, null, 1, 0, -3, null],
      returns: null,
      trainerLogprobs: [null, null, -0.5, 0, -2.25, null],
      referenceLogprobs: null,
      samplerWeights: null,
      ratios: [null, null, 1, 1.5, 0.25, null],
      losses: [null, null, -1, 0, 2, null],
      gradientWeights: [null, null, 0.5, 0, -1, null],
    });
  });

  it('cuts a page out of the middle, and an empty one at the end', () => {
    const { from, tokens, ratios } = cutTokenPage(stored(trained), 3, 2);
    expect([from, tokens, ratios]).toEqual([3, [13, 14], [1.5, 0.25]]);
    expect(cutTokenPage(stored(trained), 6, 2).tokens).toEqual([]);
    expect(() => cutTokenPage(stored(trained), 7, 2)).toThrow(/from is 7, and it has 6/);
  });

  it('knows no clipping of what was not trained, or was not recorded', () => {
    const { tokens: _, ...dropped } = trained;
    for (const update of [undefined, { ...dropped, outcome: 'dropped' } as const]) {
      const page = cutTokenPage(stored(update), 0, 6);
      expect([page.clipped, page.advantages, page.mask]).toEqual([null, null, [0, 0, 1, 1, 1, 1]]);
    }
    const { losses: _losses, ...rest } = trained.tokens ?? {
      ranges: Int32Array.of(),
      advantages: Float32Array.of(),
    };
    expect(cutTokenPage(stored({ ...trained, tokens: rest }), 0, 6).clipped).toBeNull();
  });
});

describe('summarizeTokens', () => {
  it('sums up each part, and names the tokens furthest from nothing', () => {
    const summary = summarizeTokens(stored(trained), 3);
    expect(summary).toMatchObject({
      total: 6,
      bucketTokens: 2,
      sampled: [0, 2, 2],
      inLoss: [0, 2, 1],
      clipped: [0, 1, 1],
    });
    const series = (name: string) => summary.series.find((one) => one.name === name);
    expect(series('logprobs')).toEqual({
      name: 'logprobs',
      minima: [null, -0.5, -2],
      maxima: [null, 0, -1],
      means: [null, -0.25, -1.5],
      extremes: [4, 5, 2, 3],
    });
    // 0.75 and 0.5 away from 1
    expect(series('ratios')?.extremes).toEqual([4, 3, 2]);
    expect(series('returns')).toBeUndefined();
  });

  it('has the difference of trainer and sampler with extremes of its own', () => {
    const { series } = summarizeTokens(stored(trained), 3);
    expect(series.find(({ name }) => name === 'differences')).toEqual({
      name: 'differences',
      minima: [null, 0, -0.25],
      maxima: [null, 0, -0.25],
      means: [null, 0, -0.25],
      // the one that differs, though token 2 is less likely than the next
      extremes: [4, 2, 3],
    });
    expect(summarizeTokens(stored(), 3).series.map(({ name }) => name)).toEqual(['logprobs', 'entropies']);
  });

  it('has the KL from the reference where there is one: k1, sampler − reference', () => {
    const tokens = { ...(trained.tokens as NonNullable<UpdateRecord['tokens']>) };
    const of = stored({
      ...trained,
      tokens: { ...tokens, referenceLogprobs: Float32Array.of(-0.5, -1, -1.5) },
    });
    expect(summarizeTokens(of, 3).series.find(({ name }) => name === 'referenceKl')).toMatchObject({
      means: [null, 0.5, -0.5],
      extremes: [3, 4, 2],
    });
    expect(summarizeTokens(stored(trained), 3).series.map(({ name }) => name)).not.toContain('referenceKl');
  });

  it('has no more parts than tokens', () => {
    expect(summarizeTokens(stored(), 1000)).toMatchObject({ bucketTokens: 1, sampled: [0, 0, 1, 1, 1, 1] });
  });
});
