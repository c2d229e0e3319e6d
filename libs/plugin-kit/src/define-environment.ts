import { completeEnvironment, type GivenEnvironment } from './complete-environment.js';
import type { Definition, PluginMetric } from './definition.js';

/** What the agent observes. */
export interface Observation {
  /** the state as text, e.g. a grid; not empty */
  readonly text: string;
  /** symbol → meaning, for the prompt; omit it when the text is self-explanatory */
  readonly legend?: Readonly<Record<string, string>>;
  /** names of the available actions; if absent, any text is passed to `step` */
  readonly actions?: readonly string[];
  /** non-empty; equal for equal observable states and different for different ones */
  readonly stateKey: string;
}

export interface StepResult {
  readonly observation: Observation;
  /** finite, in units of the environment */
  readonly reward: number;
  readonly done: boolean;
  /** the task is solved; only meaningful with `done` */
  readonly success: boolean;
  /** the action is legal in this state */
  readonly valid: boolean;
  /** the action changed the state */
  readonly effective: boolean;
  /** chance changed what the action does, as ice on which it slips; omit it where chance does not touch actions */
  readonly slipped?: boolean;
  readonly metrics?: Readonly<Record<string, number>>;
}

/** Seeds of one episode: `state` determines the initial state, `noise` the environment noise. */
export interface ResetSeeds {
  /** integer in 0..2^32-1 */
  readonly state: number;
  /** integer in 0..2^32-1; equal to `state` where a group shares its environment noise, as in RAGEN */
  readonly noise: number;
}

type Awaitable<T> = T | Promise<T>;

/** One environment instance. Instances share no state. */
export interface EnvironmentInstance {
  reset(seeds: ResetSeeds): Awaitable<Observation>;
  /** Takes a name from `observation.actions`, or any text if there is no list. */
  step(action: string): Awaitable<StepResult>;
  /** A text picture for people, such as the bare grid. */
  render(): string;
  /**
   * The observable state as a picture: PNG bytes as `draw.png` gives them, within `draw.pictureLimits`; equal for equal
   * state keys. Changes nothing. Shown to people, and kept with each turn's observation by `rollout.images`.
   */
  picture?(): Uint8Array;
  close?(): Awaitable<void>;
  /**
   * Actions that lead from this state to success, as few as possible; empty if there are none. Changes nothing. Used by
   * warm starts, and in every turn by failure labels unless `reads` says `plans: false`.
   */
  oracle?(): readonly string[];
  /**
   * A legal action of this state, drawn by `seed` (integer in 0..2^32-1), for environments without a list of actions:
   * warm starts mix it in as noise, and tests play it.
   */
  sampleAction?(seed: number): string;
  /** Machine-checkable facts about the current state, for reasoning-aware rewards; read before the actions of a turn. */
  facts?(): Readonly<Record<string, unknown>>;
  /** A short, true reasoning about the current state that leads to `plan`, for warm starts. */
  explain?(plan: readonly string[]): string;
  /** Saves the state as plain JSON. */
  snapshot?(): unknown;
  /** Restores a saved state. */
  restore?(snapshot: unknown): void;
}

export interface EpisodeLimits {
  readonly maxTurns: number;
  readonly maxActions: number;
  readonly maxActionsPerTurn: number;
}

/** Which run settings have an effect on an environment; those left out do. */
interface EnvironmentReads {
  /** false: the environment is deterministic after the first observation, so noise seeds have no effect */
  readonly noise?: boolean;
  /** the environment ends every episode after this many actions; `rollout.maxActions` may not exceed it */
  readonly actions?: number;
  /**
   * false: the oracle is too slow to be asked in every turn (above about a millisecond), or its plans are no shorter near
   * success, so rollouts do not record them
   */
  readonly plans?: boolean;
  /** true: some actions pay less than 0, so that a total may be negative */
  readonly penalties?: boolean;
  /** at most so many episodes are played at once, such as those that each need a process; no other limit if absent */
  readonly episodes?: number;
}

/**
 * A program that plays its episodes itself and asks the policy over HTTP, in the dialect of a model service; it posts a
 * reward at the end of each.
 */
export interface AgentProgram {
  /** the program and its arguments, started once for each episode; absent: programs from outside open sessions */
  readonly command?: readonly string[] | undefined;
  /** working directory of the program */
  readonly folder?: string | undefined;
  /** variables of the program beside those that Espalier sets */
  readonly environment: Readonly<Record<string, string>>;
  /** address of the endpoint */
  readonly host: string;
  /** 0: any free one */
  readonly port: number;
  /** name of the variable with the key that outside programs must send; absent: none */
  readonly keyVariable?: string | undefined;
  /** milliseconds from its start to its reward */
  readonly sessionTimeoutMs: number;
  /** milliseconds without a call */
  readonly idleTimeoutMs: number;
}

/** Values that belong together, such as those of a paper; a configuration chooses them by `preset: <name>`. */
interface EnvironmentPreset {
  /** options that differ from their defaults, or that a later default must not change */
  readonly options: Readonly<Record<string, unknown>>;
  /** limits that differ from those of `limits` */
  readonly limits?: Partial<EpisodeLimits>;
}

export interface EnvironmentDefinition<Params> extends Definition<'environment', Params> {
  /** definitions of the `metrics` of step results, for docs/reference/metrics.md; reported as `environment/<name>` */
  readonly metrics?: Readonly<Record<string, PluginMetric>>;
  /** the task description that opens the first user message */
  readonly instruction: (params: Params) => string;
  /** sets of options by name; what a configuration writes next to `preset` has precedence */
  readonly presets?: Readonly<Record<string, EnvironmentPreset>>;
  /** default limits of turns and actions */
  readonly limits: (params: Params) => EpisodeLimits;
  readonly create: (params: Params) => EnvironmentInstance;
  /** its episodes are played by a program, and not turn by turn: no instance is created in training */
  readonly agent?: (params: Params) => AgentProgram;
  /** which run settings have an effect under these params, for the plan */
  readonly reads?: (params: Params) => EnvironmentReads;
  /** names of options without effect under these params and limits, for the plan */
  readonly inert?: (params: Params, limits: EpisodeLimits) => readonly string[];
}

/** Declares an environment. What most do not need may be left out: see {@link GivenEnvironment}. */
export function defineEnvironment<Params = Record<string, never>>(
  definition: GivenEnvironment<Params>,
): EnvironmentDefinition<Params> {
  return completeEnvironment(definition);
}
