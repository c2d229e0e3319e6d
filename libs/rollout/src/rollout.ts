/**
 * @file One rollout: reset, then in each turn show the state, sample, parse and act, until the episode ends. Failures
 * become data (`stopReason`), never exceptions, so other rollouts continue. score.ts scores the trajectory. The prompt
 * format and the order of steps follow RAGEN.
 */
import {
  type ActionRecord,
  AppError,
  hasCode,
  type RolloutSeeds,
  type PolicyModel,
  type SamplingParams,
  type Split,
  type StopReason,
  type Turn,
} from '@espalier/contracts';
import type { LabelRecord } from '@espalier/contracts/failure-labels';
import { demandedParts } from '@espalier/contracts/prompt-format';
import type {
  EnvironmentInstance,
  EpisodeLimits,
  Observation,
  UnscoredTrajectory,
} from '@espalier/plugin-kit';
import type { AppendedReply, ContextFactory, EpisodeContext } from './context.js';
import { classifyFailure, describeFailure } from './episode-failure.js';
import { labelEpisode, type TurnTrace } from './failure-labels.js';
import type { ShownState } from './message-pieces.js';
import { type ParseOptions, parseReply } from './parse-action.js';
import { answerPlaceholder } from './prompt.js';
import { checkRepeated, type RepeatedTurns, type RecordedSample } from './replay-turns.js';
import { windowSeed } from './seeds.js';
import { withTimeLimit } from './time-limit.js';
import type { WatchedTurn } from './watched-turn.js';

/** The settings that all episodes of one collection share. */
export interface EpisodeSetup {
  /** id of the environment */
  readonly environment: string;
  /** in a run of several environments */
  readonly tag?: string | undefined;
  /** of a curriculum, from 1 */
  readonly level?: number | undefined;
  readonly create: () => EnvironmentInstance;
  readonly contexts: ContextFactory;
  readonly policy: Pick<PolicyModel, 'sample' | 'release'>;
  readonly sampling: SamplingParams;
  /** other episodes start with the same prompt, so the engine may cache it once */
  readonly sharesPrompt?: boolean;
  /** most tokens of a prompt and its reply */
  readonly contextTokens: number;
  readonly format: ParseOptions['format'];
  /** ≤ 0 */
  readonly formatPenalty: number;
  /** timeout of one asynchronous call of the environment, milliseconds; 0 = none */
  readonly environmentTimeoutMs: number;
  /** records the oracle's plan of every turn */
  readonly plans: boolean;
  /** records a picture of every turn's state */
  readonly images: boolean;
  /** the environment itself ends an episode after this many actions */
  readonly ownActions?: number | undefined;
  /** the first turns are not sampled but repeated from a trajectory */
  readonly repeated?: RepeatedTurns | undefined;
  /** told of each turn when the model is asked, when it has written, and when it is over; must not throw */
  readonly onTurn?: ((address: RolloutAddress, turn: WatchedTurn) => void) | undefined;
  /** a stop request: the current turn finishes, no other starts */
  readonly signal?: AbortSignal | undefined;
  /** milliseconds; only differences count */
  readonly now?: () => number;
}

/** Identifies a rollout. */
export interface RolloutAddress {
  readonly split: Split;
  readonly step: number;
  readonly group: number;
  readonly index: number;
  readonly retry: number;
  readonly seeds: RolloutSeeds;
}

/** The state of a running episode. */
interface Progress {
  readonly context: EpisodeContext;
  readonly turns: Turn[];
  readonly traces: TurnTrace[];
  /** the oracle's plan from the state in which the budget ended */
  lastPlan?: readonly string[] | undefined;
  /** prompt tokens before the first reply */
  promptLength?: number;
  /** the window that was sampled from last, from 0 */
  window: number;
  actionsTaken: number;
}

interface ActionsOutcome {
  readonly records: readonly ActionRecord[];
  /** keys of the states before the first action and after each */
  readonly states: readonly string[];
  readonly observation: Observation;
  readonly ended?: 'success' | 'failure';
}

/** Runs one episode, then releases its cache and closes its environment. @throws runtime.device_lost only */
export async function runEpisode(setup: EpisodeSetup, address: RolloutAddress): Promise<UnscoredTrajectory> {
  const now = setup.now ?? (() => performance.now());
  const started = now();
  const id = `${address.split}/${address.step}/${address.group}/${address.index}`;
  const sequence = address.retry === 0 ? id : `${id}/retry-${address.retry}`;
  const progress: Progress = {
    context: setup.contexts.open(),
    turns: [],
    traces: [],
    window: 0,
    actionsTaken: 0,
  };
  let stopReason: StopReason;
  let error: string | undefined;
  let lost: AppError | undefined;
  let environment: EnvironmentInstance | undefined;
  try {
    environment = setup.create();
    stopReason = await playEpisode(setup, address, environment, progress, sequence, now);
  } catch (thrown) {
    stopReason = classifyFailure(thrown, setup.signal);
    error = describeFailure(thrown, setup, address, progress.turns.length);
    if (hasCode(thrown, 'runtime.device_lost')) lost = thrown;
  }
  if (lost === undefined) setup.policy.release([sequence]);
  try {
    await withTimeLimit('close', environment?.close?.(), setup.environmentTimeoutMs);
  } catch (thrown) {
    if (error === undefined) stopReason = classifyFailure(thrown, setup.signal);
    error ??= describeFailure(thrown, setup, address, progress.turns.length);
  }
  if (lost !== undefined) throw lost;
  const { context, turns } = progress;
  const { split, step, group, index, seeds } = address;
  const thinkParts = demandedParts(setup.contexts.options.format);
  return {
    id,
    environment: setup.environment,
    ...(setup.tag === undefined ? {} : { environmentTag: setup.tag }),
    ...(setup.level === undefined ? {} : { level: setup.level }),
    split,
    step,
    group,
    index,
    seeds,
    tokens: context.tokens(),
    logprobs: context.logprobs(),
    entropies: context.entropies(),
    ...(context.windows().length > 1 ? { windows: context.windows() } : {}),
    spans: context.spans(),
    textEnds: context.textEnds(),
    ...(thinkParts.length === 0 ? {} : { thinkParts }),
    turns,
    stopReason,
    success: stopReason === 'success',
    labels: error === undefined && stopReason !== 'cancelled' ? labelsOf(setup, progress, stopReason) : [],
    ...(error === undefined || stopReason === 'cancelled' ? {} : { error }),
    timings: { totalMs: now() - started },
  };
}

function labelsOf(
  { contexts, ownActions = Infinity }: EpisodeSetup,
  { turns, traces, lastPlan, actionsTaken }: Progress,
  stopReason: StopReason,
): LabelRecord[] {
  const { maxTurns, maxActions } = contexts.options.limits;
  const hasBudget = turns.length < maxTurns && actionsTaken < maxActions;
  const reachedOwnLimit = actionsTaken >= ownActions;
  return labelEpisode({ turns, traces, stopReason, lastPlan, hasBudget, reachedOwnLimit });
}

/** Plays turns until the episode ends, and asks the oracle where the budget ended it. */
async function playEpisode(
  setup: EpisodeSetup,
  address: RolloutAddress,
  environment: EnvironmentInstance,
  progress: Progress,
  sequence: string,
  now: () => number,
): Promise<StopReason> {
  const stopReason = await playTurns(setup, address, environment, progress, sequence, now);
  const isOver = stopReason === 'success' || stopReason === 'failure';
  if (!isOver) progress.lastPlan = planOf(setup, environment);
  return stopReason;
}

const planOf = ({ plans }: EpisodeSetup, environment: EnvironmentInstance): readonly string[] | undefined =>
  plans ? environment.oracle?.() : undefined;

/** Plays turns until the episode ends. */
async function playTurns(
  setup: EpisodeSetup,
  address: RolloutAddress,
  environment: EnvironmentInstance,
  progress: Progress,
  sequence: string,
  now: () => number,
): Promise<StopReason> {
  const { context, turns } = progress;
  const { limits, format: prompt } = setup.contexts.options;
  const placeholder = answerPlaceholder(prompt);
  const parts = demandedParts(prompt);
  const { state, noise } = address.seeds;
  setup.signal?.throwIfAborted();
  let observation = await withTimeLimit(
    'reset',
    environment.reset({ state, noise }),
    setup.environmentTimeoutMs,
  );
  while (turns.length < limits.maxTurns) {
    setup.signal?.throwIfAborted();
    checkRepeated(setup.repeated, turns.length, observation);
    const actionsLeft = limits.maxActions - progress.actionsTaken;
    const shown: ShownState = { observation, actionsLeft, reward: turns.at(-1)?.reward ?? 0 };
    const room = setup.contextTokens - setup.sampling.maxTokens - setup.contexts.closingLength;
    if (!fitsContext(setup, context, shown, room)) return 'context';
    context.appendObservation(shown, room);
    const seen = seenState(setup, environment);
    const { environment: id } = setup;
    const asked = { ...seen, environment: id, index: turns.length, observation: observation.text };
    setup.onTurn?.(address, asked);

    const sampleStart = now();
    const sample = await sampleTurn(setup, progress, sequence, address.seeds.sampling);
    const reply = context.appendSampled(sample);
    const sampleMs = now() - sampleStart;

    const { maxActionsPerTurn } = limits;
    const { format } = setup;
    const parsed = parseReply(reply.response, {
      thinking: prompt.thinking,
      parts,
      separator: prompt.actionSeparator,
      placeholder,
      format,
      maxActionsPerTurn,
      available: observation.actions,
    });
    setup.onTurn?.(address, { ...asked, response: reply.response });
    const actStart = now();
    const chosen = parsed.actions.slice(0, actionsLeft);
    const outcome = await takeActions(setup, environment, chosen, observation);
    const timings = { sampleMs, environmentMs: now() - actStart };

    const { penalized, actions: _names, ...read } = parsed;
    const formatPenalty = penalized ? setup.formatPenalty : 0;
    const reading = { ...seen, ...read, formatPenalty, timings };
    const played = closeTurn(turns.length, observation, reading, reply, sample, outcome);
    turns.push(played);
    progress.traces.push({ states: outcome.states, available: observation.actions });
    progress.actionsTaken += outcome.records.length;
    const ended = endOf(outcome, progress, limits);
    setup.onTurn?.(address, { ...asked, played, ...(ended === undefined ? {} : { ended }) });
    if (ended !== undefined) return ended;
    observation = outcome.observation;
  }
  return 'turns';
}

/** Why an episode ends with a turn; undefined: it goes on. */
function endOf(
  { ended }: ActionsOutcome,
  { turns, actionsTaken }: Progress,
  { maxTurns, maxActions }: EpisodeLimits,
): StopReason | undefined {
  if (ended !== undefined) return ended;
  if (actionsTaken >= maxActions) return 'actions';
  return turns.length >= maxTurns ? 'turns' : undefined;
}

/** What the environment tells of a state beside its observation. */
function seenState(
  setup: EpisodeSetup,
  environment: EnvironmentInstance,
): Pick<Turn, 'facts' | 'render' | 'image' | 'plan'> {
  const plan = planOf(setup, environment);
  return {
    facts: environment.facts?.() ?? {},
    render: environment.render(),
    ...(setup.images ? pictureOf(setup, environment) : {}),
    ...(plan === undefined ? {} : { plan: [...plan] }),
  };
}

/** Of several environments those that draw none go without; the only one of a run must draw. */
function pictureOf(
  { environment: id, tag }: EpisodeSetup,
  environment: EnvironmentInstance,
): Pick<Turn, 'image'> {
  if (environment.picture !== undefined)
    return { image: Buffer.from(environment.picture()).toString('base64') };
  if (tag !== undefined) return {};
  throw new AppError('config.impossible_budget', `rollout.images: ${id} draws no pictures; leave it out`);
}

/** Reports whether the prompt leaves room for a full reply and the end of turn; a turn opens only then. */
function fitsContext(setup: EpisodeSetup, context: EpisodeContext, shown: ShownState, room: number): boolean {
  const length = context.measurePrompt(shown, room);
  if (length <= room) return true;
  if (context.turns > 0) return false;
  throw new AppError(
    'config.impossible_budget',
    `open the first turn: it needs ${length + setup.contextTokens - room} tokens including a reply of ${setup.sampling.maxTokens}, the context holds ` +
      `${setup.contextTokens}; shorten the state, lower rollout.maxResponseTokens, or raise rollout.contextTokens up to the model's context`,
  );
}

async function sampleTurn(
  setup: EpisodeSetup,
  progress: Progress,
  sequence: string,
  seed: number,
): Promise<RecordedSample> {
  const repeated = setup.repeated?.replies[progress.turns.length];
  if (repeated !== undefined) return repeated;
  const tokens = progress.context.prompt();
  const window = progress.context.windows().length - 1;
  progress.promptLength ??= tokens.length;
  // a sequence only grows; the next window is another one
  if (window > progress.window) setup.policy.release([sequence]);
  progress.window = window;
  const isShared = setup.sharesPrompt === true && window === 0;
  const shared = isShared ? { sharedPrefix: progress.promptLength } : {};
  const request = { sequence, tokens, params: setup.sampling, seed: windowSeed(seed, window), ...shared };
  const sample = await setup.policy.sample(request);
  if (sample.tokens.length > 0) return sample;
  throw new AppError(
    'engine.invalid_request',
    `sample "${sequence}": the engine returned no tokens; expected at least one`,
  );
}

/** Takes actions one by one until the environment ends; without actions the state is unchanged. */
async function takeActions(
  { environmentTimeoutMs }: EpisodeSetup,
  environment: EnvironmentInstance,
  actions: readonly string[],
  before: Observation,
): Promise<ActionsOutcome> {
  const records: ActionRecord[] = [];
  const states = [before.stateKey];
  let observation = before;
  for (const text of actions) {
    const result = await withTimeLimit('step', environment.step(text), environmentTimeoutMs);
    if (!Number.isFinite(result.reward)) {
      throw new AppError(
        'plugin.failed',
        `step("${text}") returned reward ${result.reward}; rewards must be finite`,
      );
    }
    const { valid, effective, slipped, reward, metrics = {} } = result;
    const chance = slipped === undefined ? {} : { slipped };
    records.push({ text, valid, effective, ...chance, reward, metrics: { ...metrics } });
    observation = result.observation;
    states.push(observation.stateKey);
    if (result.done) return { records, states, observation, ended: result.success ? 'success' : 'failure' };
  }
  return { records, states, observation };
}

type TurnReading = Pick<
  Turn,
  | 'facts'
  | 'render'
  | 'image'
  | 'plan'
  | 'think'
  | 'answer'
  | 'formatValid'
  | 'parsedActions'
  | 'formatPenalty'
  | 'timings'
>;

function closeTurn(
  index: number,
  observation: Observation,
  reading: TurnReading,
  reply: AppendedReply,
  sample: RecordedSample,
  outcome: ActionsOutcome,
): Turn {
  return {
    ...reading,
    ...reply,
    index,
    observation: observation.text,
    stateKey: observation.stateKey,
    actions: outcome.records,
    reward: outcome.records.reduce((sum, action) => sum + action.reward, 0),
    sampleStop: sample.stop,
    ...(sample.policyVersion === undefined ? {} : { policyVersion: sample.policyVersion }),
  };
}
