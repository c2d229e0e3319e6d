/**
 * @file The named losses of the Tinker API, as an engine takes them. Values are sums over tokens. Sources: importance_sampling
 * is REINFORCE with the ratio as weight; ppo: Schulman et al. 2017, arXiv:1707.06347, eq. 7; cispo: MiniMax 2025,
 * arXiv:2506.13585, eq. 4 and 5. Differences: none that the API describes; bounds are those of the ratio itself.
 */
import { AppError, type Datum, type LossSpec } from '@espalier/contracts';
import { clip, exp, minimum, mul, neg, stopGradient, sub, type Tensor } from '@espalier/graph';
import { defineLoss } from '@espalier/objective';
import { maskName } from '../loss/wire-data.js';
import type { WireDatum, WireTensor } from '../wire/protobuf.js';

const crossEntropy = defineLoss({
  id: 'tinker/cross_entropy',
  params: {},
  columns: [],
  build: ({ logprobs, entropies }) => ({ perToken: neg(logprobs), metrics: { entropy: entropies } }),
});

const defaults = { lowest: 0.8, highest: 1.2 };

function withRatio(
  name: string,
  bounds: typeof defaults,
  objective: (ratio: Tensor, logprobs: Tensor, advantages: Tensor) => Tensor,
): LossSpec {
  return defineLoss({
    id: `tinker/${name}`,
    params: bounds,
    columns: ['oldLogprobs', 'advantages'],
    build: ({ logprobs, columns: { oldLogprobs, advantages } }) => {
      const ratio = exp(sub(logprobs, oldLogprobs)); // [N]
      return { perToken: neg(objective(ratio, logprobs, advantages)), metrics: {} };
    },
  });
}

const unbounded = { lowest: 0, highest: 0 };

/** Names and the keys of their configurations. */
const configurable: Readonly<Record<string, readonly string[]>> = {
  cross_entropy: [],
  importance_sampling: [],
  ppo: ['clip_low_threshold', 'clip_high_threshold'],
  cispo: ['clip_low_threshold', 'clip_high_threshold'],
};

/** Finds a named loss. @throws engine.unsupported */
export function findLoss(name: string, config: Readonly<Record<string, number>>): LossSpec {
  const keys = configurable[name];
  if (keys === undefined)
    throw new AppError(
      'engine.unsupported',
      `loss "${name}": this server knows ${Object.keys(configurable).join(', ')}`,
    );
  const foreign = Object.keys(config).find((key) => key !== 'temperature' && !keys.includes(key));
  if (foreign !== undefined)
    throw new AppError(
      'engine.unsupported',
      `loss "${name}": it has no option ${foreign}, but ${keys.join(', ') || 'none'}`,
    );
  const bounds = {
    lowest: config['clip_low_threshold'] ?? defaults.lowest,
    highest: config['clip_high_threshold'] ?? defaults.highest,
  };
  if (!(bounds.lowest >= 0 && bounds.highest >= bounds.lowest && bounds.highest < Infinity))
    throw new AppError(
      'engine.invalid_request',
      `loss "${name}": clip thresholds ${bounds.lowest} and ${bounds.highest}; expected 0 ≤ low ≤ high, as bounds of the ratio`,
    );
  if (name === 'cross_entropy') return crossEntropy;
  if (name === 'importance_sampling') return withRatio(name, unbounded, (ratio, _, a) => mul(ratio, a));
  const { lowest, highest } = bounds;
  const clipped = (ratio: Tensor): Tensor => clip(ratio, lowest, highest);
  if (name === 'ppo')
    return withRatio(name, bounds, (ratio, _, a) => minimum(mul(ratio, a), mul(clipped(ratio), a)));
  return withRatio(name, bounds, (ratio, logprobs, a) => mul(mul(stopGradient(clipped(ratio)), a), logprobs));
}

/**
 * Converts a datum of the wire to one of an engine.
 *
 * @throws engine.invalid_request, engine.unsupported
 */
export function toDatum(
  place: string,
  { tokens, inputs }: WireDatum,
  loss: LossSpec,
  temperature: number,
): Datum {
  const targets = inputs['target_tokens'];
  const length = tokens.length;
  if (targets === undefined || length === 0) throw invalid(`${place}: no tokens or no target_tokens`);
  const column = (name: string): WireTensor | undefined => {
    const found = inputs[name];
    if (found !== undefined && found.data.length !== length)
      throw invalid(`${place}: ${found.data.length} ${name} for ${length} tokens`);
    return found;
  };
  column('target_tokens');
  for (let t = 0; t + 1 < length; t += 1)
    if (targets.data[t] !== tokens[t + 1])
      throw new AppError(
        'engine.unsupported',
        `${place}: target ${t} is ${targets.data[t]}, and the token after it ${tokens[t + 1]}; this server predicts each token from those before it, so targets are the tokens shifted by one`,
      );
  const mask = column(maskName);
  const asked = Array.from({ length }, (_, t) => t).filter((t) => mask === undefined || mask.data[t] !== 0);
  const pick = (found: WireTensor | undefined, otherwise: number): Float32Array =>
    Float32Array.from(asked, (t) => found?.data[t] ?? otherwise);
  const required = (name: string): Float32Array => {
    const found = column(name);
    if (found === undefined) throw invalid(`${place}: the loss needs ${name}`);
    return pick(found, 0);
  };
  const all = new Int32Array(length + 1);
  all.set(tokens);
  all[length] = targets.data.at(-1) ?? 0;
  return {
    tokens: all,
    positions: Int32Array.from(asked, (t) => t + 1),
    temperature,
    weights: pick(column('weights'), 1),
    columns:
      loss.columns.length === 0
        ? {}
        : { oldLogprobs: required('logprobs'), advantages: required('advantages') },
  };
}

const invalid = (message: string): AppError => new AppError('engine.invalid_request', message);
