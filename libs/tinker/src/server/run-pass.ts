/** @file Passes over a model that is served. Gradients add up until the optimizer's step, as sums over tokens. */
import {
  AppError,
  type Datum,
  type LossSpec,
  type PolicyEngine,
  type TokenScores,
} from '@espalier/contracts';
import { evaluateLoss } from '@espalier/objective';
import type { WirePass, WirePassResult } from '../wire/protobuf.js';
import type { CustomLoss, EvaluatedLoss } from './custom-loss.js';
import { findLoss, toDatum } from './named-losses.js';

/** Losses that clients of a session have sent, by their ids. */
export type CustomLosses = ReadonlyMap<string, CustomLoss>;

interface Read {
  readonly loss: LossSpec;
  readonly data: readonly Datum[];
}

function readPass({ data, lossFn, lossConfig }: WirePass): Read {
  const config: Record<string, number> = {};
  for (const [name, value] of Object.entries(lossConfig)) {
    if (lossFn === 'custom' && name === 'loss_id') continue;
    if (typeof value === 'string')
      throw new AppError(
        'engine.invalid_request',
        `loss "${lossFn}": ${name} is "${value}"; expected a number`,
      );
    config[name] = value;
  }
  // what a custom loss adds to the model is linear in log-probabilities
  const loss = findLoss(lossFn === 'custom' ? 'cross_entropy' : lossFn, config);
  const temperature = config['temperature'] ?? 1;
  return { loss, data: data.map((datum, i) => toDatum(`datum ${i}`, datum, loss, temperature)) };
}

/** Log-probabilities under the current weights. */
export async function scoreOn(
  { policy }: PolicyEngine,
  pass: WirePass,
  losses: CustomLosses,
): Promise<WirePassResult> {
  const read = readPass(pass);
  const scores = await policy.score(read.data);
  return pass.lossFn === 'custom'
    ? describeCustom(pass, read, scores, evaluateCustom(pass, read, scores, losses))
    : describe(pass, read, scores);
}

/** The same, and gradients are added. */
export async function learnOn(
  engine: PolicyEngine,
  pass: WirePass,
  losses: CustomLosses,
): Promise<WirePassResult> {
  const { policy } = engine;
  const read = readPass(pass);
  if (pass.lossFn !== 'custom') {
    const { scores = [] } = await policy.forwardBackward(read.data, read.loss);
    return describe(pass, read, scores);
  }
  const scores = await policy.score(read.data);
  const evaluated = evaluateCustom(pass, read, scores, losses);
  const linear = read.data.map((datum, i) => ({
    ...datum,
    weights: Float32Array.from(datum.positions, (t) => -(evaluated[i]?.gradient[t - 1] as number)),
  }));
  await policy.forwardBackward(linear, read.loss);
  return describeCustom(pass, read, scores, evaluated);
}

/** The loss of each sequence. @throws engine.invalid_request, engine.not_finite */
function evaluateCustom(
  { data: wire, lossConfig }: WirePass,
  { data }: Read,
  scores: readonly TokenScores[],
  losses: CustomLosses,
): EvaluatedLoss[] {
  const { loss_id: id } = lossConfig;
  const loss = losses.get(String(id));
  if (loss === undefined)
    throw new AppError(
      'engine.invalid_request',
      `loss "custom": loss_id is "${id ?? ''}"; expected the id of a loss that this session created`,
    );
  return data.map(({ positions }, i) => {
    const { tokens, inputs } = wire[i] as WirePass['data'][number];
    const logprobs = scatter(tokens.length, positions, scores[i]?.logprobs ?? []);
    return loss.evaluate(`datum ${i}`, logprobs, inputs);
  });
}

function describeCustom(
  { data: wire }: WirePass,
  { data }: Read,
  scores: readonly TokenScores[],
  evaluated: readonly EvaluatedLoss[],
): WirePassResult {
  const metrics: Record<string, number> = { 'loss:sum': evaluated.reduce((sum, { loss }) => sum + loss, 0) };
  for (const { metrics: own } of evaluated)
    for (const [name, value] of Object.entries(own))
      metrics[name] = (metrics[name] ?? 0) + value / (name.endsWith(':mean') ? evaluated.length : 1);
  const outputs = data.map(({ positions }, i) => {
    const length = wire[i]?.tokens.length ?? 0;
    const { logprobs = [], entropies = [] } = scores[i] ?? {};
    return {
      logprobs: scatter(length, positions, logprobs),
      entropies: scatter(length, positions, entropies),
    };
  });
  return { outputs, metrics };
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
