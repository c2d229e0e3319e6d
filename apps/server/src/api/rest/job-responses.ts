/** @file REST responses about jobs and attempts. */
import { jobNeeds } from '@espalier/protocol';
import { z } from 'zod';
import { arrayOf, type DtoOptions, dtoShape, shapeOf, textOrNull } from './response-schema.js';
import { Attempt } from '../../core/database/entities/attempt.js';
import { Job } from '../../core/database/entities/job.js';

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
/** The same with its attempts. */
export const jobDetailResponse = dtoShape(Job, {
  ...jobOptions,
  name: 'WholeJob',
  also: { ...jobOptions.also, whyWaiting: textOrNull, attempts: arrayOf(attemptResponse) },
});
