/** @file Algorithms of tags in a run: each chooses groups, assigns credit and has a loss for its own trajectories only. */
import grpo from '@espalier/algorithm-grpo';
import rloo from '@espalier/algorithm-rloo';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, LossSpec, RunEvent } from '@espalier/contracts';
import { createMemorySink } from '@espalier/recorder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrainer } from './create-trainer.js';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer } from './testing/tiny-run.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-tags-'))));
afterAll(() => rmSync(root, { recursive: true }));

const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
const role = { use: 'rloo', ...rloo.params.parse({ baseline: 'role', baselineMemory: 0.5 }) };

interface Call {
  readonly model: 'policy' | 'critic';
  readonly loss: LossSpec;
  readonly batch: readonly Datum[];
}

async function train(
  folder: string,
  given: {
    near?: object;
    far?: object;
    spec?: Record<string, unknown>;
    resume?: boolean;
    /** mean entropy under a loss */
    entropyOf?: (loss: LossSpec) => number;
  },
) {
  const calls: Call[] = [];
  const plain = tinyEngine();
  const noting = <Model extends typeof plain.policy>(of: Model, model: Call['model']): Model => ({
    ...of,
    forwardBackward: async (batch: readonly Datum[], loss: LossSpec) => {
      calls.push({ model, loss, batch });
      const result = await of.forwardBackward(batch, loss);
      if (given.entropyOf === undefined) return result;
      return { ...result, metrics: { 'policy/entropy': given.entropyOf(loss) * weightOf(batch) } };
    },
  });
  const sink = createMemorySink();
  const engine = {
    ...plain,
    policy: noting(plain.policy, 'policy'),
    openCritic: async () => noting((await plain.openCritic()) as never, 'critic') as never,
  };
  const spec = tinySpec({
    environment: undefined,
    environments: { near: { ...own, groups: 2, ...given.near }, far: { ...own, groups: 1, ...given.far } },
    mixing: { compare: 'per-tag' },
    steps: 2,
    validation: { every: 0, atStart: false, atEnd: false },
    checkpoint: { every: 1, keep: 9 },
    ...given.spec,
  });
  const plugins = { rloo, grpo } as Readonly<Record<string, unknown>>;
  const trainer = await createTrainer(spec, {
    registry: {
      get: (kind, id) =>
        kind === 'algorithm'
          ? ((plugins[id] ?? tinyRegistry.get(kind, id)) as never)
          : tinyRegistry.get(kind, id),
    },
    sink,
    folder: join(root, folder),
    engine,
    tokenizer: tinyTokenizer,
    resume: given.resume ?? false,
  });
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
  }
  return { calls, events: sink.events, weight: plain.weight(), criticWeight: plain.criticWeight() };
}

const weightOf = (batch: readonly Datum[]): number =>
  batch.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0);

const rowsOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'metrics' && event.values['policy/objective'] !== undefined ? [event.values] : [],
  );

describe('the algorithm of a tag', () => {
  it('has a loss for its own trajectories, weighed over the whole mini-batch', async () => {
    const { calls, events } = await train('losses', { far: { algorithm: role } });
    expect(calls.map(({ loss }) => loss.id)).toEqual(
      expect.arrayContaining(['tiny', expect.stringContaining('rloo')]) as string[],
    );
    expect(calls).toHaveLength(4); // two steps, two losses
    for (let step = 0; step < 2; step += 1) {
      const both = calls.slice(2 * step, 2 * step + 2);
      expect(both.reduce((sum, { batch }) => sum + weightOf(batch), 0)).toBeCloseTo(1, 6);
      const near = both.find(({ loss }) => loss.id === 'tiny') as Call;
      const far = both.find(({ loss }) => loss.id !== 'tiny') as Call;
      expect([near.batch.length, far.batch.length]).toEqual([8, 4]);
      expect(far.loss.columns).toContain('oldLogprobs');
    }
    const [first] = rowsOf(events);
    const sums = calls.slice(0, 2).map(({ batch }) => weightOf(batch));
    expect(first?.['tag/far/policy/toy']).toBeDefined();
    expect(first?.['tag/near/policy/toy']).toBeUndefined();
    expect(Math.min(...sums)).toBeGreaterThan(0);
  });

  it('assigns its credit: another step than that of the run', async () => {
    const alike = await train('alike', { far: { algorithm: { use: 'tiny' } } });
    const shared = await train('shared', {});
    const other = await train('other', { far: { algorithm: role } });
    // the same algorithm as its own is the run's algorithm, but for the order in which gradients are added
    expect(alike.weight).toBeCloseTo(shared.weight, 10);
    expect(alike.calls).toHaveLength(2 * shared.calls.length);
    expect(Math.abs(other.weight - shared.weight)).toBeGreaterThan(1e-9);
  });

  it('chooses its groups', async () => {
    const { events } = await train('chooses', { near: { algorithm: { use: 'tiny', keep: 1 } } });
    const kept = events.flatMap((event) =>
      event.kind === 'trajectory' && event.kept && event.step === 1 ? [event.trajectory.group] : [],
    );
    expect([...new Set(kept)]).toEqual([0, 2]);
  });

  it('may have a critic, which learns from its own trajectories alone', async () => {
    const { calls, criticWeight } = await train('critic', {
      near: { algorithm: { use: 'tiny', critic: true } },
      far: { algorithm: { use: 'grpo', ...grpo.params.parse({}) } },
    });
    const critic = calls.filter(({ model }) => model === 'critic');
    expect(critic).toHaveLength(2);
    for (const call of critic) {
      expect(call.loss.id).toBe('tiny-value');
      expect(call.batch).toHaveLength(8); // of 12
      expect(weightOf(call.batch)).toBeCloseTo(1, 6);
    }
    expect(criticWeight).not.toBe(0.5);
  });

  it('leaves the targets of the others alone', async () => {
    const plugins = { grpo, rloo };
    const follows = (use: 'grpo' | 'rloo', entropyTarget: number) => {
      const params = plugins[use].params.parse({ entropyCoefficient: 0.1, entropyTarget });
      return { use, ...params };
    };
    // the run's is below its target and that of far above; together they are above both
    const { events } = await train('targets', {
      far: { algorithm: follows('rloo', 2) },
      spec: { algorithm: follows('grpo', 0.5), update: { miniBatches: 4 } },
      entropyOf: ({ id }) => (id.includes('rloo') ? 3 : 0.1),
    });
    const [first, second] = rowsOf(events);
    expect(first?.['policy/entropy']).toBeGreaterThan(0.5);
    expect(first?.['algorithm/entropy_coefficient']).toBe(0.1);
    expect(second?.['algorithm/entropy_coefficient']).toBeCloseTo(0.105, 12);
    expect(second?.['tag/far/algorithm/entropy_coefficient']).toBeCloseTo(0.095, 12);
  });

  it('keeps numbers of its own, and resumes bit for bit', async () => {
    const spec = { steps: 4 };
    const tags = { near: { algorithm: role }, far: { algorithm: { ...role, baselineMemory: 0.9 } } };
    const straight = await train('straight', { ...tags, spec });
    await train('halves', { ...tags, spec: { steps: 2 } });
    const halves = await train('halves', { ...tags, spec, resume: true });
    const memoryAt = (folder: string): unknown =>
      (
        JSON.parse(readFileSync(join(root, folder, 'checkpoints/step-000004/state.json'), 'utf8')) as {
          memory: unknown;
        }
      ).memory;
    expect(memoryAt('halves')).toEqual(memoryAt('straight'));
    const totals = straight.events.flatMap((event) =>
      event.kind === 'trajectory' && event.trajectory.environmentTag === 'far'
        ? [event.trajectory.score.total]
        : [],
    );
    expect(memoryAt('straight')).toEqual({
      'tag/near/baseline/near': expect.any(Number) as number,
      'tag/far/baseline/far': totals.reduce((average, total) => 0.9 * average + (1 - 0.9) * total, 0),
    });
    expect(halves.weight).toBe(straight.weight);
    expect(Object.keys(rowsOf(straight.events)[1] ?? {})).toEqual(
      expect.arrayContaining(['tag/near/algorithm/baseline/near', 'tag/far/algorithm/baseline/far']),
    );
  });
});
