import { isOverridden } from '@espalier/config/plain';
import { AppError, type EventSink, type RunEvent, type RunSpec } from '@espalier/contracts';
import { describeModelChoice } from '@espalier/contracts/model-choice';
import { createOutboxSink, createTeeSink, type MetricRow, readMetrics } from '@espalier/recorder';
import type { IsolatedPlugins } from '@espalier/plugin-host';
import { createTrainer, type RunSummary, type Trainer, type TrainerParts } from '@espalier/trainer';
import { listCheckpoints, specFile } from '@espalier/trainer/run-folder';
import type { Command } from 'commander';
import { join } from 'node:path';
import type { CommandContext } from '../command-context.js';
import type { Console } from '../console.js';
import { examples } from '../examples.js';
import { createInterrupt } from '../interrupt.js';
import { isolateRun } from '../local/isolate-run.js';
import { openConfig } from '../local/open-config.js';
import { calledAs, collect, quoteWord } from '../parse-arguments.js';
import { noteCorrupt } from '../local/open-model.js';
import { requireCheckpointSpace } from '../plan/checkpoint-space.js';
import { countWeights } from '../plan/held-weights.js';
import { readAlgorithms } from '../plan/run-graphs.js';
import { requireRunMemory } from '../plan/require-memory.js';
import { listCreditWarnings } from '../plan/credit-warnings.js';
import { listModelWarnings, listOptimizerWarnings, measureMachine } from '../plan/plan-warnings.js';
import { createValidationMemory, exitCodeOfRun, reportRun } from '../local/report-run.js';
import { validatePromptLength } from '../local/validate-prompt-length.js';
import { type PlannedRun, type PlanParts, planRun } from '../local/resolve-run.js';
import { requireDevice } from '../local/require-device.js';
import { createRunFolder, findRunFolder, type RunFolder } from '../local/run-folder.js';
import { configOfFork, findForkPoint, type ForkPoint, pinToParent } from '../local/fork-point.js';
import { pinnedModel } from '../local/pinned-model.js';
import { findRecordedSpec } from '../local/recorded-run.js';
import { findStartAdapter, keepStartAdapter } from '../local/start-adapter.js';
import { createRunLogs } from '../local/run-logs.js';
import { createReports, namedTrackers, type Reports, reportToHelp } from '../local/run-reports.js';
import { createStepStop, keysOfRun, type StepStop, trainKeys } from '../local/run-keys.js';
import { saveOrigin } from '../local/run-origin.js';
import { createView, type RunView } from '../view/create-view.js';
import { listenForKeys } from '../view/keys.js';
import type { Registry } from '../workspace.js';

interface TrainOptions {
  readonly set: string[];
  readonly resume?: boolean;
  readonly fork?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly events?: string;
  readonly reportTo: readonly string[];
}

/** Adds `espalier train`. */
export function addTrainCommand(program: Command, context: CommandContext): void {
  program
    .command('train [config]')
    .description('train an agent; the run is a folder with spec, metrics, trajectories and checkpoints')
    .option('--set <path=value>', 'change an option of the configuration; repeatable', collect, [])
    .option('--resume', 'resume from the newest valid checkpoint of the newest run of that name, or of --out')
    .option(
      '--fork <run[@step]>',
      'continue with everything a checkpoint of another run folder holds, as a new run; its configuration is the default',
    )
    .option('--out <folder>', 'folder of the run (default: runs/<name>-<n>)')
    .option('--json', 'print events, one JSON object per line')
    .option('--events <file>', 'append events to a file as well, as a worker sends them to its server')
    .option('--report-to <tracker>', reportToHelp, collect, [])
    .addHelpText(
      'after',
      `\nCtrl-C finishes the current turn of each rollout (or the current update), saves the last completed step and\n` +
        `prints the command that resumes, bit for bit; the interrupted step starts over. A second Ctrl-C aborts.\n` +
        `Keys in the live view: ${trainKeys}.\n` +
        examples(
          ['train config/runs/bandit-starpo-s.yaml', 'the smallest run that learns'],
          [
            'train config/runs/sokoban-ppo.yaml --set steps=10 --set rollout.promptsPerStep=4',
            'a shorter one',
          ],
          ['train config/runs/sokoban-ppo.yaml --resume', 'resumes where the last one stopped, bit for bit'],
          [
            'train --fork runs/sokoban-ppo-1@40 --set optimizer.learningRate=1e-5',
            'goes on from its step 40 with a smaller step',
          ],
        ),
    )
    .action(async (config: string | undefined, options: TrainOptions) =>
      context.finish(await train(config, options, context.console)),
    );
}

async function train(config: string | undefined, options: TrainOptions, console: Console): Promise<number> {
  validateStart(config, options);
  const trackers = namedTrackers(options.reportTo);
  const forkPoint = options.fork === undefined ? undefined : findForkPoint(options.fork);
  const source = config ?? (forkPoint && configOfFork(forkPoint)) ?? '';
  const { input, registry } = await openConfig(source, options.set, console);
  const pin = pinOf(options, forkPoint);
  const planning = { registry, console, ...(pin === undefined ? {} : { pin }) };
  const resolved = await planRun(input, [], planning);
  noteCorrupt(resolved.model, console);
  const notes = await validateNeeds(config ?? `--fork ${options.fork}`, resolved, registry);
  const { name } = resolved.spec;
  const folder =
    options.resume === true ? findRunFolder(name, options.out) : createRunFolder(name, options.out);
  validateDisk(resolved, folder, registry);
  const planned = options.resume === true ? resolved : keepStartAdapter(resolved, folder);
  if (options.json !== true) {
    for (const note of notes) console.note(note);
    // a worker passes every option of a run; its creator has seen which of the chosen ones change nothing
    const chosen = options.events === undefined ? listChosenInert(planned, config === undefined) : [];
    warnOfOptions(planned, chosen, registry, console);
  }
  const model = describeModelChoice(planned.spec.model);
  const title = { folder: folder.path, spec: planned.spec, model, ...summaryOf(planned.spec, registry) };
  const view = createView(title, console, options.json === true);
  const seen = createValidationMemory();
  const logs = createRunLogs(folder.path);
  const outbox = options.events === undefined ? [] : [createOutboxSink(options.events)];
  const stepStop = createStepStop();
  const reports = createReports(trackers, { folder: folder.path, spec: planned.spec }, (warning) =>
    sink.emit(warning),
  );
  const sink: EventSink = createTeeSink(logs, ...outbox, seen, view, stepStop, reports);
  const plugins = await openPlugins(planned, registry, folder);
  const recall = (rows: readonly MetricRow[]): void => {
    view.recall(rows);
    for (const { step, time, values } of rows) seen.emit({ kind: 'metrics', step, time, values });
  };
  const parts = {
    registry: plugins,
    folder: folder.path,
    modelFolder: planned.model.folder,
    base: planned.model.base,
    resume: options.resume === true,
    fork: forkPoint?.folder,
    onWait: (message: string) => console.note(`warning: ${message}`),
    sink: (start: { readonly step: number }, logStart: Parameters<typeof logs.rewind>[0]) => {
      if (options.resume === true) {
        const finding = logs.rewind(logStart);
        recall(readMetrics(join(folder.path, 'metrics.jsonl')));
        if (finding !== undefined) sink.emit(corruptLog(start.step, finding));
      }
      return sink;
    },
  };
  const summary = await openTrainer(planned, parts, folder)
    .then(async (trainer) => {
      await saveOrigin(folder.path, planned, registry);
      noteWaiting(trainer, console);
      return runToEnd(
        trainer,
        view,
        { sink, reports, folder: folder.path, stepStop, hasKeys: options.json !== true },
        console,
      );
    })
    .finally(() => plugins.dispose());
  if (options.json !== true) {
    const resume = resumeCommand(
      config ?? specFile(folder.path),
      config === undefined ? [] : options.set,
      folder,
    );
    reportRun(
      summary,
      { folder: folder.path, spec: planned.spec, resume, validations: seen.values, latest: seen.latest() },
      console,
    );
  }
  return exitCodeOfRun(summary);
}

/**
 * Refuses a run whose prompts or models cannot fit, or whose device is not here; gives what may not fit.
 *
 * @throws as validatePromptLength and requireDevice; cli.over_budget
 */
async function validateNeeds(config: string, run: PlannedRun, registry: Registry): Promise<string[]> {
  const notes = await validatePromptLength(run, registry);
  const warnings = await requireRunMemory(config, run, registry);
  if (run.spec.engine === undefined) await requireDevice(run.spec.device);
  return [...notes.map((note) => `note: ${note}`), ...warnings.map((warning) => `warning: ${warning}`)];
}

/** What a run that is resumed, or forked from another, keeps of its beginning. */
function pinOf({ resume, out }: TrainOptions, forkPoint: ForkPoint | undefined): PlanParts['pin'] {
  if (resume !== true) return forkPoint && pinToParent(forkPoint);
  return (spec) => {
    const { path } = findRunFolder(spec.name, out);
    return {
      model: pinnedModel(spec, out) ?? findStartAdapter(spec, path),
      microBatchTokens: findRecordedSpec(path)?.update.microBatchTokens,
    };
  };
}

/** @throws cli.usage */
function validateStart(config: string | undefined, { fork, resume }: TrainOptions): void {
  if (fork !== undefined && resume === true)
    throw new AppError(
      'cli.usage',
      'train: --fork begins a new run and --resume goes on with one; leave one of them out',
    );
  if (config === undefined && fork === undefined)
    throw new AppError(
      'cli.usage',
      'train: no configuration; name a file, such as config/runs/bandit-starpo-s.yaml, or fork a run with --fork',
    );
}

/** Tells agent programs from outside where they are waited for. */
function noteWaiting({ waiting }: Trainer, console: Console): void {
  for (const url of waiting)
    console.note(
      `waiting for agents: POST ${url}/sessions opens a session, which has its base URL and its task`,
    );
}

/** What the only environment of a run is about. */
function summaryOf({ environment }: RunSpec, registry: Registry): { readonly summary?: string } {
  return environment === undefined ? {} : { summary: registry.get('environment', environment.use).summary };
}

/** Refuses a run whose checkpoints do not fit; a folder made for it is removed again. @throws trainer.disk_full */
function validateDisk({ spec, model }: PlannedRun, folder: RunFolder, registry: Registry): void {
  const { critics } = readAlgorithms(spec, registry);
  const { checkpointBytes } = countWeights(spec, model.config, { critics, reference: false });
  const { path } = folder;
  try {
    requireCheckpointSpace(spec, checkpointBytes, {
      folder: path,
      freeBytes: measureMachine(path).diskBytes,
      saved: listCheckpoints(path).length,
    });
  } catch (error) {
    folder.remove();
    throw error;
  }
}

const corruptLog = (step: number, message: string): RunEvent => ({
  kind: 'warning',
  step,
  time: Date.now(),
  code: 'trainer.corrupt_run',
  message,
});

function resumeCommand(config: string, set: readonly string[], folder: RunFolder): string {
  const overrides = set.flatMap((override) => ['--set', override]);
  const words = ['train', config, ...overrides, '--out', folder.path, '--resume'];
  return [calledAs(), ...words.map(quoteWord)].join(' ');
}

/** Opens the plugins where the spec wants them; when that fails, a folder made for the run is removed again. */
async function openPlugins(
  { spec }: PlannedRun,
  registry: Registry,
  folder: RunFolder,
): Promise<IsolatedPlugins> {
  try {
    return await isolateRun(spec, registry);
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** Opens the trainer; when that fails, a folder made for it is removed again. */
async function openTrainer({ spec }: PlannedRun, parts: TrainerParts, folder: RunFolder): Promise<Trainer> {
  try {
    return await createTrainer(spec, parts);
  } catch (error) {
    folder.remove();
    throw error;
  }
}

interface RunParts {
  readonly sink: EventSink;
  readonly reports: Reports;
  readonly folder: string;
  readonly stepStop: StepStop;
  readonly hasKeys: boolean;
}

async function runToEnd(
  trainer: Trainer,
  view: RunView,
  { sink, reports, folder, stepStop, hasKeys }: RunParts,
  console: Console,
): Promise<RunSummary> {
  const interrupt = createInterrupt(
    console,
    () => view.say('stopping after the current turn, then saving the last completed step (again: abort)'),
    () => listCheckpoints(folder).length > 0,
  );
  stepStop.stop = interrupt.stop;
  const keys =
    hasKeys && console.isInteractive ? listenForKeys(keysOfRun(view, trainer, stepStop)) : undefined;
  if (keys !== undefined) view.say('? lists the keys');
  try {
    return await trainer.run(interrupt.signal);
  } finally {
    keys?.dispose();
    interrupt.dispose();
    // the run has flushed what it could; a second refusal must not hide the first error
    await sink.flush().catch(() => undefined);
    const lacking = await reports.close();
    view.close();
    for (const sentence of lacking) console.note(`warning: ${sentence}`);
    await trainer.dispose();
  }
}

/** Options that somebody chose and that change nothing. A fork has all options of its parent, and chose those of `--set`. */
export function listChosenInert(
  { inert, sources }: Pick<PlannedRun, 'inert' | 'sources'>,
  isFork: boolean,
): PlannedRun['inert'] {
  return inert.filter(({ set, path }) => set && (!isFork || isOverridden(sources, path)));
}

function warnOfOptions(
  { spec, derived, inert, sources, model }: PlannedRun,
  chosen: PlannedRun['inert'],
  registry: Registry,
  console: Console,
): void {
  const hasCritic = !inert.some(({ path }) => path === 'criticOptimizer');
  const ofModel = listModelWarnings(spec, registry, model.folder);
  const ofCredit = listCreditWarnings(spec, registry);
  for (const warning of [...ofModel, ...ofCredit, ...listOptimizerWarnings({ spec, derived }, hasCritic)])
    console.note(`warning: ${warning}`);
  for (const { path, reason } of chosen) console.note(`note: ${path} changes nothing here: ${reason}`);
  if (sources.get('update.microBatchTokens') === 'memory')
    console.note(
      `note: micro-batches of ${spec.update.microBatchTokens} tokens, because of the memory of this machine; for the same bits on another one, set update.microBatchTokens`,
    );
}
