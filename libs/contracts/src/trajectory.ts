/**
 * @file The record of one episode, complete enough for viewers and losses.
 * Token-aligned arrays have the length of `tokens`; positions that were not sampled hold 0. Only the spans say which
 * positions were sampled, never the values.
 */

import type { LabelRecord } from './failure-labels.js';

/** The kind of a range of tokens. `update.lossMask` selects the kinds that enter the loss. */
export type SpanKind =
  /** chat markup, headings, the forced opening tag: written by the prompt format */
  | 'template'
  /** text from the environment: state, reward */
  | 'observation'
  /** sampled tokens up to and including the closing think tag */
  | 'think'
  /** sampled tokens of the answer, its tags included */
  | 'answer'
  /** sampled end-of-turn token */
  | 'control';

/** Token range `[start, end)` of one kind within one turn; turn 0 includes the system prompt. */
export interface Span {
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
  readonly turn: number;
}

/** A part of the tokens that the model saw as a sequence of its own: prompts of some turns, and their replies. */
interface TokenWindow {
  /** first token; the window reaches to the next one's */
  readonly start: number;
  /** the oldest turn in its prompts, from 0 */
  readonly firstTurn: number;
}

/** Why an episode ended. */
export const stopReasons = {
  success: 'the environment ended and reports success',
  failure: 'the environment ended without success',
  actions: 'the episode reached its maximum number of actions',
  turns: 'the episode reached its maximum number of turns',
  context: 'the next turn would exceed the context length',
  error: 'the environment, a reward or the engine failed; never enters a batch',
  timeout: 'a call exceeded its time limit; never enters a batch',
  cancelled: 'the run stopped during the episode; never enters a batch',
} as const;
export type StopReason = keyof typeof stopReasons;

/** Why the engine stopped sampling a turn. */
export type SampleStop = 'stop' | 'length' | 'context';

/** One action and its outcome in the environment. */
export interface ActionRecord {
  readonly text: string;
  /** legal in this environment */
  readonly valid: boolean;
  /** it changed the state */
  readonly effective: boolean;
  /** chance changed what it does; absent: the environment does not tell */
  readonly slipped?: boolean;
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface Turn {
  /** from 0 */
  readonly index: number;
  /** the text of the state as shown to the model */
  readonly observation: string;
  /** equal for equal states */
  readonly stateKey: string;
  /** text picture for people, if the environment has one */
  readonly render: string;
  /** picture of the state before the actions, as base64 of PNG bytes; absent: not recorded (`rollout.images`) */
  readonly image?: string;
  /** machine-checkable facts about the state before the actions */
  readonly facts: Readonly<Record<string, unknown>>;
  /** actions from this state to success, by the environment's oracle; empty: none; absent: not recorded */
  readonly plan?: readonly string[];
  /** the model's text, forced opening tag included */
  readonly response: string;
  readonly think: string;
  readonly answer: string;
  /** the response has the required format (`rollout.format`) */
  readonly formatValid: boolean;
  /** parts of the answer, before lookup and truncation */
  readonly parsedActions: readonly string[];
  /** actions that reached the environment */
  readonly actions: readonly ActionRecord[];
  /** sum of the environment's rewards over the actions */
  readonly reward: number;
  /** negative when the format is invalid or the answer names no action or an unknown one, else 0; not part of `reward` */
  readonly formatPenalty: number;
  readonly sampleStop: SampleStop;
  /** sampled tokens `[start, end)` */
  readonly sampled: { readonly start: number; readonly end: number };
  /** optimizer steps of the weights that sampled it; absent: not known, as another program sampled it */
  readonly policyVersion?: number;
  readonly timings: { readonly sampleMs: number; readonly environmentMs: number };
}

/** Tokens `[start, end)` that earned or lost a part of their turn's reward. */
interface EvidenceRecord {
  /** key of the reward in the score */
  readonly reward: string;
  readonly turn: number;
  readonly start: number;
  readonly end: number;
  /** unweighted; the part of the turn's reward that these tokens share evenly */
  readonly value: number;
  /** why, for people */
  readonly note: string;
}

/** The score of an episode; nothing downstream changes it. */
export interface ScoreRecord {
  /** sum of turn rewards */
  readonly environment: number;
  /** sum of format penalties, ≤ 0 */
  readonly formatPenalty: number;
  /** unweighted value and weight of each reward plugin */
  readonly rewards: Readonly<Record<string, { readonly value: number; readonly weight: number }>>;
  /** weighted reward of each turn; credit assignment places it at the end of the turn, but for its evidence; sums to `total` */
  readonly perTurn: readonly number[];
  /** which tokens earned or lost what of `perTurn`; absent: no reward says */
  readonly evidence?: readonly EvidenceRecord[];
  /** Σ weight · value over reward plugins */
  readonly total: number;
}

/** Seeds of a rollout; random streams are derived from these by name. */
export interface RolloutSeeds {
  /** determines the initial state; shared by a group */
  readonly state: number;
  /** environment noise; differs per trajectory unless `rollout.noiseSeed` is `per-group` */
  readonly noise: number;
  /** uniform numbers of the sampler; differs per trajectory */
  readonly sampling: number;
}

export type Split = 'train' | 'validation' | 'test';

export interface Trajectory {
  /** unique within a run: `split/step/group/index` */
  readonly id: string;
  readonly environment: string;
  /** in a run of several environments, or where others are validated */
  readonly environmentTag?: string;
  /** of a curriculum, from 1 */
  readonly level?: number;
  readonly split: Split;
  /** the step it was sampled for: from 1 in training; in validation, the completed iterations */
  readonly step: number;
  readonly group: number;
  readonly index: number;
  readonly seeds: RolloutSeeds;
  readonly tokens: Int32Array; // [T]
  /** log-probabilities at sampling, nats, of the temperature-scaled distribution */
  readonly logprobs: Float32Array; // [T]
  /** entropies of the same distributions, nats */
  readonly entropies: Float32Array; // [T]
  /**
   * for each sampled token, the character of its turn's `response` at which it ends; 0 elsewhere. Absent: not recorded
   */
  readonly textEnds?: Int32Array; // [T]
  /**
   * where prompts left out earlier turns (`rollout.context`): each window was sampled without the tokens before it. A turn
   * shown again is `template` of the turn that shows it. Absent: one window
   */
  readonly windows?: readonly TokenWindow[];
  readonly spans: readonly Span[];
  readonly turns: readonly Turn[];
  readonly score: ScoreRecord;
  readonly stopReason: StopReason;
  readonly success: boolean;
  /** in the order of {@link failureLabels}; empty for failed rollouts */
  readonly labels: readonly LabelRecord[];
  /** set when `stopReason` is `error` or `timeout` */
  readonly error?: string;
  readonly timings: { readonly totalMs: number };
}

/** G trajectories from one initial state. */
export interface TrajectoryGroup {
  readonly group: number;
  readonly environment: string;
  readonly stateSeed: number;
  readonly trajectories: readonly Trajectory[];
  /** one more from the same state, sampled greedily: what the others are compared with. Never learned from or counted among them; absent: no algorithm asks for it, or it failed */
  readonly greedyBaseline?: Trajectory;
}
