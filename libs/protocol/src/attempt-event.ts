/**
 * @file The events of an attempt, as a worker sends them. Each attempt has three streams, and each stream is a file of
 * lines on the worker: `trainer` is written by the training process, `log` holds what it printed, `worker` what the
 * worker saw. A line's number, from 1, is its sequence; so a reader that starts over loses and doubles nothing.
 */
import { phases, stopReasons } from '@espalier/contracts';
import { type FailureLabel, failureLabels } from '@espalier/contracts/failure-labels';
import { healthStates, monitorActions, ruleNames, runOutcomes } from '@espalier/contracts/health';
import { inFlightLimits, turnPhases } from '@espalier/contracts/in-flight';
import { type UpdateOutcome, updateOutcomes } from '@espalier/contracts/update-record';
import { z } from 'zod';
import { count, metricName, printedText, size, step, text, time } from './bounds.js';
import { evaluationResult } from './evaluation-result.js';
import { pluginVersion } from './plugin-version.js';

export const attemptStreams = ['trainer', 'log', 'worker'] as const;
export type AttemptStream = (typeof attemptStreams)[number];

/** null stands for NaN and infinities, which JSON does not know */
const finite = z.number().nullable();

/** What a list of trajectories shows of one, and what full-text search reads; the tokens stay in its file. */
export const trajectoryRow = z.object({
  id: text(200).describe('unique within a run: `split/step/group/index`'),
  environment: text(200),
  environmentTag: text(64).nullable().optional().describe('its tag in a run of several environments'),
  split: z.enum(['train', 'validation', 'test']),
  group: count,
  index: count,
  stateSeed: z.number(),
  reward: finite.describe('total score'),
  environmentReward: finite,
  success: z.boolean(),
  stopReason: z.enum(Object.keys(stopReasons) as [keyof typeof stopReasons]),
  labels: z
    .array(z.enum(Object.keys(failureLabels) as [FailureLabel]))
    .max(Object.keys(failureLabels).length)
    .describe('what went wrong'),
  turns: count,
  tokens: count,
  sampledTokens: count,
  kept: z.boolean().describe('entered the batch'),
  dropped: z
    .object({
      reason: text(40).describe('short code, e.g. low-variance'),
      numbers: z.record(text(40), finite).describe('what decided, e.g. its deviation and rank'),
    })
    .nullable()
    .optional()
    .describe('why its group did not enter the batch'),
  outcome: z
    .enum(Object.keys(updateOutcomes) as [UpdateOutcome])
    .nullable()
    .optional()
    .describe('what became of it in the update; null: it was never to be trained on'),
  lossTokens: count.nullable().optional().describe('sampled tokens that the loss mask covers'),
  clippedTokens: count
    .nullable()
    .optional()
    .describe('loss tokens that were clipped at the last optimizer pass; null: not trained, or not recorded'),
  updateShare: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .optional()
    .describe('its share of the update of its step; null: not trained, or not recorded'),
  error: printedText(20_000).nullable(),
  text: printedText(20_000).describe('observations and responses, for search; cut at 20,000 characters'),
});
export type TrajectoryRow = z.infer<typeof trajectoryRow>;

/** A rule of the collapse monitor that fires, and what it was computed from. */
export const healthFinding = z.object({
  rule: z.enum(ruleNames).describe('its name; docs/learn/collapse.md has the list'),
  level: z.enum(['warning', 'collapsed']).describe('how far it went'),
  input: text(64).describe('what it looks at'),
  measure: finite.describe('what the limit is about'),
  limit: z.number().describe('the limit that the measure has passed'),
  value: finite.describe('the value of the input, averaged as the rule says'),
  baseline: finite.describe('what the value was compared with; null: nothing'),
  since: count.describe('step of the first check in a row at which it fired'),
  history: z.array(z.number()).max(32).describe('the latest values of the input, oldest first'),
});

/** A setting that a roll-back has changed. */
export const changedSetting = z.object({
  path: text(200).describe('its path in the spec'),
  from: z.number().describe('the number before'),
  to: z.number().describe('the number from now on'),
});

/** The health of a run in short. */
export const healthSummary = z.object({
  state: z.enum(healthStates).describe('its state'),
  since: count.describe('step at which it entered the state; 0: it has always been in it'),
  evidence: printedText(20_000).describe('what was found then; empty: nothing'),
});

/** What an artifact holds. */
const artifactKinds = ['checkpoint', 'trajectories', 'spec', 'log', 'evaluation'] as const;
export type ArtifactKind = (typeof artifactKinds)[number];

export const attemptEvent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run-started'),
    time,
    step,
    steps: count.describe('steps the run is to have'),
    attempt: count.min(1).describe('attempt that trains it'),
  }),
  z.object({
    kind: z.literal('phase'),
    time,
    step,
    phase: z.enum(phases),
    done: z.number(),
    total: z.number(),
  }),
  z.object({ kind: z.literal('metrics'), time, step, values: z.record(metricName, finite) }),
  z.object({ kind: z.literal('trajectory'), time, step, row: trajectoryRow }),
  z.object({
    kind: z.literal('turn'),
    time,
    step,
    id: text(200).describe('of the trajectory that it will be: `split/step/group/index`'),
    environment: text(200),
    turn: count.describe('turn, from 0'),
    phase: z
      .enum(Object.keys(turnPhases) as [keyof typeof turnPhases])
      .default('sampling')
      .describe('the model writes, the environment acts, or the turn is over'),
    observation: printedText(inFlightLimits.text)
      .nullable()
      .describe('the state as shown to the model, its first 2,000 characters; null: as told before'),
    render: printedText(inFlightLimits.text)
      .nullable()
      .describe('the state as drawn for people, its first 2,000 characters; null: as told before'),
    image: text(inFlightLimits.image)
      .nullable()
      .describe('base64 of a PNG; null: none, a larger one, or as told before'),
    response: printedText(inFlightLimits.text)
      .nullable()
      .describe('what the model wrote, its first 2,000 characters; null: it is still writing'),
    actions: z.array(printedText(200)).max(20).describe('actions that reached the environment, the first 20'),
    reward: finite.describe('sum of the environment’s rewards'),
    totalReward: finite.default(0).describe('of the episode up to this turn'),
    ended: z
      .enum(Object.keys(stopReasons) as [keyof typeof stopReasons])
      .nullable()
      .describe('why the episode ended with it; null: it goes on'),
  }),
  z.object({
    kind: z.literal('checkpoint'),
    time,
    step,
    folder: text(1000).describe('its folder, as the training process names it'),
  }),
  z.object({
    kind: z.literal('level'),
    time,
    step,
    environmentTag: text(64).optional().describe('its tag in a run of several environments'),
    from: count.min(1).describe('level before, from 1'),
    to: count.min(1).describe('level now: higher after a promotion, lower after a demotion'),
    levels: count.min(1).describe('levels of the curriculum'),
    successRate: z.number().min(0).max(1).describe('success rate at the level before'),
    groups: count.describe('newest groups at that level that the rate is over'),
  }),
  z.object({
    kind: z.literal('warning'),
    time,
    step,
    code: text(200).describe('stable code'),
    message: printedText(20_000).describe('what was found and what to do'),
  }),
  z.object({
    kind: z.literal('monitor'),
    time,
    step,
    state: z.enum(healthStates).describe('the health of the run from now on'),
    previous: z.enum(healthStates).describe('its health before'),
    action: z
      .enum(monitorActions)
      .nullable()
      .describe('what is done about it; null: nothing, as it got better'),
    restored: step
      .nullable()
      .describe('step of the checkpoint that a roll-back returned to; null: there was none'),
    changes: z.array(changedSetting).max(50).describe('settings that a roll-back has changed'),
    findings: z.array(healthFinding).max(ruleNames.length).describe('the rules that fire, the worst first'),
    message: printedText(20_000).describe('what was found, in a sentence or a few'),
  }),
  z.object({
    kind: z.literal('run-ended'),
    time,
    step,
    outcome: z.enum(runOutcomes).describe('how it ended'),
    message: printedText(20_000).describe('why, in a sentence; empty: nothing to explain'),
    health: healthSummary
      .nullable()
      .optional()
      .describe('what the run has come to; null: its collapse monitor has checked nothing'),
  }),
  // stream `log`
  z.object({ kind: z.literal('log'), time, text: printedText(20_000).describe('the line') }),
  // stream `worker`
  z.object({
    kind: z.literal('process-started'),
    time,
    pid: count.describe('process id on its host'),
    host: text(300).describe('name of that host'),
    devices: z.array(text(200)).max(1024).describe('ids of its devices'),
    versions: z.record(text(100), text(300)).describe('versions of libraries, Node and Espalier'),
    plugins: z.array(pluginVersion).max(1024).describe('plugins it uses'),
    gitRevision: text(100).nullable().describe('git revision of the installation; null: unknown'),
  }),
  z.object({
    kind: z.literal('artifact'),
    time,
    step,
    artifact: z.enum(artifactKinds).describe('what it holds'),
    path: text(1000).describe('path inside the run, with forward slashes'),
    bytes: size.describe('size in bytes'),
    sha256: text(64, { least: 64 }).describe('of its bytes, in hexadecimal'),
  }),
  z.object({
    kind: z.literal('evaluated'),
    time,
    step,
    result: evaluationResult.describe('what `espalier eval --json` printed'),
  }),
  z.object({
    kind: z.literal('process-ended'),
    time,
    code: z.int32().nullable().describe('exit code; null: a signal ended it'),
    signal: text(40).nullable().describe('signal that ended it; null: none'),
    message: printedText(20_000).describe(
      'why, in a sentence or a few; the end of what it printed if it crashed',
    ),
    asked: z
      .enum(['pause', 'cancel', 'kill', 'drain'])
      .optional()
      .describe('what its worker had asked it to do; `drain`: to save and stop, because the worker drains'),
    isFinal: z
      .boolean()
      .optional()
      .describe('every retry would end the same way, as nothing is left to learn from'),
    isPaused: z
      .boolean()
      .optional()
      .describe('its collapse monitor paused the run, which waits until it is resumed'),
    lacksPlugins: z
      .boolean()
      .optional()
      .describe('it was not started, because the worker has other plugins than the job started with'),
  }),
]);
export type AttemptEvent = z.infer<typeof attemptEvent>;

/** An event with its place in its stream. */
export const numberedEvent = z.object({ sequence: count.min(1), event: attemptEvent });
export type NumberedEvent = z.infer<typeof numberedEvent>;
