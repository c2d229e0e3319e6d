/**
 * @file What the monitor does when the health of a run gets worse: nothing more than an alert, a pause, a stop, or a return to
 * the last healthy checkpoint with other settings. What is to be done is part of the trainer's state, and is done between two
 * iterations, so a run that is killed or stopped in between does the same when it resumes.
 *
 * A roll-back takes back what the run has learned: weights, moments, the levels of curricula, what is known of tasks, the scale of
 * the critic, what the algorithm and the monitor remember, and groups to replay or sampled ahead. Steps,
 * counters, and with them random draws and learning-rate schedules, go on: no state is played twice, and a run ends when it was to.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, runLayout, type RunSpec } from '@espalier/contracts';
import {
  applySettings,
  type ChangedSetting,
  changeSettings,
  healthStates,
  type HealthState,
  type MonitorAction,
  readSetting,
} from '@espalier/contracts/health';
import { type Health, lastUnsuspectedStep, silence } from '@espalier/diagnostics';
import { keepMemory } from './algorithm-memory.js';
import { paramsOf } from './bind-plugins.js';
import { type Checkpoint, loadCheckpoint } from './checkpoint.js';
import { loadCritics } from './critics.js';
import type { LevelStates } from './curriculum.js';
import { type RunSummary, saveNow } from './end-run.js';
import { cadenceOf } from './healthy-checkpoints.js';
import type { ModelSteps, PendingAction } from './recovery.js';
import { emitWarning, type RunContext } from './run-context.js';
import { checkpointsFolder } from './run-folder.js';
import { stepsAfter } from './schedule.js';
import { startState, type TrainerState } from './trainer-state.js';

/** The option that says what is done when health changes; undefined: it did not get worse. */
function responseTo(
  { monitor }: RunSpec,
  previous: HealthState,
  state: HealthState,
): PendingAction['response'] | undefined {
  if (healthStates.indexOf(state) <= healthStates.indexOf(previous)) return undefined;
  // a run that collapses at once was never in the state that is answered by `onWarning`
  const isSkipped = previous === 'healthy' && monitor.onCollapse.action === 'alert';
  return state === 'warning' || isSkipped ? 'onWarning' : 'onCollapse';
}

/** What is done when health changes; undefined: it did not get worse. */
export function actionFor(
  spec: RunSpec,
  previous: HealthState,
  state: HealthState,
): MonitorAction | undefined {
  const response = responseTo(spec, previous, state);
  return response === undefined ? undefined : spec.monitor[response].action;
}

/** What is to be done before the next iteration; null: nothing. */
export function planAction(spec: RunSpec, previous: HealthState, health: Health): PendingAction | null {
  const response = responseTo(spec, previous, health.state);
  if (response === undefined || spec.monitor[response].action === 'alert') return null;
  return { response, before: lastUnsuspectedStep(health, cadenceOf(spec)) ?? 0 };
}

/**
 * Does what the monitor asked for after the last iteration.
 *
 * @param validateEnd measures a run that ends here; when it is stopped, the end is still to come
 * @returns why the run ends, if it does
 */
export async function actOnHealth(
  run: RunContext,
  validateEnd: () => Promise<void>,
): Promise<RunSummary['reason'] | undefined> {
  const { pending } = run.state.recovery;
  if (pending === null) return undefined;
  const { action, change } = run.spec.monitor[pending.response];
  const found = action === 'rollBack' ? findHealthy(run, pending.before) : undefined;
  const isEnd = action === 'stop' || typeof found === 'string';
  if (typeof found === 'string') {
    const operation = `roll back at step ${run.state.step}`;
    emitWarning(run, 'monitor.cannot_roll_back', `${operation}: ${found}; the run stops`);
  }
  if (isEnd) await validateEnd();
  run.state = { ...run.state, recovery: { ...run.state.recovery, pending: null } };
  if (found !== undefined && typeof found !== 'string') {
    await rollBack(run, found, changeSettings(run.spec, change));
  }
  if (isEnd) return 'collapse';
  return action === 'pause' ? 'pause' : undefined;
}

/** Finds the newest healthy checkpoint up to a step; a string says why there is none. */
function findHealthy({ state, spec, folder }: RunContext, before: number): Checkpoint | string {
  const { rollBacks, healthySteps } = state.recovery;
  if (rollBacks >= spec.monitor.maxRollBacks)
    return `the run has rolled back as often as it may, ${rollBacks} times (monitor.maxRollBacks)`;
  const steps = healthySteps.filter((step) => step <= before);
  const findings: string[] = [];
  for (const step of steps.toReversed()) {
    const at = join(checkpointsFolder(folder), runLayout.stepName(step));
    try {
      if (existsSync(at)) return loadCheckpoint(at);
      findings.push(`"${at}" is gone`);
    } catch (error) {
      if (!hasCode(error, 'trainer.corrupt_checkpoint')) throw error;
      findings.push(error.message);
    }
  }
  const tried = findings.length === 0 ? '' : ` (${findings.join('; ')})`;
  return `no healthy checkpoint is left of step ${before} or before${tried}`;
}

/** Returns to a checkpoint and changes settings. */
async function rollBack(
  run: RunContext,
  healthy: Checkpoint,
  changed: Readonly<Record<string, number>>,
): Promise<void> {
  const { state, spec, critics } = run;
  const { recovery } = state;
  const { step } = healthy.state;
  // until all weights are loaded, they are of no iteration
  run.isUpdating = true;
  // what the policy sampled that is taken back
  await run.ahead?.drop();
  run.replay = [];
  await run.engine.policy.load(join(healthy.folder, 'policy'), { optimizer: true });
  await loadCritics(healthy.folder, critics);
  const settings = { ...recovery.settings, ...changed };
  const rollBacks = recovery.rollBacks + 1;
  const { health, levels, tasks, returns, memory } = healthy.state;
  // the start of a run has neither yet, so those of now must go as well
  const { returns: _, memory: _memory, ...kept } = state;
  const changes = [...describeSettings(spec, changed), ...describeLevels(state.levels, levels)];
  const listed = changes.map(({ path, from, to }) => `, ${path} ${short(from)} → ${short(to)}`).join('');
  const count = `roll-back ${rollBacks} of at most ${spec.monitor.maxRollBacks}`;
  const message = `back to step ${step}${listed}; ${count}`;
  run.state = {
    ...kept,
    skippedInARow: 0,
    unlearned: startState.unlearned,
    health: {
      ...silence(health),
      state: 'healthy',
      since: state.step,
      unhealthySince: undefined,
      evidence: message,
      calm: 0,
    },
    recovery: {
      pending: null,
      settings,
      rollBacks,
      healthySteps: recovery.healthySteps.filter((one) => one <= step),
      extraSteps: countExtraSteps(state, spec, applySettings(spec, changed), critics.length > 0),
    },
    ...(levels === undefined ? {} : { levels }),
    ...(tasks === undefined ? {} : { tasks }),
    ...(returns === undefined ? {} : { returns }),
    ...keepMemory(memory, underSettings(run, healthy.state.recovery.settings), underSettings(run, settings)),
  };
  useSettings(run);
  run.isUpdating = false;
  run.sink.emit({
    kind: 'monitor',
    time: run.now(),
    step: state.step,
    state: 'healthy',
    previous: state.health.state,
    action: 'rollBack',
    restored: step,
    changes,
    findings: [],
    message,
  });
  emitWarning(run, 'monitor.rolled_back', `iteration ${state.step}: ${message}`);
  await saveNow(run);
}

/** Without the last digits that a multiplication leaves. */
const short = (value: number): string => String(Number(value.toPrecision(6)));

const describeSettings = (spec: RunSpec, changed: Readonly<Record<string, number>>): ChangedSetting[] =>
  Object.entries(changed).map(([path, to]) => ({ path, from: readSetting(spec, path) ?? to, to }));

/** Levels of curricula that go back with what was learned at them. */
function describeLevels(before: LevelStates = {}, after: LevelStates = {}): ChangedSetting[] {
  return Object.entries(after).flatMap(([tag, { level: to }]) => {
    const from = before[tag]?.level ?? to;
    const path = tag === '' ? 'environment.curriculum level' : `environments.${tag}.curriculum level`;
    return from === to ? [] : [{ path, from, to }];
  });
}

/** Keeps what was planned for the iterations that are done: other epochs or mini-batches count from the next one. */
export function countExtraSteps(
  { step, recovery }: TrainerState,
  before: RunSpec,
  after: RunSpec,
  hasCritic: boolean,
): ModelSteps {
  const was = stepsAfter(before, step, hasCritic);
  const is = stepsAfter(after, step, hasCritic);
  const { policy, critic } = recovery.extraSteps;
  return { policy: policy + was.policy - is.policy, critic: critic + was.critic - is.critic };
}

/** Puts the settings in force that earlier roll-backs have changed. */
export function useSettings(run: RunContext): void {
  const { spec, algorithmParams } = underSettings(run, run.state.recovery.settings);
  run.spec = spec;
  run.algorithmParams = algorithmParams;
}

/** The algorithms of a run with settings that roll-backs have changed. */
function underSettings(run: RunContext, settings: Readonly<Record<string, number>>) {
  const { written, algorithm, ownAlgorithms } = run;
  const spec = applySettings(written, settings);
  return { spec, algorithm, algorithmParams: paramsOf(spec.algorithm), ownAlgorithms };
}
