import type { LossSpec } from '@espalier/contracts';
import type { CreditedTrajectory } from '@espalier/objective';
import { type Definition, kitVersion } from './definition.js';

/** A group as the filter sees it: raw totals only. */
export interface GroupScores {
  readonly group: number;
  /** raw totals of the members */
  readonly totals: readonly number[];
}

export interface Selection {
  /** indices into the given groups, ascending */
  readonly kept: readonly number[];
  /** one short reason per given group, e.g. `kept`, `low variance` */
  readonly reasons: readonly string[];
}

/** One kept trajectory as the credit assignment sees it; `group` is its index among the kept groups. */
export type CreditTrajectory = CreditedTrajectory;

export interface Credit {
  /** per trajectory; only loss positions matter */
  readonly advantages: readonly Float64Array[]; // each [T]
  /** targets of the critic, before whitening; present when there is a critic */
  readonly returns?: readonly Float64Array[]; // each [T]
  /** numbers to chart, by full metric name: `credit/…`, `critic/…` */
  readonly metrics?: Readonly<Record<string, number>>;
}

interface AlgorithmNeeds {
  readonly critic: boolean;
  /** a frozen copy of the starting policy, for a KL term */
  readonly reference: boolean;
}

/** What an algorithm is told about the run when it names options without effect. */
export interface AlgorithmContext {
  /** optimizer steps over one rollout set; in a first step every ratio is 1, so nothing is clipped */
  readonly optimizerStepsPerStep: number;
}

/**
 * Plain data: which groups to keep, how credit is given, the loss.
 * Columns a policy loss may read: oldLogprobs, advantages, referenceLogprobs (when `needs.reference`);
 * a value loss: oldValues, returns.
 */
export interface AlgorithmDefinition<Params> extends Definition<'algorithm', Params> {
  /** paper and equation */
  readonly source: string;
  readonly needs: (params: Params) => AlgorithmNeeds;
  /** fewest attempts per group, for an algorithm that compares them; 1 when absent */
  readonly minGroupSize?: (params: Params) => number;
  /** names of options that change nothing under these params and in such a run, for the plan */
  readonly inert?: (params: Params, context: AlgorithmContext) => readonly string[];
  /** share of groups kept, for planning; 1 when it does not filter */
  readonly keptShare: (params: Params) => number;
  readonly select: (groups: readonly GroupScores[], params: Params) => Selection;
  readonly advantages: (trajectories: readonly CreditTrajectory[], params: Params) => Credit;
  readonly policyLoss: (params: Params) => LossSpec;
  readonly valueLoss?: (params: Params) => LossSpec;
}

/** Declares an algorithm. */
export function defineAlgorithm<Params>(
  definition: Omit<AlgorithmDefinition<Params>, 'kind' | 'kit'> & { readonly kit?: string },
): AlgorithmDefinition<Params> {
  return { kit: `^${kitVersion}`, ...definition, kind: 'algorithm' };
}
