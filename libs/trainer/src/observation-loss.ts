/**
 * @file The loss on observation tokens (ECHO): beside the policy loss, the policy learns to predict what the environment
 * shows. L = L_policy + λ · mean over observation tokens of −log π(token), with a mean of its own, in the same forward and
 * backward pass.
 *
 * @see arXiv:2605.24517. Here π is the policy as it samples, at `rollout.temperature`, and the first observation counts too,
 * since some episodes have no other.
 */
import { defineMetric, type TokenScores, type Trajectory } from '@espalier/contracts';
import { OBSERVED } from '@espalier/objective';
import { cutWindows } from '@espalier/rollout';
import { joinByTrajectory, joinScores, type Scored, type TrainingExample } from './batch.js';

export const OBSERVATION_NLL = defineMetric({
  name: 'policy/observation_nll',
  unit: 'nats',
  formula:
    "mean over the iteration's mini-batches of -logprob, averaged over all observation tokens of the mini-batch; with update.observationLoss",
});

/** Lists the positions of observation tokens, ascending; the first token of a window is predicted by nothing. */
function listObservationPositions({
  spans,
  windows = [],
}: Pick<Trajectory, 'spans' | 'windows'>): Int32Array {
  const starts = new Set([0, ...windows.map(({ start }) => start)]);
  const positions: number[] = [];
  for (const { kind, start, end } of spans)
    if (kind === 'observation') for (let t = start; t < end; t += 1) if (!starts.has(t)) positions.push(t);
  return Int32Array.from(positions).sort((a, b) => a - b);
}

/** Counts the observation tokens of a mini-batch. */
export const countObservations = (examples: readonly TrainingExample[]): number =>
  examples.reduce((sum, { trajectory }) => sum + listObservationPositions(trajectory).length, 0);

/** The tokens of the policy loss and the observation tokens, ascending. */
export const withObservationPositions = ({ trajectory, positions }: TrainingExample): Scored => ({
  trajectory,
  positions: Int32Array.from([...positions, ...listObservationPositions(trajectory)]).sort((a, b) => a - b),
});

/** An example and the weights of its tokens. */
export interface Weighed {
  readonly example: TrainingExample;
  readonly weights: Float32Array; // [n]
}

/** Adds the observation tokens to the tokens of an example, each with one weight; other columns are 0 there. */
export function addObservations({ example, weights }: Weighed, weight: number): Weighed {
  const { positions } = withObservationPositions(example);
  const isOwn = new Set(example.positions);
  const spread = (values: Float32Array, otherwise: number): Float32Array => {
    let at = 0;
    return Float32Array.from(positions, (t) => (isOwn.has(t) ? (values[at++] ?? Number.NaN) : otherwise));
  };
  const columns = Object.entries(example.columns).map(([name, values]) => [name, spread(values, 0)] as const);
  return {
    example: {
      ...example,
      positions,
      columns: {
        ...Object.fromEntries(columns),
        [OBSERVED]: Float32Array.from(positions, (t) => Number(!isOwn.has(t))),
      },
    },
    weights: spread(weights, weight),
  };
}

/** Parts what a pass scored into the tokens of the policy loss, window by window as without observations, and the sum over observations. */
export function partScores(
  examples: readonly TrainingExample[],
  scores: readonly TokenScores[],
): { readonly scores: TokenScores[]; readonly nll: number } {
  let nll = 0;
  const joined = joinByTrajectory(examples, scores, joinScores);
  const own = examples.flatMap(({ trajectory, positions, columns }, index) => {
    const { logprobs, entropies } = joined[index]!;
    const observed = columns[OBSERVED]!;
    const isOwn = (_: unknown, n: number): boolean => observed[n] === 0;
    logprobs.forEach((value, n) => (nll -= observed[n] === 1 ? value : 0));
    const kept = { logprobs: logprobs.filter(isOwn), entropies: entropies.filter(isOwn) };
    return cutWindows(trajectory, positions.filter(isOwn)).map(({ from, to }) => ({
      logprobs: kept.logprobs.slice(from, to),
      entropies: kept.entropies.slice(from, to),
    }));
  });
  return { scores: own, nll };
}
