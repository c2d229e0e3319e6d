import { type Definition, kitVersion, type PluginMetric } from './definition.js';

/** What the agent sees. */
export interface Observation {
  /** the state as text, e.g. a grid; not empty */
  readonly text: string;
  /** symbol → meaning, for the prompt; absent when the text explains itself */
  readonly legend?: Readonly<Record<string, string>>;
  /** names of the available actions; absent = any text is passed to `step` as it is */
  readonly actions?: readonly string[];
  /** non-empty; equal for equal observable states, different for different ones */
  readonly stateKey: string;
}

export interface StepResult {
  readonly observation: Observation;
  /** finite; in the environment's own units */
  readonly reward: number;
  readonly done: boolean;
  /** the task is solved; only meaningful together with `done` */
  readonly success: boolean;
  /** the action is legal here */
  readonly valid: boolean;
  /** the action changed the state */
  readonly effective: boolean;
  readonly metrics?: Readonly<Record<string, number>>;
}

/** Seeds of one attempt: `state` decides the initial state, `noise` the chance inside the environment. */
export interface ResetSeeds {
  /** integer in 0..2^32-1 */
  readonly state: number;
  /** integer in 0..2^32-1; equal to `state` where a group shares its environment noise (parity with the reference) */
  readonly noise: number;
}

type Awaitable<T> = T | Promise<T>;

/** One live environment. No state is shared between instances. */
export interface EnvironmentInstance {
  reset(seeds: ResetSeeds): Awaitable<Observation>;
  /** `action` is a name from `observation.actions`, or free text where there is no list. */
  step(action: string): Awaitable<StepResult>;
  /** A picture in text for people (grid environments: the bare grid). */
  render(): string;
  close?(): Awaitable<void>;
  /** A plan of action names from here to success; empty when there is none. Used by warm starts and labels. */
  oracle?(): readonly string[];
  /** Machine-checkable truths about the present state, for reasoning-aware rewards; taken before a turn's actions. */
  facts?(): Readonly<Record<string, unknown>>;
  /** A short truthful reasoning about the present state that leads to `plan`, for warm starts. */
  explain?(plan: readonly string[]): string;
  /** The state as plain JSON, and back. */
  snapshot?(): unknown;
  restore?(snapshot: unknown): void;
}

export interface EpisodeLimits {
  readonly maxTurns: number;
  readonly maxActions: number;
  readonly maxActionsPerTurn: number;
}

/** What of a run can act on an environment; what is left out is taken to act. */
interface EnvironmentReads {
  /** false: nothing happens by chance after the first observation, so environment noise changes nothing */
  readonly noise?: boolean;
  /** the environment ends every episode after so many actions; a run may not promise more */
  readonly actions?: number;
}

export interface EnvironmentDefinition<Params> extends Definition<'environment', Params> {
  /** what step results bring in `metrics`, for docs/reference/metrics.md; each is charted as `environment/<name>` */
  readonly metrics?: Readonly<Record<string, PluginMetric>>;
  /** the task in words: the beginning of the first user message */
  readonly instruction: (params: Params) => string;
  /** defaults of the turn and action budgets */
  readonly limits: (params: Params) => EpisodeLimits;
  readonly create: (params: Params) => EnvironmentInstance;
  /** what of a run acts under these params, for the plan */
  readonly reads?: (params: Params) => EnvironmentReads;
  /** names of options that change nothing under these params in a run with these budgets, for the plan */
  readonly inert?: (params: Params, limits: EpisodeLimits) => readonly string[];
}

/** Declares an environment. */
export function defineEnvironment<Params>(
  definition: Omit<EnvironmentDefinition<Params>, 'kind' | 'kit'> & { readonly kit?: string },
): EnvironmentDefinition<Params> {
  return { kit: `^${kitVersion}`, ...definition, kind: 'environment' };
}
