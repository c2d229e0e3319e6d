/**
 * @file Two algorithms in one batch, one for each tag, against PyTorch (test/golden/loss/make_algorithms.py): each assigns
 * credit to its own groups, and the trainer adds up the losses, with tokens weighed over all.
 */
import type { Datum, LossSpec, TrainableModel, Trajectory } from '@espalier/contracts';
import { evaluateLoss } from '@espalier/objective';
import { describe, expect, it } from 'vitest';
import type { TrainingExample } from '../../libs/trainer/src/batch.js';
import { passLosses } from '../../libs/trainer/src/loss-passes.js';
import { isLong } from '../support/long.js';
import { composeStep } from './loss-algorithms.js';
import { type DrawnBatch, type DrawnTrajectory, loadBatches } from './loss-batches.js';
import { Distances } from './sum-loss.js';
import { loadTorch, project } from './torch-algorithms.js';

const batches = loadBatches();
const { cases, mixtures, results } = loadTorch();
const STRIDE = isLong ? 1 : 20;
const tags = ['even', 'odd'] as const;

interface MixedExample {
  readonly drawn: DrawnTrajectory;
  readonly example: TrainingExample;
}

/** What each tag learns from, with its credit, in the order of the batch; and the loss of each. */
function compose(parts: readonly [string, string], batch: DrawnBatch) {
  const losses = new Map<string, LossSpec>();
  const mixed: MixedExample[] = [];
  tags.forEach((tag, odd) => {
    const { use, options } = cases[parts[odd]!]!;
    const own = batch.trajectories.filter(({ group }) => group % 2 === odd);
    const step = composeStep(use, { ...batch, trajectories: own }, options);
    if (step === undefined) return;
    losses.set(tag, step.policy.loss);
    let at = 0;
    for (const drawn of step.trajectories) {
      const count = drawn.columns['logprobs']?.length ?? 0;
      const columns = Object.fromEntries(
        Object.entries(step.policy.numbers.columns ?? {}).map(([name, all]) => [
          name,
          Float32Array.from(Array.from(all).slice(at, at + count)),
        ]),
      );
      at += count;
      // the trainer asks a trajectory for its tag, and for places in it
      const trajectory = { environmentTag: tag, tokens: new Int32Array(count + 1) } as unknown as Trajectory;
      const positions = Int32Array.from({ length: count }, (_, n) => n + 1);
      mixed.push({ drawn, example: { trajectory, positions, columns } });
    }
  });
  const place = new Map(batch.trajectories.map((one, index) => [one, index]));
  mixed.sort((a, b) => (place.get(a.drawn) ?? 0) - (place.get(b.drawn) ?? 0));
  return { losses, mixed };
}

/** Loss and gradient of a mixture by the trainer, over a model whose log-probabilities are those of the batch. */
async function passMixture({ losses, mixed }: ReturnType<typeof compose>, aggregation: string) {
  const asked = mixed.map(({ example }) => example);
  const tagOf = (one: TrainingExample) => one.trajectory.environmentTag ?? '';
  const inOrder = [...new Set(asked.map(tagOf))].map((tag) =>
    mixed.filter(({ example }) => tagOf(example) === tag),
  );
  const gradients = new Map<TrainingExample, readonly number[]>();
  let pass = 0;
  const model = {
    forwardBackward: async (data: readonly Datum[], loss: LossSpec) => {
      const own = inOrder[pass++] ?? [];
      const column = (name: string) => own.flatMap(({ drawn }) => [...(drawn.columns[name] ?? [])]);
      const weights = data.flatMap((datum) => [...datum.weights]);
      const columns = Object.fromEntries(
        loss.columns.map((name) => [name, data.flatMap((datum) => [...(datum.columns[name] ?? [])])]),
      );
      const { perToken, gradients: slopes } = evaluateLoss(loss as never, {
        logprobs: column('logprobs'),
        entropies: column('entropies'),
        columns,
      });
      const all = weights.map((weight, n) => weight * (slopes['logprobs']?.[n] ?? Number.NaN));
      let at = 0;
      for (const { example } of own) gradients.set(example, all.slice(at, (at += example.positions.length)));
      return { loss: perToken.reduce((sum, one, n) => sum + one * (weights[n] ?? 0), 0), metrics: {} };
    },
    zeroGradients: async () => undefined,
  } as unknown as TrainableModel;
  const [[firstTag = '', loss] = []] = losses;
  const passed = await passLosses(
    model,
    asked,
    { loss: loss as LossSpec, ownLosses: new Map([...losses].filter(([tag]) => tag !== firstTag)) },
    {
      area: 'policy',
      update: { lossAggregation: aggregation } as never,
      temperature: 1,
      factor: undefined,
    },
  );
  expect(pass).toBe(losses.size);
  return { loss: passed.loss, gradient: asked.flatMap((one) => [...(gradients.get(one) ?? [])]) };
}

async function measure(
  name: string,
  parts: readonly [string, string],
  change?: (batch: DrawnBatch) => string,
) {
  const distances = new Distances();
  let compared = 0;
  let both = 0;
  for (const [index, result] of results.entries()) {
    if (index % STRIDE !== 0) continue;
    const batch = batches[index]!;
    const composed = compose(parts, batch);
    const golden = result[name] ?? null;
    expect(composed.mixed.length === 0, `batch ${index}`).toBe(golden === null);
    if (golden === null) continue;
    compared += 1;
    both += Number(composed.losses.size === 2);
    const [advantages, loss, gradient] = golden;
    const own = await passMixture(composed, change?.(batch) ?? batch.options.aggregation);
    const credit = project(
      composed.mixed.flatMap(({ example }) => [...(example.columns['advantages'] ?? [])]),
    );
    const slope = project(own.gradient);
    distances.add('advantages', `batch ${index}`, [credit.sum], [advantages], Math.max(credit.size, 1e-3));
    distances.add('loss', `batch ${index}`, [own.loss], [loss], Math.max(Math.abs(loss), 1));
    distances.add('gradient', `batch ${index}`, [slope.sum], [gradient], Math.max(slope.size, 1e-3));
  }
  return { distances, compared, both };
}

describe.each(Object.entries(mixtures))('%s', (name, parts) => {
  it('agrees with PyTorch in advantages, loss and gradient within 1e-5', async () => {
    const { distances, compared, both } = await measure(name, parts);
    expect(compared).toBeGreaterThan(results.length / STRIDE / 2);
    expect(both).toBeGreaterThan(compared / 3); // in the others one tag has nothing to learn from
    expect(distances.beyond(1e-5)).toEqual([]);
  });

  it('differs where the two change places, or tokens are weighed otherwise', async () => {
    const swapped = await measure(name, [parts[1], parts[0]]).catch(() => undefined);
    expect(swapped?.distances.beyond(1e-3) ?? ['another selection']).not.toEqual([]);
    const other = ({ options: { aggregation } }: DrawnBatch) =>
      aggregation === 'token-mean' ? 'sequence-mean-token-mean' : 'token-mean';
    const { distances } = await measure(name, parts, other);
    expect(distances.beyond(1e-3).map((line) => line.split(':')[0])).toContain('gradient');
  });
});
