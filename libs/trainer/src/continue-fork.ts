/**
 * @file A fork that continues: a run that begins with everything a checkpoint of another run holds, not with its weights
 * only. Weights, moments, critic, counters, curricula, what the monitor remembers and its probes go on; random streams
 * are derived from seed and step, so they go on as well. Without changes it repeats its parent bit for bit. With other
 * settings it begins healthy, and counts iterations without signal anew: what its parent was found to be is not its fault.
 * Where it samples otherwise, what its parent measured is no measure for it: the monitor compares it with itself only.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type RunSpec } from '@espalier/contracts';
import { applySettings } from '@espalier/contracts/health';
import { describeAlgorithms, listAlgorithms, listTrained } from '@espalier/contracts/mixing';
import { type Health, silence } from '@espalier/diagnostics';
import { keepMemory } from './algorithm-memory.js';
import type { PluginLookup } from './bind-plugins.js';
import { type Checkpoint, type CheckpointLogs, loadCheckpoint, saveCheckpoint } from './checkpoint.js';
import { criticFolder } from './critics.js';
import { type LevelStates, startLevels } from './curriculum.js';
import { mayRollBack } from './healthy-checkpoints.js';
import { loadFrom, type RestoredModels } from './models.js';
import { countExtraSteps } from './monitor-actions.js';
import type { LearnedGroup } from './replay.js';
import { comparable, hasOtherSettings, listDifferences } from './resume.js';
import { isSignalLost } from './schedule.js';
import { bindAlgorithms, needsGreedyBaseline } from './tag-algorithms.js';
import { startTasks, type TaskStates } from './tasks.js';
import { startState, type TrainerState } from './trainer-state.js';

/**
 * Loads the checkpoint of another run that a run with this spec continues from; undefined: it is no such fork.
 *
 * @throws trainer.corrupt_checkpoint, trainer.fork_mismatch
 */
export function loadForkPoint(
  { fork: folder, registry }: { readonly fork?: string | undefined; readonly registry: PluginLookup },
  spec: RunSpec,
  critics: number,
): Checkpoint | undefined {
  if (folder === undefined) return undefined;
  const checkpoint = loadCheckpoint(folder);
  const finding = findMismatch(checkpoint, spec, critics);
  if (finding !== undefined)
    throw new AppError('trainer.fork_mismatch', `continue from checkpoint "${folder}": ${finding}`);
  const state = continueState(checkpoint, spec, critics > 0, registry);
  return { ...checkpoint, ...continueSampled(checkpoint, spec, registry), logs: undefined, spec, state };
}

/** What decides how trajectories are sampled and scored; and with these, which are learned from. */
const samplingSections = [
  'seed',
  'environment',
  'environments',
  'order of tags',
  'curriculum',
  'mixing',
  'rewards',
  'rollout',
];
const choosingSections = ['algorithm', 'filter'];

function isAlike(before: RunSpec, spec: RunSpec, sections: readonly string[]): boolean {
  const [was, is] = [comparable(before), comparable(spec)];
  return sections.every((name) => listDifferences(was[name], is[name]).length === 0);
}

const isSampledAlike = (before: RunSpec, spec: RunSpec): boolean => isAlike(before, spec, samplingSections);

/** Held groups, the batch that was sampled ahead and probes go on where they would have been sampled alike. */
function continueSampled(
  { spec: before, replay, ahead, probes }: Checkpoint,
  spec: RunSpec,
  registry: PluginLookup,
): Pick<Checkpoint, 'replay' | 'ahead' | 'probes'> {
  if (!isSampledAlike(before, spec)) return { replay: undefined, ahead: undefined, probes: undefined };
  const algorithms = bindAlgorithms(spec, registry);
  // whether a greedy trajectory was played is for the algorithm to say
  const isUsable = ({ trajectories, greedyTotal }: LearnedGroup): boolean =>
    greedyTotal !== undefined || !needsGreedyBaseline(trajectories[0]?.environmentTag ?? '', algorithms);
  return {
    replay: spec.update.replay === undefined ? undefined : replay?.filter(isUsable),
    ahead: isAlike(before, spec, choosingSections) ? ahead : undefined,
    probes,
  };
}

/** Says why a run with another spec cannot continue; undefined: it can. */
function findMismatch({ folder, spec, state }: Checkpoint, now: RunSpec, critics: number) {
  const asWeights = 'or begin a run with its weights only (--set model.path)';
  const [changed] = listDifferences(spec.lora, now.lora, 'lora');
  if (changed !== undefined)
    return `${changed}; its moments belong to those adapters: leave lora as it was, ${asWeights}`;
  const hasCritic = critics > 0;
  if (hasCritic && !existsSync(join(folder, criticFolder(0))))
    return `it has no critic, which ${describeAlgorithms(now)} needs; choose an algorithm without one, ${asWeights}`;
  if (hasCritic && !existsSync(join(folder, criticFolder(critics - 1))))
    return `it has fewer critics than the ${critics} that ${describeAlgorithms(now)} needs; ask for as many as it has, ${asWeights}`;
  const units = state.returns === undefined ? 'off' : 'running';
  if (hasCritic && state.criticSteps > 0 && units !== now.update.valueNormalization.use)
    return `its critic learned with update.valueNormalization.use ${units}, and so predicts other units; leave it as it was, ${asWeights}`;
  if (now.steps <= state.step)
    return `it has completed ${state.step} steps and steps is ${now.steps}; raise steps (--set steps=…)`;
  return undefined;
}

/** The state to go on with: what refers to the folder of the parent, or to settings that are changed, is left out. */
function continueState(
  { spec: before, state }: Checkpoint,
  spec: RunSpec,
  hasCritic: boolean,
  registry: PluginLookup,
): TrainerState {
  const { settings: inForce } = state.recovery;
  const kept = Object.entries(inForce).filter(([path]) => isSame(before, spec, path));
  const settings = Object.fromEntries(kept);
  const [was, is] = [applySettings(before, inForce), applySettings(spec, settings)];
  const { levels: _, tasks: _tasks, memory, ...rest } = state;
  // another algorithm begins with a memory of its own
  const isKept = usesOf(before) === usesOf(spec);
  const bind = (of: RunSpec) => ({ spec: of, ...bindAlgorithms(of, registry) });
  const tasks = continueTasks(before, spec, state.tasks);
  const levels = continueLevels(before, spec, state.levels);
  return {
    ...rest,
    ...(levels === undefined ? {} : { levels }),
    ...(tasks === undefined ? {} : { tasks }),
    ...(isKept ? keepMemory(memory, bind(was), bind(is)) : {}),
    criticSteps: hasCritic ? state.criticSteps : 0,
    ...continueJudgement(before, spec, state),
    recovery: {
      ...state.recovery,
      // what was to happen to the parent is no concern of a run with other settings, and an end was its end
      pending: null,
      settings,
      rollBacks: hasOtherSettings(before, spec) ? 0 : state.recovery.rollBacks,
      healthySteps: mayRollBack(spec) || state.health.state === 'healthy' ? [state.step] : [],
      extraSteps: countExtraSteps(state, was, is, hasCritic),
    },
  };
}

/** What is held against the parent, and what the monitor goes on to compare with: only values of the same task. */
function continueJudgement(
  before: RunSpec,
  spec: RunSpec,
  { health, skippedInARow, unlearned, step }: TrainerState,
) {
  const isOther = hasOtherSettings(before, spec);
  // an end for lack of signal was the end of the parent
  const isAnew = isOther || isSignalLost(spec, { skippedInARow });
  const counts = isAnew ? startState : { skippedInARow, unlearned };
  return {
    skippedInARow: counts.skippedInARow,
    unlearned: counts.unlearned,
    health: isOther
      ? { ...startState.health, ...(isSampledAlike(before, spec) ? remembered(health) : {}) }
      : { ...health, since: health.state === 'healthy' ? health.since : step },
  };
}

/** The values of a run, and of each of its environments, without what the monitor made of them. */
function remembered(health: Health): Pick<Health, 'inputs' | 'tags'> {
  const { inputs, tags } = silence(health);
  return tags === undefined ? { inputs } : { inputs, tags };
}

const usesOf = (spec: RunSpec): string =>
  JSON.stringify(listAlgorithms(spec).map(({ path, chosen }) => [path, chosen.use]));

function isSame(before: RunSpec, now: RunSpec, path: string): boolean {
  const read = (spec: RunSpec): unknown =>
    path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], spec);
  return read(before) === read(now);
}

/** A curriculum that is as it was goes on at its level; another one begins. */
function continueLevels(
  before: RunSpec,
  spec: RunSpec,
  reached: LevelStates | undefined,
): LevelStates | undefined {
  const begun = startLevels(spec);
  if (begun === undefined) return undefined;
  const ladderOf = (of: RunSpec, tag: string): string =>
    JSON.stringify(listTrained(of).find((one) => (one.tag ?? '') === tag)?.curriculum);
  const levels = Object.entries(begun).map(([tag, state]) => {
    const isKept = reached?.[tag] !== undefined && ladderOf(before, tag) === ladderOf(spec, tag);
    return [tag, isKept ? reached[tag] : state] as const;
  });
  return Object.fromEntries(levels) as LevelStates;
}

/** What is known of tasks holds for the same states. */
function continueTasks(
  before: RunSpec,
  spec: RunSpec,
  known: TaskStates | undefined,
): TaskStates | undefined {
  const begun = startTasks(spec);
  if (begun === undefined || known === undefined || before.seed !== spec.seed) return begun;
  const environmentOf = (of: RunSpec, tag: string): string =>
    JSON.stringify(listTrained(of).find((one) => (one.tag ?? '') === tag)?.spec.environment);
  const states = Object.entries(begun).map(([tag, state]) => {
    const isKept =
      known[tag]?.plays.length === state.plays.length &&
      environmentOf(before, tag) === environmentOf(spec, tag);
    return [tag, isKept ? known[tag] : state] as const;
  });
  return Object.fromEntries(states) as TaskStates;
}

/**
 * Loads weights and moments of the fork point and saves them as the first checkpoint of the run, so that it never needs
 * the folder of its parent again.
 *
 * @returns the folder of that checkpoint
 * @throws trainer.corrupt_checkpoint, trainer.write_failed
 */
export async function beginFork(
  runFolder: string,
  checkpoint: Checkpoint,
  models: RestoredModels,
): Promise<string> {
  const finding = await loadFrom(checkpoint.folder, models);
  if (finding !== undefined)
    throw new AppError(
      'trainer.corrupt_checkpoint',
      `continue from checkpoint "${checkpoint.folder}": ${finding}; choose another one`,
    );
  const { state, spec, start, probes, replay, ahead } = checkpoint;
  const contents = { logs: noLogs, state, spec, start, probes, replay, ahead, ...models };
  return saveCheckpoint(runFolder, contents, spec.checkpoint.keep, state.recovery.healthySteps);
}

/** The run has no logs yet; whoever resumes from here begins them anew. */
const noLogs: CheckpointLogs = { attempt: 1, files: {}, isForkPoint: true };
