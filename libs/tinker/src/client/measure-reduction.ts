/**
 * @file Measures how a server makes one number of the losses of tokens, which its answers do not say but its gradients do: on
 * a model of its own, the norms of four gradients are compared, and nothing is trained (the learning rate is 0).
 */
import { AppError } from '@espalier/contracts';
import type { WireDatum } from '../wire/protobuf.js';
import type { Reduction } from '../loss/wire-data.js';
import type { RemoteModel } from './remote-model.js';

const still = {
  learningRate: 0,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: Infinity,
};

/** The norm of a gradient among the metrics of a step, whatever a server calls it. */
export function gradientNormOf(metrics: Readonly<Record<string, number>>): number | undefined {
  return Object.entries(metrics).find(([name]) => /grad(?:ient)?_?norm/.test(name))?.[1];
}

function datum(tokens: readonly number[], weight: number): WireDatum {
  const weights = new Float32Array(tokens.length - 1);
  weights[0] = weight;
  return {
    tokens: Int32Array.from(tokens.slice(0, -1)),
    inputs: {
      target_tokens: { dtype: 'int64', data: Int32Array.from(tokens.slice(1)) },
      weights: { dtype: 'float32', data: weights },
    },
  };
}

/**
 * Measures the reduction.
 *
 * @throws engine.unsupported when it is none that is known, or the server reports no norms
 */
export async function measureReduction(scratch: RemoteModel): Promise<Reduction> {
  const normOf = async (data: readonly WireDatum[]): Promise<number | undefined> => {
    await scratch.forwardBackward({ data, lossFn: 'cross_entropy', lossConfig: {} });
    return gradientNormOf(await scratch.step(still));
  };
  const short = [1, 2];
  const one = await normOf([datum(short, 1)]);
  if (one === undefined || !(one > 0))
    throw new AppError(
      'engine.unsupported',
      `measure the loss of the server: it reports ${one === undefined ? 'no norm of the gradient' : `the norm ${one}`}, so how it weighs losses cannot be seen; if it adds them up, as the Tinker API defines it, set engine.reduction: sum`,
    );
  const ratio = async (data: readonly WireDatum[]): Promise<number> =>
    ((await normOf(data)) ?? Number.NaN) / one;
  const twice = await ratio([datum(short, 1), datum(short, 1)]);
  const heavy = await ratio([datum(short, 2)]);
  const long = await ratio([datum([...short, 3, 1, 2, 3, 1, 2], 1)]);
  const data = oneOf('two equal sequences', twice, { 2: 'sum', 1: 'mean' });
  const weights = oneOf('a weight of 2', heavy, { 2: 'sum', 1: 'mean' });
  const positions = oneOf('a sequence of 7 tokens', long, { 1: 'sum', [1 / 7]: 'mean' });
  return { data, tokens: weights === 'mean' || positions === 'mean' ? 'mean' : 'sum' };
}

function oneOf(what: string, found: number, known: Readonly<Record<number, 'sum' | 'mean'>>): 'sum' | 'mean' {
  for (const [ratio, name] of Object.entries(known))
    if (Math.abs(found / Number(ratio) - 1) < 0.02) return name;
  throw new AppError(
    'engine.unsupported',
    `measure the loss of the server: ${what} changed the norm of the gradient by the factor ${found}, expected ${Object.keys(known).join(' or ')}; how it weighs losses is not known, so nothing can be trained on it`,
  );
}
