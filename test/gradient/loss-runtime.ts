/**
 * @file Losses over a batch in ONNX Runtime, in float32 as a run computes them.
 */
import type { LossSpec } from '@espalier/contracts';
import { gradient, Graph, mul, sum, type Tensor } from '@espalier/graph';
import type { LossBuilder, LossNumbers, ValueLossBuilder } from '@espalier/objective';
import { createSession, type RuntimeTensor } from '@espalier/runtime';
import type { ExpectedLoss } from './loss-batches.js';
import { type Distances, sumLoss } from './sum-loss.js';

export interface FedLoss {
  readonly name: string;
  readonly loss: LossSpec;
  readonly numbers: LossNumbers;
}

/** Adds a loss over a batch to a graph, as the engine does: Σ weight · loss, its gradients, Σ weight · metric. */
function addLoss(graph: Graph, feeds: Record<string, ArrayLike<number>>, fed: FedLoss): void {
  const inputs = (group: string, values: Readonly<Record<string, ArrayLike<number>>>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, own]) => {
        feeds[`${fed.name}/${group}/${key}`] = own;
        return [key, graph.input(`${fed.name}/${group}/${key}`, 'float32', [own.length])];
      }),
    );
  const { columns: given = {}, ...numbers } = fed.numbers;
  const trained = inputs('trained', numbers as Record<string, ArrayLike<number>>);
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

/** Runs losses of one batch in ONNX Runtime, in float32. */
export async function runLosses(
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

/** Compares a loss in ONNX Runtime with its evaluation in float64. */
export async function compareInRuntime(
  distances: Distances,
  at: string,
  fed: FedLoss,
  weights: readonly number[],
): Promise<void> {
  const expected = sumLoss(fed.loss, fed.numbers, weights);
  const { [fed.name]: actual } = await runLosses([fed], weights);
  distances.addLoss(fed.name, at, { ...(actual as ExpectedLoss), sizes: expected.sizes }, expected);
}
