/**
 * @file Loss terms and whole algorithms in ONNX Runtime, in float32 as a run computes them, against an independent
 * implementation in float64, on 50 of the 1,000 ragged batches of test/golden/loss.
 */
import type { LossSpec } from '@espalier/contracts';
import { gradient, Graph, mul, sum, type Tensor } from '@espalier/graph';
import type { LossBuilder, LossNumbers, ValueLossBuilder } from '@espalier/objective';
import { createSession, type RuntimeTensor } from '@espalier/runtime';
import { describe, expect, it, vi } from 'vitest';
import { type AlgorithmName, algorithmNames, composeStep } from './loss-algorithms.js';
import {
  type ExpectedAlgorithm,
  type ExpectedLoss,
  loadBatches,
  loadLines,
  spreadWeights,
} from './loss-batches.js';
import { defineTerms, numbersOf } from './loss-definitions.js';
import { Distances, sumLoss } from './sum-loss.js';

vi.setConfig({ testTimeout: 120_000 }); // seconds of work, more where the machine is shared

const batches = loadBatches();
const terms = loadLines<Record<string, ExpectedLoss> & { readonly weights: number[] }>('terms');
const algorithms = loadLines<Record<AlgorithmName, ExpectedAlgorithm>>('algorithms');
const sample = Array.from({ length: 50 }, (_, k) => 20 * k + (k % 20));

interface FedLoss {
  readonly name: string;
  readonly loss: LossSpec;
  readonly numbers: LossNumbers;
}

/** Adds a loss over a batch to a graph, as the engine does: Σ weight · loss, its gradients, Σ weight · metric. */
function addLoss(graph: Graph, feeds: Record<string, readonly number[]>, fed: FedLoss): void {
  const inputs = (group: string, values: Readonly<Record<string, readonly number[]>>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, own]) => {
        feeds[`${fed.name}/${group}/${key}`] = own;
        return [key, graph.input(`${fed.name}/${group}/${key}`, 'float32', [own.length])];
      }),
    );
  const { columns: given = {}, ...numbers } = fed.numbers;
  const trained = inputs('trained', numbers as Record<string, readonly number[]>);
  const columns = inputs('columns', given);
  const weights = graph.inputs.get('weights') as Tensor;
  const built = (fed.loss.build as LossBuilder & ValueLossBuilder)({
    ...(trained as { logprobs: Tensor; entropies: Tensor; values: Tensor }),
    columns,
    params: fed.loss.params,
  });
  const total = sum(mul(built.perToken, weights));
  graph.output(`${fed.name}/loss`, total);
  for (const [key, metric] of Object.entries(built.metrics))
    graph.output(`${fed.name}/metric/${key}`, sum(mul(metric, weights)));
  gradient(total, Object.values(trained)).forEach((g, i) =>
    graph.output(`${fed.name}/gradient/${Object.keys(trained)[i] as string}`, g),
  );
}

async function runLosses(
  losses: readonly FedLoss[],
  weights: readonly number[],
): Promise<Record<string, ExpectedLoss>> {
  const graph = new Graph();
  const feeds: Record<string, readonly number[]> = { weights };
  graph.input('weights', 'float32', [weights.length]);
  for (const fed of losses) addLoss(graph, feeds, fed);
  const session = await createSession(graph, { threads: 1 });
  const tensors = Object.entries(feeds).map(([name, values]): [string, RuntimeTensor] => [
    name,
    { dtype: 'float32', shape: [values.length], values: Float32Array.from(values) },
  ]);
  const results = Object.entries(await session.run(Object.fromEntries(tensors))).map(
    ([name, { values }]) => [name, Array.from(values, Number)] as const,
  );
  await session.dispose();
  const under = (prefix: string) =>
    results
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, values]) => [name.slice(prefix.length), values] as const);
  return Object.fromEntries(
    losses.map(({ name }) => [
      name,
      {
        loss: under(`${name}/loss`)[0]?.[1][0] as number,
        metrics: Object.fromEntries(
          under(`${name}/metric/`).map(([key, values]) => [key, values[0] as number]),
        ),
        gradients: Object.fromEntries(under(`${name}/gradient/`)),
      },
    ]),
  );
}

/** Compares losses of one batch with golden ones; sizes of rounding errors come from the float64 evaluation. */
async function compare(
  distances: Distances,
  at: string,
  { losses, weights, golden }: { losses: FedLoss[]; weights: number[]; golden: Record<string, ExpectedLoss> },
): Promise<void> {
  const results = await runLosses(losses, weights);
  for (const { name, loss, numbers } of losses) {
    const { sizes } = sumLoss(loss, numbers, weights);
    distances.addLoss(name, at, { ...(results[name] as ExpectedLoss), sizes }, golden[name] as ExpectedLoss);
  }
}

describe('losses in ONNX Runtime (float32), against an independent implementation', () => {
  it('agrees within 1e-5: every term', async () => {
    const distances = new Distances();
    for (const index of sample) {
      const batch = batches[index]!;
      const { weights: perSequence, ...golden } = terms[index]!;
      const losses = Object.entries(defineTerms(batch.options)).map(([name, loss]) => ({
        name,
        loss,
        numbers: numbersOf(loss, batch.trajectories),
      }));
      const weights = spreadWeights(batch.trajectories, perSequence);
      await compare(distances, `batch ${index}`, { losses, weights, golden });
    }
    expect(distances.names.length).toBeGreaterThan(30);
    expect(distances.beyond(1e-5)).toEqual([]);
  });

  it.each(algorithmNames)('agrees within 1e-5: %s', async (name) => {
    const distances = new Distances();
    for (const index of sample) {
      const expected = algorithms[index]![name];
      const step = composeStep(name, batches[index]!, expected.params);
      if (step === undefined) continue;
      const golden = Object.fromEntries(
        Object.entries({ policy: expected.policy, critic: expected.critic }).filter(
          ([, own]) => own !== undefined,
        ),
      ) as Record<string, ExpectedLoss>;
      const losses = Object.keys(golden).map((model) => ({ name: model, ...step[model as 'policy']! }));
      const weights = spreadWeights(step.trajectories, expected.weights ?? []);
      await compare(distances, `batch ${index} ${JSON.stringify(expected.params)}`, {
        losses,
        weights,
        golden,
      });
    }
    expect(distances.names).toContain('policy gradient logprobs');
    expect(distances.beyond(1e-5)).toEqual([]);
  });
});
