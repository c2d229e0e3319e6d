/**
 * @file The training loop. One iteration: collect (trajectories are scored as they end) → select → credit → update →
 * report. Validation and checkpoints happen between iterations, so a run that stops anywhere resumes from the last
 * completed one with the same results. create-trainer.ts assembles the parts, end-run.ts ends a run.
 *
 * A step is the number of completed iterations: metrics and trajectories of the first iteration have step 1, a
 * validation before any update has step 0, `checkpoints/step-000010` is the state after ten.
 */
import { isAppError, type Trajectory } from '@espalier/contracts';
import type { DroppedGroup } from '@espalier/contracts/group-filter';
import type { UpdateRecord } from '@espalier/contracts/update-record';
import { forgetTraining } from '@espalier/diagnostics';
import { scaleOfReturns } from '@espalier/objective/value-normalization';
import type { Collection } from '@espalier/rollout';
import type { TrainingExample } from './batch.js';
import { estimateCredit } from './credit.js';
import { advanceLevels, type AdvancedLevels } from './curriculum.js';
import { levelMetrics } from './curriculum-metrics.js';
import { endFailedRun, endRun, isStopped, assertInPlace, type RunSummary, saveNow } from './end-run.js';
import { type FilledBatch, fillBatch } from './fill-batch.js';
import { iterationMetrics, timeMetrics, totalMetrics } from './iteration-metrics.js';
import { learnersOf } from './learners.js';
import { type Check, checkHealth, isCheckDue, reportHealth, reportInherited } from './monitor.js';
import { keepHealthy, mayRollBack } from './healthy-checkpoints.js';
import { actOnHealth, planAction } from './monitor-actions.js';
import { createPhaseClock, type PhaseClock } from './phase-clock.js';
import { prepareProbes } from './probes.js';
import { emitMetrics, emitWarning, progressOf, type RunContext } from './run-context.js';
import { drawReplay, holdGroups, type LearnedGroup } from './replay.js';
import type { AheadBatch } from './sample-ahead.js';
import { scheduleMetrics } from './schedule-metrics.js';
import { askTeachers, type Teaching } from './self-distillation.js';
import { isCheckpointDue, isSignalLost, isValidationDue } from './schedule.js';
import { countTasks } from './tasks.js';
import { advanceState } from './trainer-state.js';
import { updateModels, type UpdateReport } from './update.js';
import { flowMetrics } from './update-flow.js';
import { makeUpdateRecords, type PolicyPass } from './update-records.js';
import { memoryMetrics, memoryOf, nextMemory } from './algorithm-memory.js';
import { validate } from './validate.js';
import { advanceReturnMoments, scalesOf } from './value-scale.js';

/**
 * Trains until all steps are done, there is no signal left, or `signal` asks to stop; saves before it returns.
 *
 * A stop request lets the current turn of each rollout finish, or the current update. Unfinished rollouts are dropped
 * with their iteration; a resumed run repeats it from the same seeds. Where sampling is ahead of the update, the batch
 * that is being sampled is finished and saved.
 *
 * @throws the failure, after a `run-ended` event; the last completed iteration is saved first, unless the failure
 *         happened during an update (`engine.not_finite` …): then the last checkpoint on disk remains
 */
export async function runTrainer(run: RunContext, signal: AbortSignal): Promise<RunSummary> {
  const { spec, runId, attempt, sink } = run;
  sink.emit({
    kind: 'run-started',
    time: run.now(),
    runId,
    attempt,
    step: run.state.step,
    steps: spec.steps,
  });
  if (run.forked !== undefined) {
    sink.emit({ kind: 'checkpoint', time: run.now(), step: run.state.step, folder: run.forked });
    reportInherited(run);
  }
  if (run.isAtForkPoint) emitMetrics(run, totalMetrics(run.state));
  try {
    return await endRun(run, await iterateToEnd(run, signal));
  } catch (error) {
    throw await endFailedRun(run, error);
  } finally {
    await run.ahead?.drop();
  }
}

async function iterateToEnd(run: RunContext, signal: AbortSignal): Promise<RunSummary['reason']> {
  const { spec } = run;
  try {
    await prepareProbes(run);
    if (mayRollBack(spec) && run.state.step === 0 && run.saved === undefined) await saveNow(run);
    for (;;) {
      const ended = await actOnHealth(run, () => validateEnd(run, signal));
      if (ended !== undefined) return ended;
      await validateIfDue(run, signal);
      const savedStep = run.saved?.state.step ?? 0;
      const isRequested = run.isCheckpointRequested && run.state.step > savedStep;
      if (isRequested || isCheckpointDue(spec, run.state, savedStep)) await saveNow(run);
      if (signal.aborted) return 'stop-request';
      if (isSignalLost(spec, run.state)) return 'no-signal';
      if (run.state.step >= spec.steps) return 'steps';
      await iterate(run, signal);
    }
  } catch (error) {
    if (isStopped(error, signal)) return 'stop-request';
    throw error;
  }
}

/** Measures a run that its monitor ends. That it cannot be measured is no other end. */
async function validateEnd(run: RunContext, signal: AbortSignal): Promise<void> {
  try {
    await validateIfDue(run, signal, true);
  } catch (error) {
    if (isStopped(error, signal) || !isAppError(error)) throw error;
    emitWarning(
      run,
      'trainer.validation_failed',
      `validate at step ${run.state.step}, where the monitor ends the run: ${error.message}`,
    );
  }
}

async function validateIfDue(run: RunContext, signal: AbortSignal, isLast = false): Promise<void> {
  if (!isValidationDue(run.spec, run.state, isLast)) return;
  // an environment may bear only so many episodes at once
  await run.ahead?.settle(run.state.step + 1);
  await validate(run, signal);
}

/** Runs one iteration; a stop request before the update leaves no trace of it. */
async function iterate(run: RunContext, signal: AbortSignal): Promise<void> {
  const { spec } = run;
  const step = run.state.step + 1;
  const clock = createPhaseClock(run.energy);

  const { batch, policySteps: sampledAt } = await takeBatch(run, step, signal, clock);
  const { groups } = batch.collection;
  const { levels: before, policySteps } = run.state;
  const climbed = before === undefined ? undefined : advanceLevels(spec, before, groups);
  const tasks = countTasks(spec, run.state.tasks, groups);
  if (step < spec.steps) run.ahead?.begin(run, step + 1, { levels: climbed?.levels, tasks });

  const fresh = listKept(batch, sampledAt);
  const replayed = drawReplay(run.replay, { ...run, step, policySteps });
  const learned = [...fresh, ...replayed.groups];
  progressOf(run, 'credit')(0, 1);
  const { policy } = run.engine;
  const chosen = learned.map(({ trajectories }) => trajectories);
  const memory = memoryOf(run);
  const credited = await clock.time('credit', () =>
    estimateCredit(chosen, {
      ...run,
      memory,
      policy,
      valueScale: scaleOfReturns(run.state.returns),
      ...termsOf(learned, policySteps),
    }),
  );
  const teaching = await clock.time('credit', () => teach(run, chosen, credited.examples));
  signal.throwIfAborted();

  const healthBefore = run.state.health.state;
  run.isUpdating = true;
  const { examples, hasSignal, hasGradient } = credited;
  const returns = advanceReturnMoments(spec, run.state.returns, examples);
  const passes: PolicyPass[] = [];
  const learners = {
    ...learnersOf(run, { hasGradient, scales: scalesOf(run.state.returns, returns), teaching }),
    onProgress: progressOf(run, 'update'),
    onPass: (pass: PolicyPass) => void passes.push(pass),
  };
  const update = await clock.time('update', () => updateModels(examples, { spec, step, ...learners }));
  run.state = advanceState(run.state, {
    groups,
    update,
    hasSignal,
    levels: climbed?.levels,
    tasks,
    returns,
  });
  const holding = { ...run, step, policySteps: run.state.policySteps };
  run.replay = holdGroups([...replayed.held, ...fresh], holding);
  run.ahead?.learned(step);
  run.isUpdating = false;
  for (const sentence of update.reductions)
    emitWarning(run, 'runtime.out_of_memory', `update: memory ran out; ${sentence}`);

  const values = await clock.time('report', () => {
    const { kept } = batch.choice;
    const isFresh = new Set(fresh.flatMap(({ trajectories }) => trajectories));
    const own = examples.filter(({ trajectory }) => isFresh.has(trajectory));
    const policyVersion = policy.version - update.policySteps;
    const learnedFrom = { ...batch.collection, kept, examples: own, policyVersion };
    const records = makeUpdateRecords({ spec, ...learnedFrom, hasSignal, passes });
    reportTrajectories(run, batch, records);
    return {
      ...iterationMetrics({ run, batch, credited, update }),
      ...teaching?.metrics,
      ...flowMetrics(batch, records),
      ...memoryMetrics(memory, run),
      ...levelMetrics({ spec, step, groups, before, after: run.state.levels }),
      ...scheduleMetrics({ spec, batch, policySteps, learned, replayed, held: run.replay.length, tasks }),
    };
  });
  const kept = { ...memory, ...credited.credit.memory };
  run.state = { ...run.state, ...nextMemory(run, kept, values, update.shared) };
  const checked = await clock.time('monitor', () => checkIteration(run, groups, values));
  emitMetrics(run, { ...values, ...checked?.metrics, ...timeMetrics(run, clock, values) });
  if (checked !== undefined) reportHealth(run, healthBefore, checked);
  reportChanges(run, climbed?.changes ?? []);
  if (!hasSignal) warnOfSkip(run, update, credited.sampling['sampler/masked_share'] === 1);
  // detects a full disk or a missing folder before the next iteration spends time
  assertInPlace(run, `log step ${run.state.step}`);
  await run.sink.flush();
}

/** The batch of a step: sampled now, or while the policy learned from the one before. */
async function takeBatch(
  run: RunContext,
  step: number,
  signal: AbortSignal,
  clock: PhaseClock,
): Promise<Pick<AheadBatch, 'batch' | 'policySteps'>> {
  if (run.ahead !== undefined) return run.ahead.take(run, step, clock);
  return { batch: await fillBatch(run, step, signal, clock), policySteps: run.state.policySteps };
}

/** The groups of a batch that are learned from. */
const listKept = ({ collection, choice }: FilledBatch, policySteps: number): LearnedGroup[] =>
  choice.kept.map((index, place) => ({
    trajectories: collection.groups[index]?.trajectories ?? [],
    greedyTotal: collection.groups[index]?.greedyBaseline?.score.total,
    weight: choice.weights?.[place] ?? 1,
    policySteps,
  }));

/** What credit is told of each group beside its trajectories. */
const termsOf = (learned: readonly LearnedGroup[], policySteps: number) => ({
  weights: learned.map(({ weight }) => weight),
  greedyTotals: learned.map(({ greedyTotal }) => greedyTotal),
  lags: learned.map((group) => policySteps - group.policySteps),
});

/** Reports promotions and demotions. After a promotion the monitor compares what follows with itself only. */
function reportChanges(run: RunContext, changes: AdvancedLevels['changes']): void {
  // at an easier level nothing falls by itself, and a policy that collapses is demoted before a rule has lasted
  if (changes.some(({ from, to }) => to > from))
    run.state = { ...run.state, health: forgetTraining(run.state.health) };
  for (const change of changes)
    run.sink.emit({ kind: 'level', time: run.now(), step: run.state.step, ...change });
}

/** Lets the monitor look at a completed iteration, where it is due, and plan what to do about it. */
async function checkIteration(
  run: RunContext,
  groups: Collection['groups'],
  values: Readonly<Record<string, number>>,
): Promise<Check | undefined> {
  const { spec, state } = run;
  const check = isCheckDue(spec, state.step) ? await checkHealth(run, groups, values) : undefined;
  const health = check?.health ?? state.health;
  const pending = planAction(spec, state.health.state, health);
  const watched = { ...state, health, recovery: { ...state.recovery, pending } };
  const healthySteps = keepHealthy(spec, watched);
  run.state = { ...watched, recovery: { ...watched.recovery, healthySteps } };
  return check;
}

/** What failed trajectories learn from successful siblings; undefined without self-distillation. */
async function teach(
  { spec, engine }: RunContext,
  groups: readonly (readonly Trajectory[])[],
  examples: readonly TrainingExample[],
): Promise<Teaching | undefined> {
  const { coefficient, gate } = spec.update.selfDistillation;
  if (coefficient === 0) return undefined;
  const { contextLength } = engine.description;
  const { temperature } = spec.rollout;
  return askTeachers(groups, examples, { policy: engine.policy, contextLength, temperature, gate });
}

function reportTrajectories(
  run: RunContext,
  { collection, choice }: FilledBatch,
  records: ReadonlyMap<Trajectory, UpdateRecord>,
): void {
  const { step } = run.state;
  const report = (trajectory: Trajectory, kept: boolean, dropped?: DroppedGroup): void => {
    const update = records.get(trajectory);
    run.sink.emit({ kind: 'trajectory', time: run.now(), step, trajectory, kept, dropped, update });
  };
  collection.groups.forEach((group, index) => {
    const kept = choice.kept.includes(index);
    for (const trajectory of group.trajectories)
      report(trajectory, kept, kept ? undefined : choice.dropped[index]);
    if (group.greedyBaseline !== undefined) report(group.greedyBaseline, false);
  });
  for (const trajectory of collection.failed) report(trajectory, false);
}

const describeStop = (maxSkipped: number): string =>
  maxSkipped === 0 ? 'update.maxSkipped is 0: the run continues' : `the run stops at ${maxSkipped}`;

function warnOfSkip(run: RunContext, { policySteps, criticSteps }: UpdateReport, isMasked: boolean): void {
  const finding = isMasked
    ? 'update.samplerCorrection masked every token, as sampler and trainer disagree on all of them'
    : 'no group was kept, or all trajectories that are compared scored the same';
  const pulled = policySteps > 0 ? 'the policy was only pulled to its reference' : 'update skipped';
  const made = policySteps === 0 && criticSteps > 0 ? 'only the critic learned' : pulled;
  emitWarning(
    run,
    'trainer.no_signal',
    `iteration ${run.state.step}: ${finding}, so that the policy has nothing to learn; ` +
      `${made}, ${run.state.skippedInARow} in a row (${describeStop(run.spec.update.maxSkipped)})`,
  );
}
