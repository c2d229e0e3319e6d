/** @file Passes over a model that is served. Gradients add up until the optimizer's step, as sums over tokens. */
import type { Datum, LossSpec, PolicyEngine, TokenScores } from '@espalier/contracts';
import { evaluateLoss } from '@espalier/objective';
import type { WirePass, WirePassResult } from '../wire/protobuf.js';
import { findLoss, toDatum } from './named-losses.js';

interface Read {
  readonly loss: LossSpec;
  readonly data: readonly Datum[];
}

function readPass({ data, lossFn, lossConfig }: WirePass): Read {
  const loss = findLoss(lossFn, lossConfig);
  const temperature = lossConfig['temperature'] ?? 1;
  return { loss, data: data.map((datum, i) => toDatum(`datum ${i}`, datum, loss, temperature)) };
}

/** Log-probabilities under the current weights. */
export async function scoreOn({ policy }: PolicyEngine, pass: WirePass): Promise<WirePassResult> {
  const read = readPass(pass);
  return describe(pass, read, await policy.score(read.data));
}

/** The same, and gradients are added. */
export async function learnOn({ policy }: PolicyEngine, pass: WirePass): Promise<WirePassResult> {
  const read = readPass(pass);
  const { scores = [] } = await policy.forwardBackward(read.data, read.loss);
  return describe(pass, read, scores);
}

function describe(pass: WirePass, { loss, data }: Read, scores: readonly TokenScores[]): WirePassResult {
  let total = 0;
  const outputs = data.map(({ positions, weights, columns }, i) => {
    const { logprobs = new Float32Array(), entropies = new Float32Array() } = scores[i] ?? {};
    const length = pass.data[i]?.tokens.length ?? 0;
    const { perToken } = evaluateLoss(loss, {
      logprobs: [...logprobs],
      entropies: [...entropies],
      columns: Object.fromEntries(loss.columns.map((name) => [name, [...(columns[name] ?? [])]])),
    });
    const losses = perToken.map((value, n) => value * (weights[n] as number));
    total += losses.reduce((sum, value) => sum + value, 0);
    return {
      logprobs: scatter(length, positions, logprobs),
      elementwise_loss: scatter(length, positions, losses),
      entropies: scatter(length, positions, entropies),
    };
  });
  return { outputs, metrics: { 'loss:sum': total } };
}

function scatter(length: number, positions: Int32Array, values: ArrayLike<number>): Float32Array {
  const all = new Float32Array(length);
  positions.forEach((t, n) => (all[t - 1] = values[n] as number));
  return all;
}
