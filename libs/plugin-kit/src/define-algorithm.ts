import type { LossSpec } from '@espalier/contracts';
import type { CreditedTrajectory, LossAggregation } from '@espalier/objective';
import type { RandomStream } from '@espalier/random';
import { type Definition, kitVersion } from './definition.js';

/** A group as input of the filter. */
export interface GroupScores {
  readonly group: number;
  /** raw total of each trajectory */
  readonly totals: readonly number[];
}

export interface Selection {
  /** indices into the given groups, ascending */
  readonly kept: readonly number[];
  /** one short code per given group: `kept`, or why not, e.g. `low-variance` */
  readonly reasons: readonly string[];
  /** what decided, per given group, e.g. its deviation; stored with the trajectories of dropped groups */
  readonly numbers?: readonly Readonly<Record<string, number>>[];
}

/** A group that was learned from and may be again, as input of replay. */
export interface HeldGroup {
  /** raw total of each trajectory */
  readonly totals: readonly number[];
  /** whether each trajectory reached the goal */
  readonly successes: readonly boolean[];
  /** of its environment, in a run in several */
  readonly tag?: string;
  /** factor of its advantages, from the run's filter */
  readonly weight: number;
  /** optimizer steps of the policy since it was sampled */
  readonly age: number;
}

/** The bound of a replay's answer, and its randomness. */
interface ReplayContext {
  /** most groups that may be named */
  readonly limit: number;
  /** seeded by the run and the step: the same after a resume */
  readonly stream: RandomStream;
}

/** A trajectory as input of credit assignment; `group` is its index among the kept groups. */
export type CreditTrajectory = CreditedTrajectory;

export interface Credit {
  /** per trajectory; only loss positions are used */
  readonly advantages: readonly Float64Array[]; // each [T]
  /** targets of the critic, before whitening; only with a critic */
  readonly returns?: readonly Float64Array[]; // each [T]
  /** what was taken for the values, where several critics were combined; the explained variance is theirs */
  readonly values?: readonly Float64Array[]; // each [T]
  /** values to report, by full metric name: `credit/…`, `critic/…` */
  readonly metrics?: Readonly<Record<string, number>>;
  /** numbers of the memory that these trajectories changed; the others stay as they were */
  readonly memory?: AlgorithmMemory;
}

/** The loss tokens of one sequence of a mini-batch, before an optimizer step. */
export interface StepSequence {
  /** under the weights that the step starts from, nats */
  readonly logprobs: Float32Array; // [n]
  /** nats */
  readonly entropies: Float32Array; // [n]
  /**
   * oldLogprobs, advantages and, with `needs.reference`, referenceLogprobs; with `update.topEntropyShare` below 1 also `counted`,
   * 0 for tokens whose advantage is left out
   */
  readonly columns: Readonly<Record<string, Float32Array>>; // each [n]
}

/** Numbers that an algorithm keeps between iterations. */
export type AlgorithmMemory = Readonly<Record<string, number>>;

interface AlgorithmNeeds {
  readonly critic: boolean;
  /** with `critic`: how many of them are trained, 1 or more; each has the value loss, and `criticValues` has what each says; default 1 */
  readonly critics?: number;
  /** a frozen copy of the starting policy, for a KL term */
  readonly reference: boolean;
  /**
   * one more trajectory of each group, sampled greedily by the same policy from the same state; credit reads its total as
   * `greedyTotal`. Default: false
   */
  readonly greedyBaseline?: boolean;
  /**
   * turns are compared by what each earned: a run with `update.rewardNormalization`, which takes the mean of totals off the last
   * turn, is refused. Default: false
   */
  readonly turnRewards?: boolean;
  /** earlier groups to learn from: a run without `update.replay` is refused. Default: false */
  readonly replay?: boolean;
}

/** The run settings that determine which options have no effect. */
export interface AlgorithmContext {
  /**
   * optimizer steps per rollout; 1: every ratio is 1, so nothing is clipped. At least 2 where ratios differ from 1 in the first
   * step already, as with replay, dropout, or a sampler in another precision that is not corrected for
   */
  readonly optimizerStepsPerStep: number;
  /** the same of the critic; default: as many */
  readonly criticStepsPerStep?: number;
}

/**
 * Defines an algorithm: which groups to keep, how to assign credit, the loss.
 * A policy loss can read the columns oldLogprobs, advantages, those of `stepColumns` and `startMemory` and, with
 * `needs.reference`, referenceLogprobs; a value loss can read oldValues and returns.
 */
export interface AlgorithmDefinition<Params> extends Definition<'algorithm', Params> {
  /** paper and equation, where it has one */
  readonly source?: string;
  readonly needs: (params: Params) => AlgorithmNeeds;
  /** smallest supported group size; default 1 */
  readonly minGroupSize?: (params: Params) => number;
  /** names of options without effect under these params and in this context, for the plan */
  readonly inert?: (params: Params, context: AlgorithmContext) => readonly string[];
  /** share of groups kept, for the plan; 1 without a filter */
  readonly keptShare: (params: Params) => number;
  /**
   * names of the options that `select`, `keptShare` and `resample` read; in a run with several environments each may
   * have its own
   */
  readonly selectOptions?: readonly string[];
  /**
   * how often dropped groups are replaced by new ones where `rollout.resample` is not set; default 0. Only for a `select`
   * that decides about each group on its own
   */
  readonly resample?: (params: Params) => number;
  /** how losses of tokens become one number where `update.lossAggregation` is not set; default token-mean */
  readonly lossAggregation?: LossAggregation;
  readonly select: (groups: readonly GroupScores[], params: Params) => Selection;
  readonly advantages: (
    trajectories: readonly CreditTrajectory[],
    params: Params,
    /** given in a run */
    memory?: AlgorithmMemory,
  ) => Credit;
  /**
   * Which earlier groups join an update; asked before each, where the run has `update.replay`. None of those given is older
   * than `update.replay.maxAge`. In a run where tags have their own algorithms, that of the run is asked about all groups.
   * Default: `limit` of them, each as likely as any other.
   *
   * @param held oldest first
   * @returns indices into `held`, each once, at most `limit` (`update.replay.groups`), in any order
   */
  readonly drawReplay?: (
    held: readonly HeldGroup[],
    params: Params,
    context: ReplayContext,
  ) => readonly number[];
  /**
   * Which groups are held after an update, of those that were and the new ones; asked after each, where the run has
   * `update.replay`. Default: the newest.
   *
   * @param groups oldest first; ages are those after the update
   * @returns indices into `groups`, each once, at most `limit` (`update.replay.capacity`), in any order
   */
  readonly holdReplay?: (
    groups: readonly HeldGroup[],
    params: Params,
    context: ReplayContext,
  ) => readonly number[];
  readonly policyLoss: (params: Params) => LossSpec;
  /**
   * Columns of the policy loss that depend on the policy before each optimizer step: ratios of whole sequences,
   * quantiles over a mini-batch. Asked before each step, for the whole mini-batch; after the first step of an
   * iteration this costs a forward pass.
   *
   * @returns per sequence the same names, or replacements of given columns; each [n]
   */
  readonly stepColumns?: (
    sequences: readonly StepSequence[],
    params: Params,
  ) => readonly Readonly<Record<string, ArrayLike<number>>>[];
  readonly valueLoss?: (params: Params) => LossSpec;
  /**
   * Numbers that are kept between iterations, saved and resumed: `advantages` is given them and may change them, and a policy
   * loss can list their names as columns, of which every token then has the number. Names are letters and digits; a number of
   * each environment is `<name>/<tag>`. Each is reported as `algorithm/<name>`.
   *
   * @param tags of the environments that the run trains in; one, empty, in a run in one environment
   */
  readonly startMemory?: (params: Params, tags: readonly string[]) => AlgorithmMemory;
  /** The same numbers after an iteration, whose metrics are given by name; default: as credit left them. */
  readonly nextMemory?: (
    memory: AlgorithmMemory,
    metrics: Readonly<Record<string, number>>,
    params: Params,
  ) => AlgorithmMemory;
}

/** Declares an algorithm. */
export function defineAlgorithm<Params>(
  definition: Omit<AlgorithmDefinition<Params>, 'kind' | 'kit'> & { readonly kit?: string },
): AlgorithmDefinition<Params> {
  return { kit: `^${kitVersion}`, ...definition, kind: 'algorithm' };
}
