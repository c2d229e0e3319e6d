import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, LossSpec, ScoreRequest, Trajectory } from '@espalier/contracts';
import { evaluateLoss, nllLoss } from '@espalier/objective';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import type { TrainingExample } from './batch.js';
import { askTeachers, buildDistillationBatch, gateOf, learnFromSiblings } from './self-distillation.js';
import { tinyEngine, trainTiny } from './testing/tiny-run.js';

const trajectory = (tokens: number[], success: boolean, more: Partial<Trajectory> = {}): Trajectory =>
  ({ tokens: Int32Array.from(tokens), success, ...more }) as unknown as Trajectory;

/** The last two tokens are in the loss. */
const exampleOf = (own: Trajectory, oldLogprobs: number[], lag = 0): TrainingExample => ({
  trajectory: own,
  positions: Int32Array.from([own.tokens.length - 2, own.tokens.length - 1]),
  columns: { oldLogprobs: Float32Array.from(oldLogprobs) },
  lag,
});

/** A policy whose log-probabilities are those given, a row for each request. */
function policyOf(...rows: number[][]) {
  const asked: ScoreRequest[] = [];
  const score = async (requests: readonly ScoreRequest[]) => {
    asked.push(...requests);
    return requests.map((_, index) => ({
      logprobs: Float32Array.from(rows[index] ?? []),
      entropies: new Float32Array(2),
    }));
  };
  return { asked, score };
}

const parts = { contextLength: 20, temperature: 1, gate: 1 };

describe('the teacher', () => {
  const long = trajectory([1, 2, 9, 9, 9], true);
  const short = trajectory([1, 2, 8, 8], true);
  const failed = trajectory([1, 2, 7, 6], false);

  it('is asked about the loss tokens of failed trajectories, behind the shortest successful one of the group', async () => {
    const policy = policyOf([-0.5, -1]);
    const examples = [long, short, failed].map((one) => exampleOf(one, [-1, -1]));
    const { distilled, metrics } = await askTeachers([[long, short, failed]], examples, { ...parts, policy });
    expect(policy.asked.map(({ tokens }) => [...tokens])).toEqual([[1, 2, 8, 8, 1, 2, 7, 6]]);
    expect([...policy.asked[0]!.positions]).toEqual([6, 7]);
    expect([...distilled.keys()]).toEqual([failed]);
    // gaps 0.5 and 0: σ(0.5) · 0.5 and nothing
    expect(distilled.get(failed)?.pulls[0]).toBeCloseTo(0.5 / (1 + Math.exp(-0.5)), 6);
    expect(distilled.get(failed)?.pulls[1]).toBe(0);
    expect(metrics['policy/distillation_gap']).toBeCloseTo(0.25, 6);
    expect(metrics['policy/distillation_gate']).toBeCloseTo((1 / (1 + Math.exp(-0.5)) + 0.5) / 2, 6);
    expect(metrics['policy/distillation_share']).toBeCloseTo(1 / 3, 9);
    expect(metrics['policy/distillation_too_long']).toBe(0);
  });

  it('is compared with the policy as it is now where an older one sampled, whose tokens weigh by their ratio', async () => {
    const older = { ...failed, logprobs: Float32Array.from([0, 0, -1.5, -3]) };
    // behind the sibling, then without it
    const policy = policyOf([-0.5, -1], [-1, -1]);
    const asked = { ...parts, policy, gate: null };
    const lagging = exampleOf(older, [-1.5, -3], 1);
    const { distilled, metrics } = await askTeachers([[short, older]], [lagging], asked);
    expect(policy.asked.map(({ tokens, positions }) => [[...tokens], [...positions]])).toEqual([
      [
        [1, 2, 8, 8, 1, 2, 7, 6],
        [6, 7],
      ],
      [[1, 2, 7, 6], [2, 3]], // prettier-ignore
    ]);
    // gaps 0.5 and 0, the first times exp(−1 + 1.5)
    expect([...(distilled.get(older)?.pulls ?? [])]).toEqual([expect.closeTo(0.5 * Math.exp(0.5), 6), 0]);
    expect(metrics).toMatchObject({ 'policy/distillation_gap': 0.25, 'policy/distillation_share': 1 });

    // a correction of the sampler has asked the policy already; exp(−1 + 3) is truncated at 2
    const again = policyOf([-0.5, -0.5]);
    const columns = { oldLogprobs: Float32Array.of(-1, -1), samplerWeights: Float32Array.of(1, 1) };
    const corrected = await askTeachers([[short, older]], [{ ...lagging, columns }], {
      ...asked,
      policy: again,
    });
    expect(again.asked).toHaveLength(1);
    expect([...(corrected.distilled.get(older)?.pulls ?? [])]).toEqual([
      expect.closeTo(0.5 * Math.exp(0.5), 6),
      1,
    ]);
  });

  it('is not asked about other groups, episodes in windows, or what does not fit', async () => {
    const policy = policyOf();
    const windows = [
      { start: 0, firstTurn: 0 },
      { start: 2, firstTurn: 1 },
    ];
    const cut = trajectory([1, 2, 7, 6], false, { windows });
    const others = [
      { groups: [[failed], [short]], examples: [exampleOf(failed, [-1, -1])] },
      { groups: [[short, cut]], examples: [exampleOf(cut, [-1, -1])] },
    ];
    for (const { groups, examples } of others) {
      const { distilled, metrics } = await askTeachers(groups, examples, { ...parts, policy });
      expect([distilled.size, metrics]).toEqual([
        0,
        { 'policy/distillation_share': 0, 'policy/distillation_too_long': 0 },
      ]);
    }
    const tight = { ...parts, policy, contextLength: 7 };
    const { metrics } = await askTeachers([[short, failed]], [exampleOf(failed, [-1, -1])], tight);
    expect(metrics['policy/distillation_too_long']).toBe(1);
    expect(policy.asked).toEqual([]);
  });
});

interface Golden {
  readonly slope: number | null;
  readonly coefficient: number;
  readonly temperature: number;
  readonly tokens: readonly (readonly number[])[];
  readonly probabilities: readonly (readonly (readonly number[])[])[];
  readonly policy: readonly (readonly number[])[];
  readonly teacher: readonly (readonly number[])[];
  readonly gradients: readonly (readonly (readonly number[])[])[];
}

describe('the loss', () => {
  it('has the gradient that PyTorch finds for it, in 30 mini-batches', () => {
    const path = join(goldenFolder('loss'), 'distillation.json');
    const cases = JSON.parse(readFileSync(path, 'utf8')) as Golden[];
    expect(cases).toHaveLength(30);
    for (const golden of cases) {
      const examples = golden.policy.map((own) => ({
        trajectory: trajectory([0, ...own.keys()], false),
        positions: Int32Array.from(own.keys(), (index) => index + 1),
        columns: {},
      }));
      const distilled = new Map(
        examples.map((one, index) => {
          const gaps = golden.policy[index]!.map((own, n) => golden.teacher[index]![n]! - own);
          const pulls = Float32Array.from(gaps, (gap) => gateOf(gap, golden.slope) * gap);
          return [one.trajectory, { pulls }];
        }),
      );
      const batch = buildDistillationBatch(examples, { distilled }, golden);
      expect(batch).toHaveLength(golden.policy.length);
      batch.forEach(({ weights, temperature }, index) => {
        expect(temperature).toBe(golden.temperature);
        const { gradients } = evaluateLoss(nllLoss, { logprobs: golden.policy[index]! });
        golden.tokens[index]!.forEach((token, n) => {
          const slope = weights[n]! * gradients['logprobs']![n]!;
          golden.probabilities[index]![n]!.forEach((probability, word) => {
            const mine = slope * ((word === token ? 1 : 0) - probability);
            expect(mine).toBeCloseTo(golden.gradients[index]![n]![word]!, 6);
          });
        });
      });
    }
  });

  it('without a gate moves, on average over what is sampled, down the divergence from the teacher', () => {
    const logits = [0.3, -0.8, 1.1];
    const teacher = softmax([1, 0.2, -0.5]);
    const divergence = (of: number[]) =>
      softmax(of).reduce((sum, own, word) => sum + own * Math.log(own / teacher[word]!), 0);
    const own = softmax(logits);
    const step = 1e-5;
    logits.forEach((_, place) => {
      const moved = (by: number) => logits.map((value, index) => value + (index === place ? by : 0));
      const difference = (divergence(moved(step)) - divergence(moved(-step))) / (2 * step);
      // every word as often as it is sampled: weight · gradient of −log p
      const expected = own.reduce((sum, probability, word) => {
        const weight = gateOf(7, null) * Math.log(teacher[word]! / probability);
        return sum + probability * weight * (own[place]! - (word === place ? 1 : 0));
      }, 0);
      expect(expected).toBeCloseTo(difference, 8);
    });
  });

  it('is a batch of its own, and none where nothing has a teacher', async () => {
    const calls: [readonly Datum[], LossSpec][] = [];
    const model = {
      forwardBackward: async (batch: readonly Datum[], loss: LossSpec) => {
        calls.push([batch, loss]);
        return { loss: 0, metrics: {} };
      },
    };
    const failed = exampleOf(trajectory([1, 2, 7, 6], false), [-1, -1]);
    const distilled = new Map([[failed.trajectory, { pulls: Float32Array.from([0.5, -0.25]) }]]);
    const options = { coefficient: 0.1, temperature: 1 };
    await learnFromSiblings(model, [failed], { distilled }, options);
    await learnFromSiblings(model, [failed], { distilled: new Map() }, options);
    expect(calls.map(([batch, { id }]) => [batch.map(({ weights }) => [...weights]), id])).toEqual([
      [[[expect.closeTo(0.025, 7), expect.closeTo(-0.0125, 7)]], 'nll'],
    ]);
  });

  it('has gates between 0 and 1 at any gap', () => {
    expect([gateOf(-1e4, 5), gateOf(0, 5), gateOf(1e4, 5), gateOf(-3, 0)]).toEqual([0, 0.5, 1, 0.5]);
  });
});

describe('update.selfDistillation', () => {
  it('reaches the update of a run and its metrics; off, neither', async () => {
    const root = mkdtempSync(join(tmpdir(), 'espalier-distillation-'));
    const learn = async (coefficient: number) => {
      const losses: string[] = [];
      const engine = tinyEngine({ onLearn: (_, __, { id }) => void losses.push(id) });
      const spec = { steps: 1, validation: { every: 0 }, update: { selfDistillation: { coefficient } } };
      const { events } = await trainTiny(root, { folder: `with-${coefficient}`, engine, spec });
      const shares = events.flatMap((event) =>
        event.kind === 'metrics' ? (event.values['policy/distillation_share'] ?? []) : [],
      );
      return { losses, shares };
    };
    expect(await learn(0)).toEqual({ losses: ['tiny'], shares: [] });
    const { losses, shares } = await learn(0.01);
    expect([losses, shares]).toEqual([['tiny', 'nll'], [expect.any(Number)]]);
    expect(shares[0]).toBeGreaterThan(0);
  });

  it('teaches in every step where batches are sampled ahead', async () => {
    const root = mkdtempSync(join(tmpdir(), 'espalier-distillation-'));
    const { events } = await trainTiny(root, {
      spec: {
        steps: 4,
        validation: { every: 0 },
        rollout: { promptsPerStep: 8, groupSize: 4, prompt: { thinking: 'none' }, ahead: 1 },
        update: { selfDistillation: { coefficient: 0.01 } },
      },
    });
    const rows = events.flatMap((event) =>
      event.kind === 'metrics' && 'policy/distillation_share' in event.values ? [event.values] : [],
    );
    expect(rows.map((values) => values['rollout/policy_lag_max'])).toEqual([0, 1, 1, 1]);
    for (const values of rows) expect(values['policy/distillation_share']).toBeGreaterThan(0);
  });
});

function softmax(logits: readonly number[]): number[] {
  const sum = logits.reduce((total, value) => total + Math.exp(value), 0);
  return logits.map((value) => Math.exp(value) / sum);
}
