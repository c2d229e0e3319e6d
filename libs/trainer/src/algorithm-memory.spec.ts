/** @file Adaptive coefficients in a run: grpo's, over the toy engine, whose update reports the divergence that it is told. */
import grpo from '@espalier/algorithm-grpo';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Datum, type RunEvent, runLayout } from '@espalier/contracts';
import { objective } from '@espalier/plugin-kit';
import { createMemorySink } from '@espalier/recorder';
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryOf, nextMemory } from './algorithm-memory.js';
import { createTrainer } from './create-trainer.js';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer } from './testing/tiny-run.js';
import { parseTrainerState, startState } from './trainer-state.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-memory-'));
});

const params = {
  klCoefficient: 0.5,
  klTarget: 0.02,
  klRate: 0.5,
  entropyCoefficient: 0.01,
  entropyTarget: 0.2,
};

interface Training {
  readonly steps?: number;
  readonly resume?: boolean;
  readonly folder?: string;
  /** checkpoint to continue from */
  readonly fork?: string;
  /** of grpo, beside {@link params} */
  readonly algorithm?: object;
  readonly spec?: object;
  /** what the policy says */
  readonly say?: (draw: number, weight: number) => string;
}

/** Trains grpo; its update measures a divergence of 0.03 and an entropy of 0.1. */
async function train(training: Training) {
  const batches: (readonly Datum[])[] = [];
  const plain = tinyEngine(training.say === undefined ? {} : { say: training.say });
  const policy = {
    ...plain.policy,
    forwardBackward: async (batch: readonly Datum[], loss: never) => {
      batches.push(batch);
      const result = await plain.policy.forwardBackward(batch, loss);
      const weight = batch.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0);
      return {
        ...result,
        metrics: { 'policy/kl_reference': 0.03 * weight, 'policy/entropy': 0.1 * weight },
      };
    },
  };
  const sink = createMemorySink();
  const trainer = await createTrainer(
    tinySpec({
      algorithm: { use: 'grpo', ...grpo.params.parse({ ...params, ...training.algorithm }) },
      steps: training.steps ?? 4,
      validation: { every: 0 },
      checkpoint: { every: 1, keep: 9 },
      ...training.spec,
    }),
    {
      registry: {
        get: (kind, id) => (kind === 'algorithm' ? (grpo as never) : tinyRegistry.get(kind, id)),
      },
      sink,
      folder: join(root, training.folder ?? 'run'),
      engine: { ...plain, policy },
      tokenizer: tinyTokenizer,
      resume: training.resume ?? false,
      fork: training.fork,
    },
  );
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
  }
  const events: readonly RunEvent[] = sink.events;
  return { batches, rows: rowsOf(events), events, folder: join(root, training.folder ?? 'run') };
}

/** Metrics of the updates after a step. */
const rowsOf = (events: readonly RunEvent[], after = 0) =>
  events.flatMap((event) =>
    event.kind === 'metrics' && event.step > after && event.values['algorithm/kl_coefficient'] !== undefined
      ? [event.values]
      : [],
  );

const at = (folder: string, step: number): string => join(folder, 'checkpoints', runLayout.stepName(step));
const stored = (folder: string, step: number): unknown =>
  (JSON.parse(readFileSync(join(at(folder, step), 'state.json'), 'utf8')) as { memory: unknown }).memory;

describe('adaptive coefficients in a run', () => {
  it('are what the loss is fed, and follow what the update measured', async () => {
    const { batches, rows } = await train({ steps: 3 });
    // 0.03 is half above its target, of which a fifth counts; 0.1 is below its target
    const kl = [0.5, 0.5 * 1.1, 0.5 * 1.21];
    const entropy = [0.01, 0.015, 0.02];
    rows.forEach((row, step) => {
      expect(row['algorithm/kl_coefficient']).toBeCloseTo(kl[step] as number, 6);
      expect(row['algorithm/entropy_coefficient']).toBeCloseTo(entropy[step] as number, 6);
    });
    expect(rows).toHaveLength(3);
    expect(batches.map((batch) => batch.length)).toEqual([12, 12, 12]);
    batches.forEach((batch, step) => {
      for (const { columns } of batch) {
        expect(new Set(columns['klCoefficient'])).toEqual(
          new Set([Math.fround(rows[step]?.['algorithm/kl_coefficient'] ?? 0)]),
        );
        expect(columns['entropyCoefficient']?.[0]).toBeCloseTo(entropy[step] as number, 6);
      }
    });
  });

  it('are saved and resumed', async () => {
    const straight = await train({ folder: 'straight' });
    await train({ folder: 'halves', steps: 2 });
    const second = await train({ folder: 'halves', resume: true });
    expect(second.rows).toHaveLength(2);
    expect(second.rows[1]?.['algorithm/kl_coefficient']).toBe(straight.rows[3]?.['algorithm/kl_coefficient']);
    expect(stored(second.folder, 4)).toEqual(stored(straight.folder, 4));
    expect(stored(second.folder, 4)).toMatchObject({
      klCoefficient: expect.closeTo(0.5 * 1.1 ** 4, 6) as number,
    });
  });

  it('go on in a fork that continues, and one whose option was changed begins there', async () => {
    const parent = await train({ folder: 'parent' });
    const fork = at(parent.folder, 2);
    const twin = await train({ folder: 'twin', fork });
    const names = ['algorithm/kl_coefficient', 'algorithm/entropy_coefficient'] as const;
    for (const name of names) expect(twin.rows[0]?.[name]).toBe(parent.rows[2]?.[name]);
    const changed = await train({ folder: 'changed', fork, algorithm: { entropyCoefficient: 0.2 } });
    expect(changed.rows[0]?.['algorithm/entropy_coefficient']).toBe(0.2);
    expect(changed.rows[0]?.['algorithm/kl_coefficient']).toBe(parent.rows[2]?.['algorithm/kl_coefficient']);
  });

  describe('after a roll-back', () => {
    /** Trains until the policy explodes, and what followed the roll-back: its event and the first row after it. */
    async function collapse(change: object, learningRate: number, every = 1) {
      const { events, folder } = await train({
        steps: 30,
        // the weight explodes at the first large step
        say: (draw, weight) =>
          Math.abs(weight - 0.5) < 1 ? `${draw < weight ? 'Left' : 'Right'}</answer><end>` : 'ah<end>',
        spec: {
          update: { maxSkipped: 0 },
          optimizer: { learningRate },
          checkpoint: { every, keep: 40 },
          monitor: { onCollapse: { action: 'rollBack', change } },
        },
      });
      const done = events.find((event) => event.kind === 'monitor' && event.restored !== null);
      if (done?.kind !== 'monitor' || done.restored === null)
        throw new Error('the run did not roll back, so there is nothing to look at');
      const [next] = rowsOf(events, done.step);
      return { changes: done.changes, restored: done.restored, folder, next };
    }

    it('to the start begin where the options say', async () => {
      const { restored, next } = await collapse({}, 4, 20);
      expect(restored).toBe(0);
      expect(next?.['algorithm/kl_coefficient']).toBe(0.5);
      expect(next?.['algorithm/entropy_coefficient']).toBe(0.01);
    });

    it('go on as they were, and one whose option was changed begins there', async () => {
      const changed = { 'algorithm.klCoefficient': { to: 0.001 } };
      const { restored, folder, changes, next } = await collapse(changed, 0.2);
      expect(restored).toBeGreaterThan(0);
      expect(changes).toEqual([{ path: 'algorithm.klCoefficient', from: 0.5, to: 0.001 }]);
      const before = stored(folder, restored) as Record<string, number>;
      expect(before['klCoefficient']).toBeGreaterThan(0.5);
      expect(before['entropyCoefficient']).toBeGreaterThan(0.01);
      expect(next?.['algorithm/kl_coefficient']).toBe(0.001);
      expect(next?.['algorithm/entropy_coefficient']).toBe(before['entropyCoefficient']);
    });
  });

  it('are corrupt in a checkpoint where they are no numbers', () => {
    expect(parseTrainerState({ ...startState, memory: { klCoefficient: 'much' } })).toBeUndefined();
    expect(parseTrainerState({ ...startState, memory: { klCoefficient: 1 } })).toMatchObject({
      memory: { klCoefficient: 1 },
    });
  });

  it('begin where the options say, and what is stored of other options is left', () => {
    const state = { ...startState, memory: { klCoefficient: 0.25, other: 3 } };
    const spec = tinySpec();
    const parts = { spec, algorithm: grpo as never, algorithmParams: grpo.params.parse(params), state };
    expect(memoryOf(parts)).toEqual({ klCoefficient: 0.25, entropyCoefficient: 0.01 });
    expect(memoryOf({ ...parts, algorithmParams: grpo.params.parse({}) })).toEqual({});
  });
});

describe('adaptive coefficients of several algorithms', () => {
  const follow = { entropyCoefficient: 0.1, entropyTarget: 0.5 };
  const bound = { algorithm: grpo as never, algorithmParams: grpo.params.parse(follow) };
  const parts = { ...bound, ownAlgorithms: new Map([['far', bound]]) };
  const memory = { entropyCoefficient: 0.1, 'tag/far/entropyCoefficient': 0.1 };
  const next = (metrics: Record<string, number>, shared: number) =>
    nextMemory(parts, memory, metrics, { 'policy/entropy': shared }).memory;

  it('follow each what its own tokens measured', () => {
    expect(next({ 'policy/entropy': 1.55, 'tag/far/policy/entropy': 3 }, 0.1)).toEqual({
      entropyCoefficient: expect.closeTo(0.105, 12) as number,
      'tag/far/entropyCoefficient': expect.closeTo(0.095, 12) as number,
    });
  });

  it('stay as they are without tokens of their own', () => {
    expect(next({ 'policy/entropy': 3, 'tag/far/policy/entropy': 3 }, NaN)).toMatchObject({
      entropyCoefficient: 0.1,
    });
    expect(next({ 'policy/entropy': 3 }, 3)).toMatchObject({ 'tag/far/entropyCoefficient': 0.1 });
  });
});

describe('the loss with adaptive coefficients', () => {
  const numbers = {
    logprobs: [-1, -0.5],
    entropies: [1, 0.5],
    columns: {
      oldLogprobs: [-1.1, -0.6],
      advantages: [1, -1],
      referenceLogprobs: [-1.3, -0.4],
    },
  };

  it('equals the one with these numbers fixed, in value and gradient', () => {
    const following = grpo.policyLoss(grpo.params.parse(params));
    expect(following.columns).toEqual(expect.arrayContaining(['klCoefficient', 'entropyCoefficient']));
    // nothing that changes between updates is compiled in
    expect(following.params).not.toHaveProperty('klCoefficient');
    expect(following.params).not.toHaveProperty('entropyCoefficient');
    const fixed = grpo.policyLoss(grpo.params.parse({ klCoefficient: 0.25, entropyCoefficient: 0.125 }));
    const columns = { ...numbers.columns, klCoefficient: [0.25, 0.25], entropyCoefficient: [0.125, 0.125] };
    const [a, b] = [
      objective.evaluateLoss(following, { ...numbers, columns }),
      objective.evaluateLoss(fixed, numbers),
    ];
    expect(a).toEqual(b);
    const numeric = objective.estimateLossGradient(following, { ...numbers, columns });
    expect(a.gradients['entropies']).toHaveLength(2);
    a.gradients['entropies']?.forEach((value, n) =>
      expect(value).toBeCloseTo(numeric['entropies']?.[n] as number, 6),
    );
  });

  it('is the same loss as before without a target', () => {
    const loss = grpo.policyLoss(grpo.params.parse({ klCoefficient: 0.25 }));
    expect(loss.params).toMatchObject({ klCoefficient: 0.25, klEstimator: 'k3-straight-through' });
    expect(loss.columns).toEqual(['oldLogprobs', 'advantages', 'referenceLogprobs']);
    expect(grpo.policyLoss(grpo.params.parse({ dualClip: 0 })).named).toMatchObject({ name: 'ppo' });
    expect(grpo.policyLoss(grpo.params.parse({ dualClip: 0, entropyTarget: 1 })).named).toBeUndefined();
    // without a penalty there is nothing to follow
    expect(
      grpo.inert?.(grpo.params.parse({ klTarget: 1, klRate: 0.2, entropyStep: 0.1 }), {
        optimizerStepsPerStep: 2,
      }),
    ).toEqual(['klEstimator', 'klTarget', 'klRate', 'entropyStep']);
  });
});
