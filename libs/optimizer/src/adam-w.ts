/**
 * @file AdamW as a graph over a flat segment of parameters: the update is the same for every entry, so one graph with a
 * named size serves all parameters of all models, in segments that fit the cache. Outputs may alias their inputs.
 * Loshchilov & Hutter 2019, arXiv:1711.05101, algorithm 2; bias correction as in Kingma & Ba 2015, arXiv:1412.6980.
 */
import { add, div, Graph, mul, sqrt, sub, type Tensor } from '@espalier/graph';

/** The scalars of one update, the same for every parameter. */
export interface AdamWScalars {
  /** scales all gradients, from clipping */
  readonly gradient_scale: number;
  readonly beta1: number;
  readonly one_minus_beta1: number;
  readonly beta2: number;
  readonly one_minus_beta2: number;
  /** 1 − learning rate · decay */
  readonly keep: number;
  /** learning rate / (1 − beta1^t) */
  readonly step_size: number;
  /** 1 / √(1 − beta2^t) */
  readonly root_correction: number;
  readonly epsilon: number;
}

const scalarNames: readonly (keyof AdamWScalars)[] = [
  'gradient_scale',
  'beta1',
  'one_minus_beta1',
  'beta2',
  'one_minus_beta2',
  'keep',
  'step_size',
  'root_correction',
  'epsilon',
];

/**
 * Computes the scalars of an update.
 *
 * @param step 1 for the first update
 */
export function resolveAdamWScalars(
  options: {
    readonly learningRate: number;
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
  },
  step: number,
  gradientScale: number,
): AdamWScalars {
  const { learningRate, beta1, beta2, epsilon, weightDecay } = options;
  return {
    gradient_scale: gradientScale,
    beta1,
    one_minus_beta1: 1 - beta1,
    beta2,
    one_minus_beta2: 1 - beta2,
    keep: 1 - learningRate * weightDecay,
    step_size: learningRate / (1 - beta1 ** step),
    root_correction: 1 / Math.sqrt(1 - beta2 ** step),
    epsilon,
  };
}

/**
 * Builds the update graph.
 *
 * Inputs `weight`, `gradient`, `first_moment`, `second_moment` [n] and the scalars []; outputs `next_weight`,
 * `next_first_moment`, `next_second_moment` [n].
 */
export function buildAdamWGraph(): Graph {
  const graph = new Graph();
  const column = (name: string): Tensor => graph.input(name, 'float32', ['n']);
  const [weight, gradient, m, v] = ['weight', 'gradient', 'first_moment', 'second_moment'].map(column) as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ];
  const scalars = Object.fromEntries(scalarNames.map((name) => [name, graph.input(name, 'float32', [])]));
  const of = (name: keyof AdamWScalars): Tensor => scalars[name] as Tensor;
  const scaled = mul(gradient, of('gradient_scale'));
  const first = add(mul(m, of('beta1')), mul(scaled, of('one_minus_beta1')));
  const second = add(mul(v, of('beta2')), mul(mul(scaled, scaled), of('one_minus_beta2')));
  const denominator = add(mul(sqrt(second), of('root_correction')), of('epsilon'));
  graph.output('next_weight', sub(mul(weight, of('keep')), mul(of('step_size'), div(first, denominator))));
  graph.output('next_first_moment', first);
  graph.output('next_second_moment', second);
  return graph;
}
