/**
 * @file Kept trajectories as data for the engine: the loss tokens, their weights, the columns a loss may read. A loss
 * token is a sampled one: position t is scored from the tokens before it; its old log-probability is the one at sampling.
 */
import {
  AppError,
  type Datum,
  type LossSpec,
  type RunSpec,
  type ScoreRequest,
  type Trajectory,
} from '@espalier/contracts';
import { estimateTokenWeights } from '@espalier/objective';

type LossMaskSpec = RunSpec['update']['lossMask'];
type Aggregation = RunSpec['update']['lossAggregation'];

/** A trajectory with the columns of its n loss tokens. */
export interface TrainingExample {
  readonly trajectory: Trajectory;
  /** loss token positions, ascending */
  readonly positions: Int32Array; // [n]
  /** by name: oldLogprobs, advantages; oldValues, returns with a critic; referenceLogprobs with a reference */
  readonly columns: Readonly<Record<string, Float32Array>>; // each [n]
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

/** Builds the score request for a trajectory's loss tokens, at its sampling temperature. */
export function scoreRequestOf(
  trajectory: Trajectory,
  positions: Int32Array,
  temperature: number,
): ScoreRequest {
  return { tokens: trajectory.tokens, positions, temperature };
}

/**
 * Builds the data of one mini-batch.
 *
 * @throws trainer.missing_column when the loss reads a column these examples lack
 */
export function buildMiniBatch(
  examples: readonly TrainingExample[],
  loss: LossSpec,
  options: { readonly aggregation: Aggregation; readonly temperature: number },
): Datum[] {
  const weights = estimateTokenWeights(
    examples.map((example) => example.positions.length),
    options.aggregation,
  );
  return examples.map((example, index) => ({
    ...scoreRequestOf(example.trajectory, example.positions, options.temperature),
    weights: weights[index] ?? new Float32Array(), // [n]
    columns: Object.fromEntries(loss.columns.map((name) => [name, columnOf(example, name, loss)])),
  }));
}

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
