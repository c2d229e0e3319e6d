/**
 * @file Evaluates a loss token by token in float64, with exact and numeric gradients: to test losses, to check engines, and
 * to record what an update did to each token. Training itself compiles the same graph.
 */
import { AppError, type LossSpec } from '@espalier/contracts';
import { evaluate, gradient, Graph, type NumericArray, sum, type Tensor } from '@espalier/graph';
import type { LossBuilder, LossOutput, ValueLossBuilder } from './define-loss.js';

/** Numbers for every input of a policy loss (`logprobs`, `entropies`) or a value loss (`values`). */
export interface LossNumbers {
  readonly logprobs?: ArrayLike<number>; // [N]
  /** default 0 */
  readonly entropies?: ArrayLike<number>; // [N]
  readonly values?: ArrayLike<number>; // [N]
  readonly columns?: Readonly<Record<string, ArrayLike<number>>>; // each [N]
}

export interface EvaluatedLoss {
  readonly perToken: number[]; // [N]
  readonly metrics: Record<string, number[]>; // each [N]
  /** of the sum over tokens, with respect to `logprobs` and `entropies`, or to `values` */
  readonly gradients: Record<string, number[]>; // each [N]
}

/**
 * Evaluates a loss token by token, with its reverse-mode gradient.
 *
 * @throws contracts.invalid_value unless exactly one of `logprobs` and `values` is given; objective.missing_column
 */
export function evaluateLoss(loss: LossSpec, numbers: LossNumbers): EvaluatedLoss {
  const { graph, tensors, output, feeds } = lossGraph(loss, numbers);
  const trained = trainedInputs(loss, numbers);
  const names = Object.keys(trained);
  gradient(
    sum(output.perToken),
    names.map((name) => tensors[name] as Tensor),
  ).forEach((g, i) => graph.output(`gradient/${names[i] as string}`, g));
  for (const [name, metric] of Object.entries(output.metrics)) graph.output(`metric/${name}`, metric);
  const results = mapValues(evaluate(graph, feeds), ({ values }) => Array.from(values));
  return {
    perToken: results['perToken'] as number[],
    metrics: mapValues(output.metrics, (_, name) => results[`metric/${name}`] as number[]),
    gradients: mapValues(trained, (_, name) => results[`gradient/${name}`] as number[]),
  };
}

/**
 * Estimates the gradient of a loss by central differences, one token at a time. What the loss treats as constant
 * (`stopGradient`) keeps its value meanwhile. Meaningless at kinks.
 *
 * @param step distance that each number is moved in either direction
 */
export function estimateLossGradient(
  loss: LossSpec,
  numbers: LossNumbers,
  step = 1e-6,
): Record<string, number[]> {
  const { graph, feeds } = lossGraph(loss, numbers);
  const stopped = graph.nodes
    .filter(({ op }) => op.name === 'stopGradient')
    .map(({ outputs }) => outputs[0] as Tensor);
  stopped.forEach((tensor, i) => graph.output(`stopped/${i}`, tensor));
  const base = evaluate(graph, feeds);
  const held = new Map(stopped.map((tensor, i) => [tensor, base[`stopped/${i}`] as NumericArray]));
  return mapValues(trainedInputs(loss, numbers), (values, name) => {
    const shifted = (by: number) => {
      const moved = { shape: [values.length], values: Array.from(values, (value) => value + by) };
      return Array.from(evaluate(graph, { ...feeds, [name]: moved }, { held })['perToken']?.values ?? []);
    };
    const above = shifted(step);
    const below = shifted(-step);
    return above.map((value, i) => (value - (below[i] as number)) / (2 * step));
  });
}

/** The loss as a graph over plain numbers, with `perToken` as output. */
function lossGraph(loss: LossSpec, numbers: LossNumbers) {
  const graph = new Graph();
  const trained = trainedInputs(loss, numbers);
  const given = { ...trained, ...prefixed(numbers.columns ?? {}) };
  const count = Object.values(trained)[0]?.length ?? 0;
  const tensors = mapValues(given, (_, name) => graph.input(name, 'float64', [count]));
  const output = buildLoss(loss, tensors, Object.keys(numbers.columns ?? {}));
  graph.output('perToken', output.perToken);
  const feeds = mapValues(given, (values) => ({ shape: [count], values }));
  return { graph, tensors, output, feeds };
}

function trainedInputs(
  loss: LossSpec,
  { logprobs, entropies, values }: LossNumbers,
): Record<string, ArrayLike<number>> {
  if ((logprobs === undefined) === (values === undefined)) {
    throw new AppError(
      'contracts.invalid_value',
      `loss ${loss.id}: got ${logprobs === undefined ? 'neither logprobs nor values' : 'logprobs and values'}; give logprobs for a policy loss, values for a value loss`,
    );
  }
  if (values !== undefined) return { values };
  const own = logprobs as ArrayLike<number>;
  return { logprobs: own, entropies: entropies ?? new Float64Array(own.length) };
}

function buildLoss(
  loss: LossSpec,
  tensors: Record<string, Tensor>,
  columnNames: readonly string[],
): LossOutput {
  const columns = Object.fromEntries(columnNames.map((name) => [name, tensors[`column/${name}`] as Tensor]));
  const { params } = loss;
  const { logprobs, entropies, values } = tensors;
  if (values !== undefined) return (loss.build as ValueLossBuilder)({ values, columns, params });
  return (loss.build as LossBuilder)({
    logprobs: logprobs as Tensor,
    entropies: entropies as Tensor,
    columns,
    params,
  });
}

function prefixed<T>(columns: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [`column/${name}`, value]));
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
