import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import gspo from '@espalier/algorithm-gspo';
import type { Datum, LossSpec, RunEvent, SampleRequest, ScoreRequest, Trajectory } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { listLossPositions, pick } from './batch.js';
import { estimateCredit } from './credit.js';
import { addStepColumns } from './step-columns.js';
import { tinyEngine, tinySpec, trainTiny } from './testing/tiny-run.js';
import type { ToyEngine } from './testing/toy-engine.js';

interface Learned {
  readonly batch: readonly Datum[];
  readonly loss: LossSpec;
}

/** A toy whose sampler holds every token for `factor` times less probable than its trainer does. */
function driftingEngine(factor: number, learned: Learned[]): ToyEngine {
  const engine = tinyEngine({
    onLearn: (_, batch, loss) => {
      learned.push({ batch, loss });
      return undefined;
    },
  });
  const sample = async (request: SampleRequest) => {
    const result = await engine.policy.sample(request);
    return { ...result, logprobs: result.logprobs.map((value) => value - Math.log(factor)) };
  };
  const policy = Object.assign(Object.create(engine.policy) as typeof engine.policy, { sample });
  return { ...engine, policy };
}

const one = { steps: 1, validation: { atStart: false, atEnd: false } };

async function train(
  factor: number,
  samplerCorrection: Record<string, unknown>,
  change = {},
  update: Record<string, unknown> = {},
) {
  const learned: Learned[] = [];
  const root = mkdtempSync(join(tmpdir(), 'espalier-sampler-'));
  const engine = driftingEngine(factor, learned);
  const spec = { ...one, ...change, update: { ...update, samplerCorrection } };
  const { events } = await trainTiny(root, { engine, spec });
  const rows = events.flatMap((event) => (event.kind === 'metrics' ? [event.values] : []));
  return { learned, events, values: rows[0] ?? {} };
}

const columnsOf = (learned: readonly Learned[], name: string): number[] =>
  learned.flatMap(({ batch }) => batch.flatMap(({ columns }) => [...(columns[name] ?? [])]));
const weightsOf = (learned: readonly Learned[]): number[] =>
  learned.flatMap(({ batch }) => batch.flatMap(({ weights }) => [...weights]));
const warnings = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));

describe('update.samplerCorrection', () => {
  it('weighs every token of the policy loss, and takes ratios to the trainer’s own log-probabilities', async () => {
    const plain = await train(3, { use: 'off' });
    const corrected = await train(3, { use: 'truncated' });
    const weights = weightsOf(corrected.learned);
    expect(weights.length).toBeGreaterThan(50);
    expect(weights).toEqual(weightsOf(plain.learned).map((weight) => Math.fround(2 * weight)));
    // what the sampler recorded, and three times that
    const sampled = columnsOf(plain.learned, 'oldLogprobs');
    const trained = columnsOf(corrected.learned, 'oldLogprobs');
    expect(trained).toHaveLength(weights.length);
    trained.forEach((old, n) => expect(old - sampled[n]!).toBeCloseTo(Math.log(3), 5));
    expect(corrected.values).toMatchObject({ 'sampler/clipped_share': 1, 'sampler/weight_mean': 2 });
    expect(corrected.values['sampler/kl_k1']).toBeCloseTo(-Math.log(3), 5);
    const ofDepths = Object.entries(corrected.values).filter(([name]) => /ratio_max\/depth_\d+$/.test(name));
    expect(ofDepths.length).toBeGreaterThan(0);
    for (const [name, value] of ofDepths) expect(value, name).toBeCloseTo(3, 5);
    expect(Object.keys(plain.values).filter((name) => name.startsWith('sampler/'))).toEqual([]);
    // the gap stays that between sampling and training
    for (const { values } of [plain, corrected])
      expect(values['policy/logprob_gap_max']).toBeCloseTo(Math.log(3), 5);
    // means weigh tokens as the loss does
    expect(corrected.values['policy/toy']).toBeCloseTo(plain.values['policy/toy']!, 6);
  });

  it('leaves the critic’s loss alone', async () => {
    const change = { algorithm: { use: 'tiny', critic: true } };
    const plain = await train(3, { use: 'off' }, change);
    const corrected = await train(3, { use: 'truncated' }, change);
    expect(corrected.values['critic/objective']).toBe(plain.values['critic/objective']);
    expect(corrected.values['policy/objective']).not.toBe(plain.values['policy/objective']);
  });

  it('skips the update where every token is masked, and says why', async () => {
    const { learned, values, events } = await train(3, { use: 'icepop', maxRatio: 1.1, minRatio: 0.9 });
    expect(learned).toEqual([]);
    expect(values).toMatchObject({ 'sampler/masked_share': 1, 'update/skipped': 1 });
    expect(warnings(events)[0]).toContain('update.samplerCorrection masked every token');
  });

  it('reports no mean of a mini-batch in which nothing is left', async () => {
    // observations are learned in any case, so there is an update
    const observationLoss = { coefficient: 0.01 };
    const { values } = await train(3, { use: 'mask' }, {}, { observationLoss });
    expect(values['update/skipped']).toBe(0);
    expect(values['policy/objective']).toBeCloseTo(0, 12);
    expect(values).not.toHaveProperty('policy/toy');
    for (const value of Object.values(values)) expect(value).not.toBeNaN();
  });
});

const trajectoryOf = (sampled: readonly number[]): Trajectory =>
  ({
    id: 'train/1/0/0',
    tokens: Int32Array.of(7, 7, ...sampled.map((_, i) => i)),
    logprobs: Float32Array.of(0, 0, ...sampled),
    entropies: new Float32Array(2 + sampled.length).fill(1),
    spans: [
      { kind: 'template', start: 0, end: 2 },
      { kind: 'answer', start: 2, end: 2 + sampled.length },
    ],
    turns: [],
    score: { total: 1, perTurn: [] },
  }) as unknown as Trajectory;

describe('columns of a corrected batch', () => {
  const trainer = [-0.5, -1.5, -0.25];
  const policy = {
    score: async (requests: readonly ScoreRequest[]) =>
      requests.map(() => ({
        logprobs: Float32Array.from(trainer),
        entropies: Float32Array.of(2, 3, 4),
      })),
  };
  const spec = tinySpec({ update: { samplerCorrection: { use: 'truncated' } } });
  const trajectory = trajectoryOf([-1, -1, -1]);
  const positions = listLossPositions(trajectory, spec.update.lossMask);

  it('serve a loss over sequences in its first step, whose ratio is then 1', async () => {
    const oldLogprobs = Float32Array.from(trainer);
    const columns = { oldLogprobs, oldEntropies: Float32Array.of(2, 3, 4) };
    const [example] = await addStepColumns(
      [{ trajectory, positions, columns }],
      (sequences) => {
        expect([...sequences[0]!.entropies]).toEqual([2, 3, 4]);
        return gspo.stepColumns!(sequences, gspo.params.parse({}));
      },
      { temperature: 1 },
    );
    expect([...example!.columns['oldLogprobs']!]).toEqual(trainer);
    expect([...pick(trajectory.logprobs, positions)]).not.toEqual(trainer);
  });

  it('measure the gap to a reference from the trainer', async () => {
    const seen: number[][] = [];
    await estimateCredit([[trajectory]], {
      spec,
      policy,
      reference: { ...policy, dispose: async () => undefined },
      algorithmParams: {},
      algorithm: {
        advantages: (inputs: readonly { referenceGaps?: Float64Array; rewards: Float64Array }[]) => {
          seen.push(...inputs.map(({ referenceGaps }) => [...(referenceGaps ?? [])]));
          return { advantages: inputs.map(({ rewards }) => new Float64Array(rewards.length)) };
        },
      } as never,
    });
    expect(seen).toEqual([[0, 0, 0, 0, 0]]);
  });
});
