/** @file Requests that create and change runs; one schema for GraphQL and REST. */
import { jobNeeds, type JobState, jobStates, maxContinuedTurns, maxRescored } from '@espalier/protocol';
import { count, text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { orderQuery, pageQuery } from '../database/page.js';
import { flag, moment, several, wholeNumber } from '../input/parse-input.js';

const nameLength = 'expected 1 to 200 characters';
const tagLength = 'expected a tag of 1 to 64 characters';
const priorityRange = 'expected a whole number from -100 to 100';

const name = text(200, { expected: nameLength })
  .trim()
  .min(1, nameLength)
  .describe('its name; default: that of the spec, or for a fork that of its parent with the step');
const title = text(200, { expected: 'expected at most 200 characters' })
  .trim()
  .describe('its title; empty: lists show its name');
const tags = z
  .array(text(64, { expected: tagLength }).trim().min(1, tagLength))
  .max(32, 'expected at most 32 tags')
  .transform((given) => [...new Set(given)])
  .describe('labels to find it by');
const group = text(64, { expected: 'expected at most 64 characters' })
  .trim()
  .describe('what it belongs to, such as a sweep; empty: nothing');
const note = text(20_000, { isMultiline: true }).describe('free text');
const overrides = z
  .array(text(10_000, { isMultiline: true }))
  .max(200)
  .default([])
  .describe('changes on top of the spec, `path=value` each, such as `rollout.promptsPerStep=4`');
const priority = z
  .int(priorityRange)
  .min(-100, priorityRange)
  .max(100, priorityRange)
  .describe('−100 to 100; higher is scheduled first');

/** Needs as a user states them. */
export const wantedNeeds = jobNeeds.extend({
  kind: jobNeeds.shape.kind
    .removeDefault()
    .optional()
    .describe('kind of device; default: `gpu` where device.provider is cuda, else `cpu`'),
});

export const idempotencyKey = text(255, { least: 1 })
  .optional()
  .describe(
    'chosen by the client, new for each new request: the same request sent again with it is answered with the same run',
  );

/** Fields of every request that creates a run. */
const labels = {
  name: name.optional(),
  priority: priority.default(0),
  tags: tags.default([]),
  group: group.default(''),
  note: note.default(''),
  idempotencyKey,
};

export const runRequest = z.strictObject({
  source: text(1_000_000, { isMultiline: true }).optional().describe('the spec as YAML text'),
  spec: z.record(z.string(), z.unknown()).optional().describe('the spec as JSON; instead of `source`'),
  overrides,
  project: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'expected 1 to 63 lower-case letters, digits and dashes, no dash first',
    )
    .optional()
    .describe(
      'project it belongs to: lower-case letters, digits, dashes; default: the first of the key, or `default`',
    ),
  ...labels,
  needs: wantedNeeds.optional().describe('devices it needs; default: one GPU or CPU device, see `kind`'),
});
export type RunRequest = z.output<typeof runRequest>;
export const planRequest = runRequest.omit({ idempotencyKey: true }).extend({
  estimate: z.boolean().default(true).describe('estimate tokens, memory and time, too, which takes seconds'),
});

export const forkRequest = z.strictObject({
  step: count.optional().describe('step of the checkpoint to start from; default: the newest'),
  checkpoint: text(1000).optional().describe('its folder among the artifacts; instead of `step`'),
  continue: z
    .boolean()
    .default(false)
    .describe(
      'go on with everything the checkpoint holds (moments, critic, counters, curricula, monitor) instead of the weights only',
    ),
  twin: z
    .boolean()
    .default(false)
    .describe(
      'with `continue`: queue the unchanged fork as well, which has to repeat its parent bit for bit (see `twin` of a run)',
    ),
  overrides,
  ...labels,
  needs: wantedNeeds.optional().describe('devices it needs; default: those of its parent'),
});
export type ForkRequest = z.output<typeof forkRequest>;
export const planForkRequest = forkRequest.omit({ idempotencyKey: true, twin: true }).extend({
  estimate: z.boolean().default(false).describe('estimate tokens, memory and time, too, which takes seconds'),
});
export type PlanFork = z.output<typeof planForkRequest>;

export const rescoring = z.strictObject({
  rewards: z
    .array(z.record(z.string(), z.unknown()))
    .max(maxRescored.rewards)
    .default([])
    .describe('rewards instead of those of the run, each as in a spec: {use: length, weight: 0.5}'),
  logprobs: z
    .boolean()
    .default(false)
    .describe('let the checkpoint give every sampled token its log-probability and entropy'),
  steps: z
    .array(count)
    .min(1)
    .max(maxRescored.steps)
    .optional()
    .describe(
      `steps whose trajectories are scored, at most ${maxRescored.steps}, with \`logprobs\` ${maxRescored.tokenSteps}; default: all that are stored`,
    ),
  trajectory: text(200)
    .optional()
    .describe(
      `id of the only trajectory whose tokens the checkpoint scores, one by one: at most ${maxRescored.tokens} sampled ones; needs \`logprobs\``,
    ),
});

export const evaluateRequest = z.strictObject({
  step: count.optional().describe('step of the checkpoint; default: the newest'),
  episodes: z
    .int()
    .min(1)
    .max(20_000)
    .optional()
    .describe(
      'initial states to play, at most 20000; with 20000, a rate is accurate to 0.7 points; default: 128, or 32 continuations of each turn of a trajectory',
    ),
  split: z.enum(['validation', 'test']).optional().describe('which states; default: `test`'),
  trajectory: text(200)
    .optional()
    .describe('continue this trajectory of the run from its turns, instead of playing initial states'),
  turns: z
    .array(count)
    .min(1)
    .max(maxContinuedTurns)
    .optional()
    .describe(`turns to continue the trajectory from, from 0, at most ${maxContinuedTurns}; default: all`),
  rescore: rescoring
    .optional()
    .describe(
      'score stored trajectories of the run again, by other rewards or by the checkpoint, instead of playing',
    ),
  priority: priority.default(0),
});
export type EvaluateRun = z.output<typeof evaluateRequest>;

/** Annotations of a run; omitted fields stay as they are. */
const annotations = {
  title: title.optional(),
  tags: tags.optional().describe('all its tags from now on'),
  group: group.optional(),
  note: note.optional(),
};
export const annotationRequest = z.strictObject(annotations);
export type RunAnnotation = z.output<typeof annotationRequest>;
export const editRequest = annotationRequest.extend({ priority: priority.optional() });
export type RunEdit = z.output<typeof editRequest>;
export const cancelRequest = z.strictObject({
  now: z.boolean().default(false).describe('end its process at once; without, it saves first'),
});

const acceptPlugins = z
  .boolean()
  .default(false)
  .describe('resume with the plugins installed now, even if it was created with others');
export const resumeRequest = z.strictObject({ acceptPlugins });

/** Actions on several runs at once. */
export const bulkActions = {
  pause: 'Let them save and stop.',
  resume: 'Requeue those that are stopped.',
  cancel: 'End them for good; they save first, unless `now` is set.',
  delete: 'Delete those that are stopped, with all their data.',
  tag: 'Add and remove tags.',
} as const;

export const bulkRequest = z.strictObject({
  action: z
    .enum(Object.keys(bulkActions) as [keyof typeof bulkActions])
    .describe('what to do to each of them'),
  runIds: z.array(text(100)).min(1).max(100).describe('the runs, at most 100'),
  now: cancelRequest.shape.now,
  acceptPlugins,
  addTags: tags.default([]).describe('to tag: tags to add'),
  removeTags: tags.default([]).describe('to tag: tags to remove'),
});
export type BulkRequest = z.output<typeof bulkRequest>;

const state = z.enum(Object.keys(jobStates) as [JobState]);
const states = Object.keys(jobStates).length;

/** What a list of runs can be ordered by. */
export const runOrderFields = {
  createdAt: 'when it was created',
  startedAt: 'when its first attempt started; runs that have not started count as the newest',
  endedAt: 'when it stopped; runs that have not stopped count as the newest',
  name: 'its name',
} as const;
export type RunOrderField = keyof typeof runOrderFields;

/** Selects runs; all conditions apply together. */
export const runConditions = z.strictObject({
  ids: z.array(text(100)).max(500).optional().describe('one of these, as far as they are there'),
  project: text(200).optional().describe('only of this project'),
  states: z.array(state).max(states).optional().describe('in any of these states'),
  tag: text(200).optional().describe('has this tag'),
  group: text(64).optional().describe('of this group; empty: of none'),
  text: text(1000, { isMultiline: true })
    .optional()
    .describe('words in name, title, tags, group, note and the plugins of its spec'),
  parentRunId: text(100).optional().describe('forked from this run'),
  createdFrom: moment.optional().describe('created then or later; 2026-11-21T13:46:35Z'),
  createdBefore: moment.optional().describe('created earlier; 2026-11-21T13:46:35Z'),
});
export type RunConditions = z.output<typeof runConditions>;

const of = runConditions.shape;
/** `GET /runs` */
export const runsQuery = pageQuery.extend({
  id: several(text(100), 500).optional().describe('one of these; may be given several times'),
  project: of.project,
  tag: of.tag,
  group: of.group,
  text: of.text,
  parentRunId: of.parentRunId,
  state: several(state, states).optional().describe('any of these; may be given several times'),
  createdFrom: of.createdFrom,
  createdBefore: of.createdBefore,
  ...orderQuery(runOrderFields),
});

/** What curves of groups are drawn along. */
export const curveAxes = {
  step: 'completed iterations',
  tokens: 'tokens sampled in training since the start of the run (`total/sampled_tokens`)',
  seconds: 'wall-clock seconds since the first row of the run',
} as const;
export type CurveAxis = keyof typeof curveAxes;

const mostCompared = 300;
const comparedRuns = (what: string) =>
  several(text(100), mostCompared)
    .refine(({ length }) => length > 0, 'expected at least 1 entry')
    .describe(`${what}, at most ${mostCompared}; may be given several times`);

/** Selects the runs and metrics to compare. */
export const comparison = z
  .strictObject({
    id: comparedRuns('the runs'),
    metric: several(text(200), 200).optional().describe('may be given several times; default: all'),
    last: wholeNumber.pipe(z.int().min(1)).default(10).describe('values that tailMean is over'),
    by: several(text(200), 20)
      .optional()
      .describe('options that make a group, dotted; default: all but seed and name'),
    fromStep: wholeNumber.default(0).describe('first step; 0 is before the first iteration'),
    toStep: wholeNumber.optional().describe('last step'),
    axis: z
      .enum(Object.keys(curveAxes) as [CurveAxis])
      .default('step')
      .describe('what curves of groups are along'),
    points: wholeNumber
      .pipe(z.int().min(0).max(2000))
      .default(0)
      .describe('places of these curves at most; 0: no curves'),
    ledger: flag.default(false).describe('what each run has cost, over all its steps'),
  })
  .refine(
    ({ fromStep, toStep = Infinity }) => fromStep <= toStep,
    'the range of steps is reversed: fromStep is greater than toStep',
  );
export type Comparison = z.output<typeof comparison>;

/** Two groups of runs to test against each other. */
export const groupTestRequest = z.strictObject({
  id: comparedRuns('runs of a group'),
  against: comparedRuns('runs of the group that it is tested against'),
});
