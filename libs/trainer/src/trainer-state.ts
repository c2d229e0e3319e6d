/**
 * @file Everything that changes over a run besides weights and moments. It holds no state of random numbers: every
 * stream is derived by name from the run's seed and the step.
 */
import type { Trajectory, TrajectoryGroup } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import { type Health, parseHealth, startHealth } from '@espalier/diagnostics';
import { isLevelStates, type LevelStates } from './curriculum.js';
import { isTaskStates, type TaskStates } from './tasks.js';
import type { ReturnMoments } from '@espalier/objective/value-normalization';
import { type AlgorithmMemory } from '@espalier/plugin-kit';
import { isReturnMoments } from './value-scale.js';
import { isRecovery, type Recovery, startRecovery } from './recovery.js';

/** Trajectories and those with success; replies and those in the required form. */
export interface PlayedCounts {
  readonly trajectories: number;
  readonly successes: number;
  readonly replies: number;
  readonly validReplies: number;
}

const nonePlayed: PlayedCounts = { trajectories: 0, successes: 0, replies: 0, validReplies: 0 };

export interface TrainerState {
  /** iterations completed */
  readonly step: number;
  /** optimizer steps made */
  readonly policySteps: number;
  readonly criticSteps: number;
  /** iterations without signal, in which the policy learned nothing: in a row, and in total */
  readonly skippedInARow: number;
  readonly skipped: number;
  /** step of the last finished validation; -1 before the first */
  readonly validatedStep: number;
  readonly episodes: number;
  readonly environmentSteps: number;
  readonly sampledTokens: number;
  readonly trainedTokens: number;
  /** of the iterations that `skippedInARow` counts */
  readonly unlearned: PlayedCounts;
  /** what the collapse monitor remembers */
  readonly health: Health;
  /** present if an environment has a curriculum */
  readonly levels?: LevelStates | undefined;
  /** present if the run trains on a finite set of states */
  readonly tasks?: TaskStates | undefined;
  /** what returns have been like; present if the values of the critic are normalised */
  readonly returns?: ReturnMoments | undefined;
  /** what the algorithm keeps between iterations; present if it keeps anything */
  readonly memory?: AlgorithmMemory | undefined;
  /** what it has done about health, and is to do next */
  readonly recovery: Recovery;
}

export const startState: TrainerState = {
  step: 0,
  policySteps: 0,
  criticSteps: 0,
  skippedInARow: 0,
  skipped: 0,
  validatedStep: -1,
  episodes: 0,
  environmentSteps: 0,
  sampledTokens: 0,
  trainedTokens: 0,
  unlearned: nonePlayed,
  health: startHealth,
  recovery: startRecovery,
};

type Counters = Omit<
  TrainerState,
  'health' | 'recovery' | 'levels' | 'tasks' | 'returns' | 'memory' | 'unlearned'
>;

/**
 * Parses a stored state; undefined when it is invalid. What older versions did not store is as at the start.
 */
export function parseTrainerState(value: unknown): TrainerState | undefined {
  if (!isRecord(value)) return undefined;
  const {
    health: stored = startHealth,
    recovery = startRecovery,
    unlearned: played = {},
    levels,
    tasks,
    returns,
    memory,
    ...counters
  } = value;
  const health = parseHealth(stored);
  const { health: _health, recovery: _recovery, unlearned: _unlearned, ...known } = startState;
  const names = Object.keys(known);
  const unlearned: unknown = isRecord(played) ? { ...nonePlayed, ...played } : played;
  const isWhole = (name: string): boolean => Number.isSafeInteger(counters[name]);
  if (health === undefined || !isRecovery(recovery) || !isPlayed(unlearned)) return undefined;
  if (Object.keys(counters).length !== names.length || !names.every(isWhole)) return undefined;
  if (levels !== undefined && !isLevelStates(levels)) return undefined;
  if (tasks !== undefined && !isTaskStates(tasks)) return undefined;
  if (returns !== undefined && !isReturnMoments(returns)) return undefined;
  if (memory !== undefined && !isMemory(memory)) return undefined;
  return {
    ...(counters as unknown as Counters),
    unlearned,
    health,
    recovery,
    ...(levels === undefined ? {} : { levels }),
    ...(tasks === undefined ? {} : { tasks }),
    ...(returns === undefined ? {} : { returns }),
    ...(memory === undefined ? {} : { memory }),
  };
}

const isMemory = (value: unknown): value is AlgorithmMemory =>
  isRecord(value) && Object.values(value).every(Number.isFinite);

const isPlayed = (value: unknown): value is PlayedCounts =>
  isRecord(value) && Object.keys(nonePlayed).every((name) => Number.isSafeInteger(value[name]));

/** The result of one completed iteration. */
export interface CompletedIteration {
  readonly groups: readonly TrajectoryGroup[];
  readonly update: { readonly policySteps: number; readonly criticSteps: number; readonly tokens: number };
  readonly hasSignal: boolean;
  readonly levels?: LevelStates | undefined;
  readonly tasks?: TaskStates | undefined;
  readonly returns?: ReturnMoments | undefined;
}

/** Gives the state after one more iteration. */
export function advanceState(
  state: TrainerState,
  { groups, update, hasSignal, levels, tasks, returns }: CompletedIteration,
): TrainerState {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const played = [...trajectories, ...groups.flatMap(({ greedyBaseline = [] }) => greedyBaseline)];
  const turns = played.flatMap((trajectory) => trajectory.turns);
  return {
    ...state,
    step: state.step + 1,
    policySteps: state.policySteps + update.policySteps,
    criticSteps: state.criticSteps + update.criticSteps,
    skippedInARow: hasSignal ? 0 : state.skippedInARow + 1,
    skipped: state.skipped + (hasSignal ? 0 : 1),
    unlearned: hasSignal ? nonePlayed : countPlayed(state.unlearned, trajectories),
    episodes: state.episodes + played.length,
    environmentSteps: state.environmentSteps + turns.reduce((sum, turn) => sum + turn.actions.length, 0),
    sampledTokens:
      state.sampledTokens + turns.reduce((sum, { sampled }) => sum + sampled.end - sampled.start, 0),
    trainedTokens: state.trainedTokens + update.tokens,
    ...(levels === undefined ? {} : { levels }),
    ...(tasks === undefined ? {} : { tasks }),
    ...(returns === undefined ? {} : { returns }),
  };
}

function countPlayed(counts: PlayedCounts, played: readonly Trajectory[]): PlayedCounts {
  const turns = played.flatMap((trajectory) => trajectory.turns);
  return {
    trajectories: counts.trajectories + played.length,
    successes: counts.successes + played.filter(({ success }) => success).length,
    replies: counts.replies + turns.length,
    validReplies: counts.validReplies + turns.filter(({ formatValid }) => formatValid).length,
  };
}
