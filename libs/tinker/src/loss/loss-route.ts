/**
 * @file How a loss reaches a server. By name, if it is one of the named losses; as a graph, if the server computes such
 * (loss/trace-loss.ts); else by two passes: a forward pass gives log-probabilities p, here dC/dp is computed, and a loss that
 * is linear in p with those weights has the same gradient. That is exact for any loss that depends on log-probabilities only,
 * and costs one forward pass more.
 */
import { AppError, type Datum, type LossSpec } from '@espalier/contracts';
import { evaluateLoss } from '@espalier/objective';
import type { TracedLoss } from '../wire/traced-loss.js';
import { traceLoss } from './trace-loss.js';

export type LossRoute =
  | { readonly kind: 'named'; readonly loss: NonNullable<LossSpec['named']> }
  | { readonly kind: 'traced'; readonly loss: TracedLoss }
  | { readonly kind: 'linear' };

/** `named`: by name or as a graph where that can be; `linear`: always linearised. */
export type LossPreference = 'named' | 'linear';

/**
 * Chooses the route of a loss.
 *
 * @param takesGraphs whether the server computes losses that are sent as graphs
 * @throws engine.unsupported when its gradient reads the entropy
 */
export function chooseRoute(loss: LossSpec, preference: LossPreference, takesGraphs: boolean): LossRoute {
  refuseEntropy(loss);
  if (preference === 'linear') return { kind: 'linear' };
  if (loss.named !== undefined) return { kind: 'named', loss: loss.named };
  const traced = takesGraphs ? traceLoss(loss) : undefined;
  return traced === undefined ? { kind: 'linear' } : { kind: 'traced', loss: traced };
}

/** Values at which a loss is tried; ratios below, at and above 1, with either sign of the advantage. */
const trials = [-0.9, -0.3, 0, 0.4, 1.2].flatMap((shift) =>
  [-1.5, 2].map((advantage) => ({ shift, advantage })),
);

/** A loss whose gradient reads the entropy of the whole distribution cannot be trained: the API returns no logits. */
function refuseEntropy(loss: LossSpec): void {
  const given: Record<string, readonly number[]> = {
    advantages: trials.map(({ advantage }) => advantage),
    oldLogprobs: trials.map(({ shift }) => -1 - shift),
  };
  const columns = Object.fromEntries(
    loss.columns.map((name) => [name, given[name] ?? trials.map((_, n) => 0.5 + n / 20)]),
  );
  const { gradients } = evaluateLoss(loss, {
    logprobs: trials.map(() => -1),
    entropies: trials.map(() => 1),
    columns,
  });
  if (gradients['entropies']?.every((value) => value === 0) !== false) return;
  throw new AppError(
    'engine.unsupported',
    `engine tinker: the loss "${loss.id}" has an entropy bonus; the Tinker API gives log-probabilities of chosen tokens only, so set algorithm.entropyCoefficient to 0 and leave out algorithm.entropyTarget`,
    { details: { loss: loss.id } },
  );
}

export interface EvaluatedBatch {
  /** Σ weight · loss */
  readonly loss: number;
  /** Σ weight · value */
  readonly metrics: Readonly<Record<string, number>>;
  /** per datum: weight · dC/dlogprob */
  readonly gradients: readonly Float32Array[];
}

/** Evaluates a loss on the log-probabilities of a batch. */
export function evaluateBatch(
  loss: LossSpec,
  data: readonly Datum[],
  logprobs: readonly Float32Array[],
  entropies: readonly Float32Array[],
): EvaluatedBatch {
  const flat = (arrays: readonly ArrayLike<number>[]): number[] =>
    arrays.flatMap((array) => Array.from(array));
  const evaluated = evaluateLoss(loss, {
    logprobs: flat(logprobs),
    entropies: flat(entropies),
    columns: Object.fromEntries(
      loss.columns.map((name) => [name, flat(data.map((one) => one.columns[name] ?? []))]),
    ),
  });
  const weights = flat(data.map((one) => one.weights));
  const weighted = (values: readonly number[]): number =>
    values.reduce((sum, value, n) => sum + value * (weights[n] as number), 0);
  const gradient = evaluated.gradients['logprobs'] ?? [];
  let at = 0;
  return {
    loss: weighted(evaluated.perToken),
    metrics: Object.fromEntries(
      Object.entries(evaluated.metrics).map(([name, values]) => [name, weighted(values)]),
    ),
    gradients: data.map((one) =>
      Float32Array.from(one.weights, (weight) => weight * (gradient[at++] as number)),
    ),
  };
}
