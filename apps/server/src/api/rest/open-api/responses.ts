/** @file REST responses about runs, jobs and attempts. */
import { evaluationJob, evaluationResult, jobNeeds, pluginVersion } from '@espalier/protocol';
import { z } from 'zod';
import { Attempt } from '../../../core/database/entities/attempt.js';
import { Job } from '../../../core/database/entities/job.js';
import { Run } from '../../../core/database/entities/run.js';
import { GroupTestsType, RunComparisonType } from '../../graphql/types/comparison.type.js';
import { RunPlanType } from '../../graphql/types/run-plan.type.js';
import { plannedSources } from '../../../core/runs/create/run-plan.js';
import type { BulkOutcome } from '../../../core/runs/run-bulk.service.js';
import { toRunDto } from '../../../core/runs/run-queries.service.js';
import { type DtoOptions, dtoSchema, pageSchema } from './response-schema.js';

const listedJob = {
  project: z.string(),
  needs: jobNeeds,
  evaluate: evaluationJob.extend({ step: z.int() }).nullable(),
};
const jobOptions: DtoOptions = { also: { ...listedJob, result: evaluationResult.nullable() } };
const attemptResponse = dtoSchema(Attempt, {
  without: ['jobId', 'runId', 'versions', 'plugins', 'gitRevision'],
});

/** A job in a list. */
export const listedJobResponse = dtoSchema(Job, {
  name: 'ListedJob',
  without: ['result'],
  also: listedJob,
});
/** A job. */
export const jobResponse = dtoSchema(Job, jobOptions);
/** A job with its attempts. */
export const jobDetailResponse = dtoSchema(Job, {
  ...jobOptions,
  name: 'JobDetail',
  also: { ...jobOptions.also, whyWaiting: z.string().nullable(), attempts: z.array(attemptResponse) },
});

const also = {
  needs: jobNeeds,
  plugins: z.array(pluginVersion).nullable(),
  versions: z.record(z.string(), z.string()).nullable(),
};
export const run = dtoSchema(Run, { also });
/** In a list: without fields that may be long. */
const listedRun = dtoSchema(Run, {
  name: 'ListedRun',
  without: ['spec', 'source'],
  also,
});
export const runList = pageSchema(listedRun);
export const runPlan = dtoSchema(RunPlanType, {
  also: {
    needs: jobNeeds,
    plugins: z.array(pluginVersion),
    sources: z.record(z.string(), z.enum(plannedSources)),
    estimate: z.record(z.string(), z.unknown()).nullable(),
  },
});
export const runComparison = dtoSchema(RunComparisonType);
export const groupTests = dtoSchema(GroupTestsType);

const refusal = z.object({ code: z.string(), message: z.string() });
/** Of an action on several runs: for each the run or the refusal. */
export const bulkRuns = z.object({
  items: z.array(z.object({ runId: z.string(), run: run.nullable(), refusal: refusal.nullable() })),
});

export function toBulkResponse(outcome: BulkOutcome): object {
  const { runId } = outcome;
  if ('run' in outcome) return { runId, run: toRunDto(outcome.run), refusal: null };
  const { code, message } = outcome.refusal;
  return { runId, run: null, refusal: { code, message } };
}
