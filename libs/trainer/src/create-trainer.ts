/**
 * @file The composition root: creates a run from a spec, plugins, a sink and a folder. Order matters when resuming:
 * reference and critic are opened while the policy is still the starting model, then weights are loaded.
 */
import { basename, resolve } from 'node:path';
import {
  AppError,
  type EventSink,
  type PolicyEngine,
  type PolicyModel,
  type RunSpec,
  type Tokenizer,
} from '@espalier/contracts';
import { loadTokenizer } from '@espalier/model';
import { validateForEngine } from '@espalier/tinker';
import {
  listLevels,
  listTrained,
  listValidated,
  rolloutAt,
  type TaggedSpec,
} from '@espalier/contracts/mixing';
import { collectEpisodes, collectTags, encodeInitialPrompts, validateTokenizer } from '@espalier/rollout';
import { type AgentPlayers, openAgentPlayers } from './agent-players.js';
import { createChanceEstimator } from './chance.js';
import { baseFolderOf, bindEnvironment, bindRewards, modelFolderOf, rolloutOf } from './bind-plugins.js';
import { type Checkpoint, hashStartingModel, type StartingModel } from './checkpoint.js';
import { beginAttempt } from './attempts.js';
import { beginFork, loadForkPoint } from './continue-fork.js';
import { createRemovableFolder } from '@espalier/files';
import type { RunSummary } from './end-run.js';
import { type EnergyMeter, openEnergyMeter } from './energy-meter.js';
import { startLevels } from './curriculum.js';
import { chooseTasks, dealLevels } from './deal-states.js';
import { mayRollBack } from './healthy-checkpoints.js';
import { useSettings } from './monitor-actions.js';
import { openRunEngine, restoreWeights } from './models.js';
import type { PluginLookup } from './bind-plugins.js';
import { type LogStart, validateRunExists, resolveStart, type StartPoint } from './resume.js';
import {
  type CollectGroups,
  emitWarning,
  type RunContext,
  type ValidatedEnvironment,
} from './run-context.js';
import { followEpisodes, type FollowedEpisodes } from './follow-episodes.js';
import { openCritics } from './critics.js';
import { createRunLock } from './run-lock.js';
import { SampleAhead } from './sample-ahead.js';
import { placeValidated } from './evaluate.js';
import { runTrainer } from './trainer.js';
import {
  bindAlgorithms,
  listUsed,
  needsGreedyBaseline,
  needsOf,
  type RunAlgorithms,
  type RunNeeds,
} from './tag-algorithms.js';
import { startTasks } from './tasks.js';
import { startState, type TrainerState } from './trainer-state.js';
import { wrapWriteErrors } from './write-failure.js';

export interface TrainerParts {
  readonly registry: PluginLookup;
  /** receives events; a function gets the state that the run starts from, to truncate logs to it first */
  readonly sink: EventSink | ((start: TrainerState, logs: LogStart) => EventSink);
  /** the run folder; created when missing */
  readonly folder: string;
  /** where a model of a hub was downloaded to */
  readonly modelFolder?: string;
  /** folder of the base of the adapter in the starting model's; default: that of the spec */
  readonly base?: string | undefined;
  /** resume from the newest valid checkpoint in `folder` */
  readonly resume?: boolean;
  /** checkpoint of another run to continue with everything it holds; not together with `resume` */
  readonly fork?: string | undefined;
  /** default: name of the folder */
  readonly runId?: string;
  /** opened on the starting model; the trainer disposes it. Default: the embedded engine */
  readonly engine?: PolicyEngine;
  /** default: that of the starting model */
  readonly tokenizer?: Tokenizer;
  /** ms since epoch */
  readonly now?: () => number;
  /** told what the start of the run waits for; once it runs, that is a warning of the run */
  readonly onWait?: ((message: string) => void) | undefined;
}

export interface Trainer {
  /** step and counters that the run starts from */
  readonly start: TrainerState;
  /** addresses at which the run waits for agent programs from outside */
  readonly waiting: readonly string[];
  /** Runs once; see {@link runTrainer}. */
  run(signal: AbortSignal): Promise<RunSummary>;
  /** Requests a checkpoint after the current iteration, in addition to those the spec schedules. */
  requestCheckpoint(): void;
  /** Releases models and the folder's lock. */
  dispose(): Promise<void>;
}

/**
 * Creates a trainer; the caller disposes it.
 *
 * @throws trainer.run_locked, trainer.run_exists, trainer.nothing_to_resume, trainer.resume_mismatch,
 *         trainer.fork_mismatch, trainer.corrupt_checkpoint, trainer.corrupt_run, plugin.not_found, and what opening the model throws
 */
export async function createTrainer(spec: RunSpec, parts: TrainerParts): Promise<Trainer> {
  const folder = resolve(parts.folder);
  const removeEmpty = createRemovableFolder(folder);
  const closers: (() => Promise<void> | void)[] = [];
  const dispose = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    if (parts.resume === true) validateRunExists(folder);
    const lock = createRunLock(folder);
    closers.push(() => lock.release());
    const modelFolder = modelFolderOf(spec.model, parts.registry, parts.modelFolder);
    const { plugins, needs } = bindForEngine(spec, parts.registry);
    const described = resolveStart(folder, spec, parts.resume ?? false);
    const forkPoint = loadForkPoint(parts, spec, needs.critics);
    const base = parts.base ?? baseFolderOf(spec.model, parts.registry);
    let onTrouble = (message: string): void => parts.onWait?.(message);
    const stop = new AbortController();
    const told = { onTrouble: (message: string): void => onTrouble(message), stop: stop.signal };
    const engine = parts.engine ?? (await openRunEngine(modelFolder, spec, base, folder, told));
    closers.push(() => engine.dispose());
    const { reference, critics } = await openModels(engine, needs, spec, closers);
    const models = { policy: engine.policy, critics };
    const startPoint = await restoreWeights(folder, spec, described, models);
    const checkpoint = forkPoint ?? startPoint.checkpoint;
    const start = resolveStartingModel(modelFolder, checkpoint, needs.reference || spec.lora !== undefined);
    const state = checkpoint?.state ?? startOf(spec);
    const tokenizer = parts.tokenizer ?? loadTokenizer(modelFolder);
    const now = parts.now ?? Date.now;
    const opened = { engine, tokenizer, closers, followed: followEpisodes(now), plugins };
    const { copy, agents, collectors } = await openCollectors(spec, parts, opened);
    const sink = typeof parts.sink === 'function' ? parts.sink(state, startPoint.logs) : parts.sink;
    opened.followed.tell(sink);
    // before the spec, so that a folder without it never resumes as a run that starts anew
    const forked = forkPoint && (await beginFork(folder, { ...forkPoint, start }, models));
    const attempt = wrapWriteErrors(`start run "${folder}"`, () =>
      beginAttempt(folder, spec, startPoint.checkpoint?.logs?.attempt),
    );
    const run: RunContext = {
      ...plugins,
      ...collectors,
      runId: parts.runId ?? basename(folder),
      attempt,
      folder,
      spec,
      written: spec,
      engine,
      tokenizer,
      critics,
      reference,
      start,
      state,
      ahead: copy && new SampleAhead(copy, checkpoint?.ahead),
      replay: checkpoint?.replay ?? [],
      probes: checkpoint?.probes,
      sink,
      energy: openMeter(spec, engine, closers),
      isInPlace: () => lock.isHeld(),
      now,
      forked,
      isAtForkPoint: forked !== undefined || startPoint.checkpoint?.logs?.isForkPoint === true,
      saved: forked === undefined ? startPoint.checkpoint : { state, folder: forked },
      ...nothingYet,
      metricNames: new Set(),
    };
    useSettings(run);
    onTrouble = (message) => emitWarning(run, 'engine.waiting', message);
    const started = async (signal: AbortSignal): Promise<RunSummary> => {
      if (signal.aborted) stop.abort();
      signal.addEventListener('abort', () => stop.abort(), { once: true });
      warnAtStart(run, startPoint);
      return runTrainer(run, signal);
    };
    const requestCheckpoint = (): void => void (run.isCheckpointRequested = true);
    return { start: state, waiting: agents.waiting, run: started, requestCheckpoint, dispose };
  } catch (error) {
    await dispose();
    removeEmpty();
    throw error;
  }
}

/** What a run counts and notes, before its first iteration. */
const nothingYet = {
  unreportedSaveSeconds: 0,
  reportedCpuSeconds: 0,
  hasDroppedMetrics: false,
  isUpdating: false,
  isCheckpointRequested: false,
};

function openMeter(
  { device }: RunSpec,
  { readDeviceJoules }: PolicyEngine,
  closers: (() => Promise<void> | void)[],
): EnergyMeter {
  const meter = openEnergyMeter(device, { readBoard: readDeviceJoules });
  closers.push(() => meter.close());
  return meter;
}

/** Opens the models that the algorithms need beside the policy. */
async function openModels(
  engine: PolicyEngine,
  needs: RunNeeds,
  { seed }: RunSpec,
  closers: (() => Promise<void> | void)[],
) {
  const reference = needs.reference ? await engine.openReference() : undefined;
  if (reference !== undefined) closers.push(() => reference.dispose());
  const critics = await openCritics(engine, needs.critics, seed, closers);
  return { reference, critics };
}

/** Finds the algorithms, and refuses them where the engine of the run cannot train them. @throws engine.unsupported */
function bindForEngine(spec: RunSpec, registry: PluginLookup) {
  const plugins = bindAlgorithms(spec, registry);
  const needs = needsOf(spec, plugins);
  for (const { algorithm, algorithmParams } of spec.engine === undefined ? [] : listUsed(spec, plugins))
    validateForEngine(spec, needs, algorithm.policyLoss(algorithmParams));
  return { plugins, needs };
}

/** Opens who samples: agent programs, and the copy of the policy that samples ahead, where there is one. */
async function openCollectors(
  spec: RunSpec,
  parts: TrainerParts,
  {
    engine,
    tokenizer,
    closers,
    followed,
    plugins,
  }: {
    readonly plugins: RunAlgorithms;
    readonly engine: PolicyEngine;
    readonly tokenizer: Tokenizer;
    readonly closers: (() => Promise<void> | void)[];
    readonly followed: FollowedEpisodes;
  },
) {
  const copy = spec.rollout.ahead === 0 ? undefined : await engine.openSampler();
  if (copy !== undefined) closers.push(() => copy.dispose());
  closers.push(() => followed.stop());
  const agents = await openAgentPlayers(spec, parts.registry, engine, tokenizer);
  closers.push(() => agents.close());
  const sampler = copy ?? engine.policy;
  const collectors = createCollectors(
    spec,
    { ...parts, agents, plugins },
    { engine, sampler, tokenizer, followed },
  );
  return { copy, agents, collectors };
}

function createCollectors(
  spec: RunSpec,
  parts: TrainerParts & { readonly agents: AgentPlayers; readonly plugins: RunAlgorithms },
  {
    engine,
    sampler,
    tokenizer,
    followed: { onTurn },
  }: {
    readonly engine: PolicyEngine;
    /** samples for training */
    readonly sampler: Pick<PolicyModel, 'sample' | 'release'>;
    readonly tokenizer: Tokenizer;
    readonly followed: FollowedEpisodes;
  },
): Pick<RunContext, 'collect' | 'estimateChance' | 'validated'> {
  validateTokenizer(tokenizer);
  const requestOf = ({ tag, level, spec: own }: TaggedSpec) => ({
    seed: spec.seed,
    rollout: rolloutOf(own),
    tokenizer,
    policy: engine.policy,
    contextLength: engine.description.contextLength,
    environment: bindEnvironment(own, parts.registry),
    rewards: bindRewards(own, parts.registry),
    play: parts.agents.playerOf(own),
    tag,
    level,
  });
  const trainingRequest = (one: TaggedSpec) => ({
    ...requestOf(one),
    policy: sampler,
    greedyBaseline: needsGreedyBaseline(one.tag ?? '', parts.plugins),
  });
  const trained = listTrained(spec).map((one) => ({ one, levels: listLevels(one).map(trainingRequest) }));
  const planned = trained.reduce((sum, { one }) => sum + one.spec.rollout.promptsPerStep, 0);
  // numbers of groups, and so their seeds, leave room for as many replacements as there may be
  const total = planned * (1 + (spec.rollout.resample ?? 0));
  const collect: CollectGroups = (step, played, signal, onProgress, replacements) => {
    const of = { split: 'train', step, signal, onProgress, onTurn } as const;
    return collectTags(
      trained.flatMap(({ one, levels }) => {
        const { promptsPerStep } = one.spec.rollout;
        const { tag = '' } = one;
        const count = replacements === undefined ? promptsPerStep : replacements.counts.get(tag);
        const tasks = chooseTasks(one, played, step, replacements?.before.get(tag) ?? 0);
        return dealLevels(one, played.levels, step, count ?? 0).flatMap(({ level, groups }) => {
          const request = levels[(level ?? 1) - 1];
          if (request === undefined) return [];
          const rollout = { ...rolloutAt(request.rollout, step), promptsPerStep: groups };
          return [{ ...request, ...of, rollout, tasks }];
        });
      }),
      { first: replacements?.first ?? 0, total },
    );
  };
  const validated = placeValidated(listValidated(spec)).map(({ place, ...one }): ValidatedEnvironment => {
    const request = { ...requestOf(one), place };
    const { spec: own } = one;
    const { validation } = own;
    return {
      tag: one.tag,
      environment: one.spec.environment.use,
      trained: one.trained,
      level: one.trained ? undefined : one.level,
      episodes: validation.episodes,
      collect: (step, signal, onProgress) =>
        collectEpisodes({ ...request, split: 'validation', step, signal, onProgress }, validation),
      // an agent program writes its prompts itself
      encodePrompts: async (count) =>
        request.play !== undefined
          ? []
          : encodeInitialPrompts(
              { ...request, split: 'validation', step: 0 },
              { ...own.rollout, episodes: count },
            ),
    };
  });
  return { collect, estimateChance: createChanceEstimator(spec, parts.registry), validated };
}

/** A run that may return to a checkpoint starts with one. */
function startOf(spec: RunSpec): TrainerState {
  const levels = startLevels(spec);
  const tasks = startTasks(spec);
  const healthySteps = mayRollBack(spec) ? [0] : [];
  return {
    ...startState,
    recovery: { ...startState.recovery, healthySteps },
    ...(levels === undefined ? {} : { levels }),
    ...(tasks === undefined ? {} : { tasks }),
  };
}

/** Resolves the starting model; it must be unchanged when weights that are not in the checkpoint are read from it. */
function resolveStartingModel(
  folder: string,
  checkpoint: Checkpoint | undefined,
  isRead: boolean,
): StartingModel {
  const present = hashStartingModel(folder);
  if (checkpoint === undefined) return present;
  const changed = Object.entries(checkpoint.start.files).find(([name, hash]) => present.files[name] !== hash);
  if (changed === undefined || !isRead) return { ...checkpoint.start, folder };
  throw new AppError(
    'trainer.resume_mismatch',
    `resume run: "${changed[0]}" of the starting model "${folder}" has changed since the run started; ` +
      'the reference policy and frozen weights are read from it, so restore that file',
  );
}

/** Warns of checkpoints that could not be used, and of what the engine does otherwise. */
function warnAtStart(run: RunContext, { warnings }: StartPoint): void {
  for (const { code, message } of warnings) emitWarning(run, code, message);
  for (const note of run.engine.description.notes ?? [])
    emitWarning(run, 'engine.limited', `engine: ${note}`);
}
