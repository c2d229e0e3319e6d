/**
 * @file Training on a finite set of initial states: what the run knows about each, and which it plays next.
 * Sources: Qu et al. 2025, arXiv:2507.04632 (MoPPS), sec. 4: a Beta posterior of each pass rate, discounted, a draw from it, and
 * the states whose draw is nearest to a target; Prime Intellect 2025, arXiv:2512.16144 (INTELLECT-3): pools of easy, normal and
 * hard tasks by their latest pass rate, sampled by fixed shares.
 * Differences: the prior is uniform and is not discounted; a state that was never played is in the pool `open`.
 */
import type { RunSpec, TrajectoryGroup } from '@espalier/contracts';
import { listTrained } from '@espalier/contracts/mixing';
import type { TasksSpec } from '@espalier/contracts/schedule-options';
import { isRecord } from '@espalier/contracts/values';
import { createStream, deriveSeed, type RandomStream, stateSeedRanges } from '@espalier/random';
import { stateSeed as seedOfState } from '@espalier/rollout';
import { indicesByTag, tagOf } from './select-groups.js';

/** What is known of the tasks of one tag; arrays are by task. */
export interface TaskState {
  /** groups played */
  readonly plays: readonly number[];
  /** pass rate of the latest group; −1: never played */
  readonly latest: readonly number[];
  /** trajectories that passed and failed, earlier ones discounted */
  readonly passed: readonly number[];
  readonly failed: readonly number[];
}

/** By tag; that of the only environment of a run is empty. */
export type TaskStates = Readonly<Record<string, TaskState>>;

/** Gives what is known at the start; undefined without a finite set. */
export function startTasks(spec: RunSpec): TaskStates | undefined {
  const { tasks } = spec.rollout;
  if (tasks === undefined) return undefined;
  const all = (value: number): number[] => Array.from({ length: tasks.count }, () => value);
  return Object.fromEntries(
    listTrained(spec).map(({ tag = '' }) => [
      tag,
      { plays: all(0), latest: all(-1), passed: all(0), failed: all(0) },
    ]),
  );
}

/** Which step of which run tasks are chosen for. */
export interface TaskRequest {
  readonly seed: number;
  readonly tag: string;
  /** from 1 */
  readonly step: number;
  /** groups of the step, without those that replace dropped ones */
  readonly groups: number;
}

/**
 * Orders all tasks for a step: its groups play the first ones, those in place of dropped groups the next. Equal states and
 * requests give equal orders.
 */
export function orderTasks(options: TasksSpec, state: TaskState, request: TaskRequest): number[] {
  const { seed, tag, step } = request;
  const stream = createStream(deriveSeed(seed, 'tasks', tag, step));
  const shuffled = stream.shuffle(state.plays.map((_, task) => task));
  if (options.choose === 'pools') return orderByPool(options, state, shuffled, request);
  const keys =
    options.choose === 'in-turn'
      ? state.plays
      : state.plays.map((_, task) =>
          Math.abs(drawPassRate(stream, state.passed[task] ?? 0, state.failed[task] ?? 0) - options.target),
        );
  return shuffled.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
}

export type Pool = keyof TasksSpec['shares'];
const pools: readonly Pool[] = ['open', 'hard', 'easy'];

/** The pool of a task by its latest pass rate. */
export function poolOf(latest: number): Pool {
  if (latest === 0) return 'hard';
  return latest === 1 ? 'easy' : 'open';
}

/** Takes groups by shares that hold over steps, in whole numbers; what a pool lacks, the next ones give. */
function orderByPool(
  { shares }: TasksSpec,
  { latest }: TaskState,
  shuffled: readonly number[],
  { step, groups }: TaskRequest,
): number[] {
  const members = new Map(
    pools.map((pool) => [pool, shuffled.filter((task) => poolOf(latest[task] ?? -1) === pool)]),
  );
  const before = dealtBefore(shares, (step - 1) * groups);
  const after = dealtBefore(shares, step * groups);
  const chosen = pools.flatMap((pool) => members.get(pool)?.splice(0, after[pool] - before[pool]) ?? []);
  const others = pools.flatMap((pool) => members.get(pool) ?? []);
  return [...chosen, ...others];
}

/** How many of the first groups of a run are each pool's; no count falls from one group to the next. */
function dealtBefore({ hard, open, easy }: TasksSpec['shares'], groups: number): Record<Pool, number> {
  // the small term keeps 0.3 · 10 from rounding down to 2
  const wholePart = (of: number, share: number, rest: number): number =>
    share === 0 ? 0 : Math.floor((of * share) / (share + rest) + 1e-9);
  const decided = wholePart(groups, hard + easy, open);
  const ofHard = wholePart(decided, hard, easy);
  return { open: groups - decided, hard: ofHard, easy: decided - ofHard };
}

/** Draws from Beta(passed + 1, failed + 1). */
function drawPassRate(stream: RandomStream, passed: number, failed: number): number {
  const a = drawGamma(stream, passed + 1);
  const b = drawGamma(stream, failed + 1);
  return a / (a + b);
}

/** Marsaglia and Tsang 2000, for shapes of at least 1. */
function drawGamma(stream: RandomStream, shape: number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(stream);
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    if (Math.log(1 - stream.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

const drawNormal = (stream: RandomStream): number =>
  Math.sqrt(-2 * Math.log(1 - stream.next())) * Math.cos(2 * Math.PI * stream.next());

/** Counts the groups of a step, dropped ones as well. */
export function countTasks(
  spec: RunSpec,
  before: TaskStates | undefined,
  groups: readonly TrajectoryGroup[],
): TaskStates | undefined {
  const { tasks } = spec.rollout;
  if (before === undefined || tasks === undefined) return before;
  const byTag = indicesByTag(groups.map(tagOf));
  return Object.fromEntries(
    Object.entries(before).map(([tag, state]) => {
      const own = (byTag.get(tag) ?? []).map((index) => groups[index] as TrajectoryGroup);
      return [tag, countOwn(spec.seed, tasks, state, own)];
    }),
  );
}

/** The task that a state seed was made of. */
function taskOfSeed(runSeed: number, seed: number): number {
  const { count } = stateSeedRanges.train;
  return (seed - seedOfState('train', runSeed, 0) + count) % count;
}

function countOwn(
  seed: number,
  { memory }: TasksSpec,
  before: TaskState,
  groups: readonly TrajectoryGroup[],
): TaskState {
  const plays = [...before.plays];
  const latest = [...before.latest];
  const passed = [...before.passed];
  const failed = [...before.failed];
  for (const { stateSeed, trajectories } of groups) {
    const task = taskOfSeed(seed, stateSeed);
    const successes = trajectories.filter(({ success }) => success).length;
    plays[task] = (plays[task] ?? 0) + 1;
    latest[task] = successes / trajectories.length;
    passed[task] = memory * (passed[task] ?? 0) + successes;
    failed[task] = memory * (failed[task] ?? 0) + trajectories.length - successes;
  }
  return { plays, latest, passed, failed };
}

/** Whether a stored value is what is known of tasks. */
export function isTaskStates(value: unknown): value is TaskStates {
  const isNumbers = (one: unknown, length: number): boolean =>
    Array.isArray(one) && one.length === length && one.every(Number.isFinite);
  const isState = (one: unknown): boolean =>
    isRecord(one) &&
    Array.isArray(one['plays']) &&
    ['plays', 'latest', 'passed', 'failed'].every((key) =>
      isNumbers(one[key], (one['plays'] as unknown[]).length),
    );
  return isRecord(value) && Object.values(value).every(isState);
}
