/**
 * @file Kept trajectories as data for the engine: the loss tokens, their weights, the columns a loss may read. A loss
 * token is a sampled one: position t is scored from the tokens before it in its window, as it was sampled; its old
 * log-probability is the one at sampling, or the trainer's own where the sampler is corrected for. Weights and columns are those of the whole trajectory, whatever its windows.
 */
import {
  AppError,
  type Datum,
  type LossSpec,
  type RunSpec,
  type ScoreRequest,
  type TokenScores,
  type Trajectory,
} from '@espalier/contracts';
import { estimateTokenWeights } from '@espalier/objective';
import { cutWindows } from '@espalier/rollout';

type LossMaskSpec = RunSpec['update']['lossMask'];
type Aggregation = RunSpec['update']['lossAggregation'];

/** A trajectory with the columns of its n loss tokens. */
export interface TrainingExample {
  readonly trajectory: Trajectory;
  /** loss token positions, ascending */
  readonly positions: Int32Array; // [n]
  /**
   * by name: oldLogprobs, advantages; oldValues, returns with a critic; referenceLogprobs with a reference; oldEntropies,
   * samplerWeights where the sampler is corrected for; counted where some advantages are left out
   */
  readonly columns: Readonly<Record<string, Float32Array>>; // each [n]
  /** optimizer steps of the policy between sampling and this iteration's update; default: 0 */
  readonly lag?: number;
}

/** Lists the token positions in the loss: sampled spans whose kind the mask includes. */
export function listLossPositions(trajectory: Trajectory, mask: LossMaskSpec): Int32Array {
  const positions: number[] = [];
  for (const span of trajectory.spans) {
    const isInLoss = span.kind !== 'template' && span.kind !== 'observation' && mask[span.kind];
    if (!isInLoss) continue;
    for (let t = Math.max(1, span.start); t < span.end; t += 1) positions.push(t);
  }
  return Int32Array.from(positions).sort((a, b) => a - b);
}

/** Reads the entries of a token-aligned array at some positions. */
export function pick(values: ArrayLike<number>, positions: Int32Array): Float32Array {
  return Float32Array.from(positions, (t) => values[t] ?? Number.NaN); // [n]
}

/** Loss tokens of a trajectory. */
export type Scored = Pick<TrainingExample, 'trajectory' | 'positions'>;

/** Asks a model about loss tokens at their sampling temperature, window by window; one answer per trajectory. */
export async function askByWindow<Answer>(
  scored: readonly Scored[],
  temperature: number,
  ask: (requests: readonly ScoreRequest[]) => Promise<readonly Answer[]>,
  join: (parts: readonly Answer[]) => Answer,
): Promise<Answer[]> {
  const requests = scored.flatMap(({ trajectory, positions }) =>
    cutWindows(trajectory, positions).map((part) => ({
      tokens: part.tokens,
      positions: part.positions,
      temperature,
    })),
  );
  return joinByTrajectory(scored, await ask(requests), join);
}

/** Joins the answers for the windows of each trajectory. */
export function joinByTrajectory<Answer>(
  scored: readonly Scored[],
  answers: readonly Answer[],
  join: (parts: readonly Answer[]) => Answer,
): Answer[] {
  let at = 0;
  return scored.map(({ trajectory, positions }) =>
    join(answers.slice(at, (at += cutWindows(trajectory, positions).length))),
  );
}

/** Joins numbers of windows. */
export function joinColumns(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Joins scores of windows. */
export const joinScores = (parts: readonly TokenScores[]): TokenScores => ({
  logprobs: joinColumns(parts.map(({ logprobs }) => logprobs)),
  entropies: joinColumns(parts.map(({ entropies }) => entropies)),
});

/**
 * Weighs the loss tokens of one mini-batch.
 *
 * @param factor name of a column that the weights are multiplied by, where an example has it
 */
export function weighTokens(
  examples: readonly TrainingExample[],
  update: { readonly lossAggregation: Aggregation; readonly lossConstant?: number | undefined },
  factor?: string,
): Float32Array[] {
  const counts = examples.map(({ positions }) => positions.length);
  const weights = estimateTokenWeights(counts, update.lossAggregation, update.lossConstant);
  return weights.map((own, index) => {
    const factors = factor === undefined ? undefined : examples[index]?.columns[factor];
    return factors === undefined ? own : own.map((weight, n) => weight * (factors[n] ?? 1)); // [n]
  });
}

/**
 * Builds the data of one mini-batch: one datum for each window with loss tokens, in order.
 *
 * @throws trainer.missing_column when the loss reads a column these examples lack
 */
export function buildMiniBatch(
  examples: readonly TrainingExample[],
  loss: LossSpec,
  {
    temperature,
    weights,
  }: {
    readonly temperature: number;
    /** of each example's tokens */
    readonly weights: readonly Float32Array[];
  },
): Datum[] {
  return examples.flatMap((example, index) => {
    const { trajectory, positions } = example;
    const own = weights[index] ?? new Float32Array(); // [n]
    const columns = loss.columns.map((name) => [name, columnOf(example, name, loss)] as const);
    return cutWindows(trajectory, positions).map((part): Datum => ({
      tokens: part.tokens,
      positions: part.positions,
      temperature,
      weights: own.slice(part.from, part.to),
      columns: Object.fromEntries(columns.map(([name, all]) => [name, all.slice(part.from, part.to)])),
    }));
  });
}

/** What a mini-batch asks of the model, whatever its loss. */
export const requestsOf = (examples: readonly Scored[]): ScoreRequest[] =>
  examples.flatMap(({ trajectory, positions }) => cutWindows(trajectory, positions));

function columnOf(example: TrainingExample, name: string, loss: LossSpec): Float32Array {
  const column = example.columns[name];
  if (column !== undefined) return column;
  const known = Object.keys(example.columns).sort().join(', ');
  throw new AppError(
    'trainer.missing_column',
    `build mini-batch: loss "${loss.id}" reads column "${name}", available: ${known}; ` +
      "declare it in the algorithm's `needs` (critic, reference)",
  );
}
