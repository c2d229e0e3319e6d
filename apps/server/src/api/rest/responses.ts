/** @file REST responses about runs, jobs and attempts. */
import { jobNeeds, pluginVersion } from '@espalier/protocol';
import { z } from 'zod';
import { Attempt } from '../../core/database/entities/attempt.js';
import { Job } from '../../core/database/entities/job.js';
import { Run } from '../../core/database/entities/run.js';
import { RunComparison } from '../../core/runs/comparison.type.js';
import type { BulkOutcome } from '../../core/runs/run-bulk.service.js';
import { toRunDto } from '../../core/runs/run-dto.js';
import { RunPlan } from '../../core/runs/run-plan.type.js';
import {
  arrayOf,
  type DtoOptions,
  dtoShape,
  objectOf,
  pageShape,
  type Shape,
  shapeOf,
  textOrNull,
} from './response-schema.js';

const evaluation = z.object({
  path: z.string(),
  step: z.int(),
  episodes: z.int(),
  split: z.enum(['validation', 'test']),
});

const jobOptions: DtoOptions = {
  without: [],
  also: {
    project: shapeOf(z.string()),
    needs: shapeOf(jobNeeds),
    evaluate: shapeOf(evaluation.nullable()),
  },
};
const attemptResponse = dtoShape(Attempt, {
  without: ['jobId', 'runId', 'versions', 'plugins', 'gitRevision'],
});

/** A job in a list. */
export const listedJobResponse = dtoShape(Job, { ...jobOptions, name: 'ListedJob', without: ['result'] });
/** A job. */
export const jobResponse = dtoShape(Job, jobOptions);
/** A job with its attempts. */
export const jobDetailResponse = dtoShape(Job, {
  ...jobOptions,
  name: 'JobDetail',
  also: { ...jobOptions.also, whyWaiting: textOrNull, attempts: arrayOf(attemptResponse) },
});

const also = {
  needs: shapeOf(jobNeeds),
  plugins: shapeOf(z.array(pluginVersion).nullable()),
  versions: shapeOf(z.record(z.string(), z.string()).nullable()),
};
export const run = dtoShape(Run, { also });
/** In a list: without fields that may be long. */
const listedRun = dtoShape(Run, {
  name: 'ListedRun',
  without: ['spec', 'source'],
  also,
});
export const runList = pageShape(listedRun);
export const runPlan = dtoShape(RunPlan, {
  also: {
    needs: shapeOf(jobNeeds),
    plugins: shapeOf(z.array(pluginVersion)),
    sources: shapeOf(z.record(z.string(), z.string())),
    estimate: shapeOf(z.record(z.string(), z.unknown()).nullable()),
  },
});
export const runComparison = dtoShape(RunComparison);

const refusal = objectOf({ code: () => ({ type: 'string' }), message: () => ({ type: 'string' }) });
const orNull =
  (shape: Shape): Shape =>
  (book) => ({ anyOf: [shape(book), { type: 'null' }] });
/** Of an action on several runs: for each the run or the refusal. */
export const bulkRuns = objectOf({
  items: arrayOf(objectOf({ runId: () => ({ type: 'string' }), run: orNull(run), refusal: orNull(refusal) })),
});

export function toBulkResponse(outcome: BulkOutcome): object {
  const { runId } = outcome;
  if ('run' in outcome) return { runId, run: toRunDto(outcome.run), refusal: null };
  const { code, message } = outcome.refusal;
  return { runId, run: null, refusal: { code, message } };
}
