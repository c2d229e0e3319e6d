/**
 * @file What an update does to tokens, worked by hand: two trajectories of two loss tokens, bounds 0.8 and 1.2, the mean
 * over all tokens, so that each weighs 1/4.
 *
 * | token | advantage | ratio | clipped | loss | −w ∂loss/∂logprob |
 * | ----- | --------- | ----- | ------- | ---- | ----------------- |
 * | good 0 | 1 | 1 | | −1 | 0.25 |
 * | good 1 | 1 | 1.5 | high | −1.2 | 0 |
 * | bad 0 | −2 | 0.5 | low | 1.6 | 0 |
 * | bad 1 | −2 | 1 | | 2 | −0.5 |
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent, Trajectory } from '@espalier/contracts';
import type { UpdateRecord } from '@espalier/contracts/update-record';
import { clippedPolicyLoss } from '@espalier/objective';
import { describe, expect, it } from 'vitest';
import type { TrainingExample } from './batch.js';
import { tinyEngine, tinySpec, trainTiny } from './testing/tiny-run.js';
import { makeUpdateRecords, type PolicyPass } from './update-records.js';

const trajectory = (id: string): Trajectory =>
  ({
    id,
    tokens: new Int32Array(6),
    spans: [
      { kind: 'template', start: 0, end: 3, turn: 0 },
      { kind: 'answer', start: 3, end: 4, turn: 0 },
      { kind: 'template', start: 4, end: 5, turn: 0 },
      { kind: 'answer', start: 5, end: 6, turn: 0 },
    ],
  }) as unknown as Trajectory;
const [good, bad, dropped, failed] = ['good', 'bad', 'dropped', 'failed'].map(trajectory) as [
  Trajectory,
  Trajectory,
  Trajectory,
  Trajectory,
];
const exampleOf = (of: Trajectory, advantage: number): TrainingExample => ({
  trajectory: of,
  positions: Int32Array.of(3, 5),
  columns: {
    oldLogprobs: Float32Array.of(-1, -1),
    advantages: Float32Array.of(advantage, advantage),
    returns: Float32Array.of(7, 8),
  },
});
const examples = [exampleOf(good, 1), exampleOf(bad, -2)];
const loss = clippedPolicyLoss('test', { clipLow: 0.2, clipHigh: 0.2, dualClip: 0, entropyCoefficient: 0 });
const pass = (ratios: readonly (readonly number[])[], stepsBefore: number): PolicyPass => ({
  examples,
  loss,
  weights: examples.map(() => Float32Array.of(0.25, 0.25)),
  stepsBefore,
  scores: ratios.map((own) => ({
    logprobs: Float32Array.from(own, (ratio) => -1 + Math.log(ratio)),
    entropies: new Float32Array(2),
  })),
});
const unclipped = pass(
  [
    [1, 1],
    [1, 1],
  ],
  0,
);
const clipped = pass(
  [
    [1, 1.5],
    [0.5, 1],
  ],
  1,
);
const recordsOf = (passes: readonly PolicyPass[], update: object = {}, hasSignal = true) =>
  makeUpdateRecords({
    spec: tinySpec({ update }),
    groups: [{ trajectories: [good, bad] }, { trajectories: [dropped] }],
    failed: [failed],
    kept: [0],
    examples,
    hasSignal,
    policyVersion: 12,
    passes,
  });
const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 6) as unknown);

describe('makeUpdateRecords', () => {
  it('gives ratio, loss, gradient and clipping of the last pass', () => {
    const records = recordsOf([clipped]);
    const { tokens } = records.get(good) as UpdateRecord;
    expect([...(tokens?.ranges ?? [])]).toEqual([3, 4, 5, 6]);
    expect([...(tokens?.ratios ?? [])]).toEqual(near([1, 1.5]));
    expect([...(tokens?.losses ?? [])]).toEqual(near([-1, -1.2]));
    expect([...(tokens?.gradientWeights ?? [])]).toEqual(near([0.25, 0]));
    expect([...(tokens?.returns ?? [])]).toEqual([7, 8]);
    expect(tokens?.clipped).toEqual({ high: Int32Array.of(1) });
    const other = records.get(bad)?.tokens;
    expect([...(other?.losses ?? [])]).toEqual(near([1.6, 2]));
    expect([...(other?.gradientWeights ?? [])]).toEqual(near([0, -0.5]));
    expect(other?.clipped).toEqual({ low: Int32Array.of(0) });
  });

  it('shares the update by |weight · ∂loss/∂log-probability| over all passes', () => {
    const shares = (passes: readonly PolicyPass[]) =>
      [good, bad].map((one) => recordsOf(passes).get(one)?.share);
    expect(shares([clipped])).toEqual(near([1 / 3, 2 / 3]));
    // 0.5 and 1 in the first pass, 0.25 and 0.5 in the second
    expect(shares([unclipped, clipped])).toEqual(near([0.75 / 2.25, 1.5 / 2.25]));
    expect(shares([unclipped])).toEqual(near([1 / 3, 2 / 3]));
  });

  it('gives log-probabilities of the first pass, and says which passes these are', () => {
    const { tokens, clippedTokens } = recordsOf([unclipped, clipped]).get(good) as UpdateRecord;
    expect([...(tokens?.trainerLogprobs ?? [])]).toEqual([-1, -1]);
    expect([tokens?.firstPassSteps, tokens?.lastPassSteps, clippedTokens]).toEqual([0, 1, 1]);
  });

  it('tells apart what was trained, dropped, failed, skipped, and left to the critic', () => {
    const outcomes = (records: ReturnType<typeof recordsOf>) =>
      [good, dropped, failed].map((one) => records.get(one)?.outcome);
    expect(outcomes(recordsOf([clipped]))).toEqual(['trained', 'dropped', 'failed']);
    expect(outcomes(recordsOf([]))).toEqual(['critic-only', 'dropped', 'failed']);
    expect(outcomes(recordsOf([], {}, false))).toEqual(['no-signal', 'dropped', 'failed']);
    // a penalty for leaving the starting policy, and nothing else
    expect(outcomes(recordsOf([clipped], {}, false))).toEqual(['trained', 'dropped', 'failed']);
    const masked = recordsOf([], { lossMask: { answer: false } });
    expect(masked.get(good)?.lossTokens).toBe(0);
  });

  it('has no values of what was not trained, rather than zeros', () => {
    const { share, clippedTokens, tokens, lossTokens } = recordsOf([clipped]).get(dropped) as UpdateRecord;
    expect([share, clippedTokens, tokens, lossTokens]).toEqual([undefined, undefined, undefined, 2]);
    // how stale it was is told of what was not trained, too
    expect(recordsOf([clipped]).get(dropped)?.policyVersion).toBe(12);
    const credited = recordsOf([]).get(good)?.tokens;
    expect(credited?.advantages).toEqual(Float32Array.of(1, 1));
    expect(credited).not.toHaveProperty('ratios');
    expect(credited).not.toHaveProperty('trainerLogprobs');
  });

  it('counts the weights of a correction of the sampler, and takes its log-probabilities', () => {
    const corrected = examples.map((example) => ({
      ...example,
      columns: { ...example.columns, samplerWeights: Float32Array.of(2, 0) },
    }));
    const weights = examples.map(() => Float32Array.of(0.5, 0));
    const { tokens } = recordsOf([{ ...clipped, examples: corrected, weights }]).get(good) as UpdateRecord;
    expect([...(tokens?.gradientWeights ?? [])]).toEqual(near([0.5, 0]));
    expect([...(tokens?.trainerLogprobs ?? [])]).toEqual([-1, -1]);
    expect(tokens?.firstPassSteps).toBe(0);
  });

  it('keeps the tokens of the largest shares, and none when that is off', () => {
    const stored = (tokenRecords: number) => {
      const records = recordsOf([clipped], { tokenRecords });
      return [good, bad].map((one) => [records.get(one)?.tokens !== undefined, records.get(one)?.share]);
    };
    expect(stored(1)).toEqual([
      [false, expect.closeTo(1 / 3, 6)],
      [true, expect.closeTo(2 / 3, 6)],
    ]);
    expect(stored(0)).toEqual([
      [false, expect.closeTo(1 / 3, 6)],
      [false, expect.closeTo(2 / 3, 6)],
    ]);
    // what is counted of all tokens does not depend on how many are stored
    expect(recordsOf([clipped], { tokenRecords: 0 }).get(good)).toMatchObject({
      outcome: 'trained',
      clippedTokens: 1,
    });
  });

  it('has log-probabilities and advantages, but no losses, where only the engine can build the loss', () => {
    const remote = { ...clipped, loss: { ...loss, build: undefined } };
    const { share, tokens } = recordsOf([remote]).get(good) as UpdateRecord;
    expect(share).toBeUndefined();
    expect([...(tokens?.trainerLogprobs ?? [])]).toEqual(near([-1, -1 + Math.log(1.5)]));
    expect(tokens).not.toHaveProperty('losses');
  });
});

describe('a run', () => {
  const trained = (events: readonly RunEvent[]) =>
    events.flatMap((event) =>
      event.kind === 'trajectory' && event.trajectory.split === 'train' ? [event] : [],
    );

  it('counts in flow/ exactly what its trajectories say', async () => {
    const root = mkdtempSync(join(tmpdir(), 'espalier-records-'));
    const { events } = await trainTiny(root, {
      spec: { steps: 2, algorithm: { use: 'tiny', keep: 2 }, validation: { every: 0, atStart: false } },
    });
    for (const step of [1, 2]) {
      const row = events.find((event) => event.kind === 'metrics' && event.step === step);
      const values: Readonly<Record<string, number>> = row?.kind === 'metrics' ? row.values : {};
      const own = trained(events).filter((event) => event.step === step);
      const sampled = ({ trajectory: { turns } }: (typeof own)[number]) =>
        turns.reduce((sum, turn) => sum + turn.sampled.end - turn.sampled.start, 0);
      const sum = (of: (event: (typeof own)[number]) => number) =>
        own.reduce((total, event) => total + of(event), 0);
      const isDropped = (event: (typeof own)[number]) => event.update?.outcome === 'dropped';
      expect(own).toHaveLength(12);
      expect(own.filter(isDropped)).toHaveLength(4);
      expect(values).toMatchObject({
        'flow/trajectories': 12,
        'flow/trajectories/trained': 8,
        'flow/trajectories/dropped': 4,
        'flow/dropped_trajectories/not_chosen': 4,
        'flow/tokens': sum(sampled),
        'flow/tokens/dropped': sum((event) => (isDropped(event) ? sampled(event) : 0)),
        'flow/tokens/trained': sum((event) => (isDropped(event) ? 0 : (event.update?.lossTokens ?? 0))),
      });
      const parts = Object.entries(values).filter(([name]) => name.startsWith('flow/tokens/'));
      expect(parts.reduce((total, [, value]) => total + value, 0)).toBe(values['flow/tokens']);
    }
  });

  it('records the same after a resume, and trains the same without records', async () => {
    const records = (events: readonly RunEvent[]) => trained(events).map(({ update }) => update);
    const spec = { steps: 4, update: { epochs: 2 } };
    const whole = await trainTiny(mkdtempSync(join(tmpdir(), 'espalier-records-')), { spec });
    const root = mkdtempSync(join(tmpdir(), 'espalier-records-'));
    const stop = new AbortController();
    let samples = 0;
    const engine = tinyEngine({ onSample: () => void ((samples += 1) > 60 && stop.abort()) });
    const first = await trainTiny(root, { spec, engine, signal: stop.signal });
    const second = await trainTiny(root, { spec, resume: true });
    expect(first.summary?.step).toBeLessThan(4);
    expect([...records(first.events), ...records(second.events)]).toEqual(records(whole.events));
    const without = await trainTiny(mkdtempSync(join(tmpdir(), 'espalier-records-')), {
      spec: { ...spec, update: { epochs: 2, tokenRecords: 0 } },
    });
    expect(without.engine.weight()).toBe(whole.engine.weight());
  });
});
