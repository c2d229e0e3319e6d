/**
 * @file One attempt at one initial state, with everything a viewer or a loss could want.
 * Token-aligned arrays all have the length of `tokens`; positions that were not sampled hold 0 and are
 * told apart by the spans, never by the value.
 */

/** What a range of tokens is. What counts in the loss is a setting per kind. */
export type SpanKind =
  /** chat markup, headings, the forced opening tag: written by the protocol */
  | 'template'
  /** state, reward and other text from the environment */
  | 'observation'
  /** sampled tokens up to and including the closing think tag */
  | 'think'
  /** sampled tokens of the answer, its tags included */
  | 'answer'
  /** sampled end-of-turn token */
  | 'control';

/** Token range `[start, end)` of one kind within one turn (turn 0 also holds the system prompt). */
export interface Span {
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
  readonly turn: number;
}

/** Why an episode ended. */
export const stopReasons = {
  success: 'the environment ended and reports success',
  failure: 'the environment ended without success',
  actions: 'the action budget was used up before the environment ended',
  turns: 'the turn budget was used up before the environment ended',
  context: 'the next turn would not fit into the context length',
  error: 'the environment, a reward or the engine failed; never enters a batch',
  timeout: 'a call passed its time limit; never enters a batch',
  cancelled: 'the run was stopped while the episode was under way; never enters a batch',
} as const;
export type StopReason = keyof typeof stopReasons;

/** Why the engine stopped sampling a turn. */
export type SampleStop = 'stop' | 'length' | 'context';

/** One action as the environment saw it. */
export interface ActionRecord {
  readonly text: string;
  /** legal in this environment */
  readonly valid: boolean;
  /** changed the state */
  readonly effective: boolean;
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface Turn {
  /** from 0 */
  readonly index: number;
  /** the state's text as shown to the model */
  readonly observation: string;
  /** equal for equal states */
  readonly stateKey: string;
  /** picture for people, where the environment gives one */
  readonly render: string;
  /** machine-checkable truths about the state before the actions */
  readonly facts: Readonly<Record<string, unknown>>;
  /** the model's text, forced opening tag included */
  readonly response: string;
  readonly think: string;
  readonly answer: string;
  /** the response has the demanded format, by `rollout.format` */
  readonly formatValid: boolean;
  /** parsed answer parts, before look-up and cutting */
  readonly parsedActions: readonly string[];
  /** actions that reached the environment */
  readonly actions: readonly ActionRecord[];
  /** sum of the environment's rewards over the actions */
  readonly reward: number;
  /** the (negative) format penalty where the format is invalid, or no action or an unknown one was named; else 0; not part of `reward` */
  readonly formatPenalty: number;
  readonly sampleStop: SampleStop;
  /** sampled tokens `[start, end)` */
  readonly sampled: { readonly start: number; readonly end: number };
  readonly policyVersion: number;
  readonly timings: { readonly sampleMs: number; readonly environmentMs: number };
}

/** Immutable account of an episode's worth; nothing downstream rewrites it. */
export interface ScoreRecord {
  /** sum of turn rewards */
  readonly environment: number;
  /** sum of format penalties, ≤ 0 */
  readonly formatPenalty: number;
  /** each reward plugin's unweighted value and its weight */
  readonly rewards: Readonly<Record<string, { readonly value: number; readonly weight: number }>>;
  /** per turn: what the credit assignment places at the turn's end; sums to `total` */
  readonly perTurn: readonly number[];
  /** Σ weight · value over reward plugins */
  readonly total: number;
}

/** Where an attempt comes from; streams are derived from these by name. */
export interface RolloutSeeds {
  /** determines the initial state; shared by a group */
  readonly state: number;
  /** environment noise inside the environment; differs per member */
  readonly noise: number;
  /** uniform numbers of the sampler; differs per member */
  readonly sampling: number;
}

export type Split = 'train' | 'validation' | 'test';

export interface Trajectory {
  /** unique within a run: `split/step/group/index` */
  readonly id: string;
  readonly environment: string;
  readonly split: Split;
  /** the step it was sampled for: from 1 in training; in validation, the completed iterations */
  readonly step: number;
  readonly group: number;
  readonly index: number;
  readonly seeds: RolloutSeeds;
  readonly tokens: Int32Array; // [T]
  /** log-probabilities seen at sampling, nats, of the temperature-scaled distribution */
  readonly logprobs: Float32Array; // [T]
  /** entropies of the same distributions, nats */
  readonly entropies: Float32Array; // [T]
  readonly spans: readonly Span[];
  readonly turns: readonly Turn[];
  readonly score: ScoreRecord;
  readonly stopReason: StopReason;
  readonly success: boolean;
  /** set when `stopReason` is `error` or `timeout` */
  readonly error?: string;
  readonly timings: { readonly totalMs: number };
}

/** G attempts at one initial state. */
export interface TrajectoryGroup {
  readonly group: number;
  readonly environment: string;
  readonly stateSeed: number;
  readonly trajectories: readonly Trajectory[];
}
