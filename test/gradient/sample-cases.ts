/**
 * @file Operators' samples as graphs with numbers: the forward value, a weighted sum as loss, and its gradients.
 */
import {
  add,
  type Dim,
  Graph,
  gradient,
  mul,
  OPERATORS,
  resolveDim,
  type Sample,
  sum,
  type Tensor,
} from '@espalier/graph';
import { randomArray } from '@espalier/testing';

/** A feed that finite differences may change. */
export interface CaseFeed {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** One sample, ready to evaluate. */
export interface SampleCase {
  readonly title: string;
  readonly graph: Graph;
  readonly feeds: Record<string, CaseFeed>;
  /** Inputs that are differentiated; the gradient of input `x0` is the output `gradient_x0`. */
  readonly differentiated: readonly string[];
}

/** All samples of all operators. */
export function sampleCases(): SampleCase[] {
  return OPERATORS.flatMap((op) =>
    op.samples.map((sample) => buildCase(sample, typeof op.gradient === 'function')),
  );
}

function buildCase(sample: Sample, hasGradient: boolean): SampleCase {
  const graph = new Graph();
  const sizes = new Map(Object.entries(sample.sizes ?? {}));
  const feeds: Record<string, CaseFeed> = {};
  const inputs = sample.inputs.map((input, index) => {
    const { dtype = 'float32', range = [-2, 2] } = input;
    const shape = input.shape.map((size: Dim) => resolveDim(size, sizes));
    const count = shape.reduce((a, b) => a * b, 1);
    const values =
      input.values === undefined ? randomArray(count, index + 1, ...range) : Float64Array.from(input.values);
    feeds[`x${index}`] = { dtype, shape, values };
    return graph.input(`x${index}`, dtype, input.shape);
  });
  const results = [sample.build(inputs, graph)].flat() as Tensor[];
  results.forEach((result, index) => graph.output(`y${index}`, result));
  const wrt = inputs.filter(
    (x, index) => x.dtype === 'float32' && sample.inputs[index]?.differentiable !== false,
  );
  const differentiated = hasGradient && results.every(({ dtype }) => dtype.startsWith('float')) ? wrt : [];
  if (differentiated.length > 0) addGradients(graph, results, differentiated, feeds, sizes);
  return { title: sample.title, graph, feeds, differentiated: differentiated.map((x) => nameOf(graph, x)) };
}

function addGradients(
  graph: Graph,
  results: readonly Tensor[],
  wrt: readonly Tensor[],
  feeds: Record<string, CaseFeed>,
  sizes: ReadonlyMap<string, number>,
): void {
  const parts = results.map((result, index) => {
    const shape = result.shape.map((size) => resolveDim(size, sizes));
    const weights = randomArray(
      shape.reduce((a, b) => a * b, 1),
      97 + index,
    );
    feeds[`w${index}`] = { dtype: result.dtype, shape, values: weights };
    return sum(mul(result, graph.input(`w${index}`, result.dtype, result.shape)));
  });
  const loss = parts.reduce((a, b) => add(a, b));
  graph.output('loss', loss);
  gradient(loss, wrt).forEach((g, index) =>
    graph.output(`gradient_${nameOf(graph, wrt[index] as Tensor)}`, g),
  );
}

function nameOf(graph: Graph, tensor: Tensor): string {
  return [...graph.inputs].find(([, input]) => input === tensor)?.[0] ?? '';
}
