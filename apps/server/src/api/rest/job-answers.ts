/** @file What REST answers about jobs and attempts. */
import { jobNeeds } from '@espalier/protocol';
import { z } from 'zod';
import { arrayOf, isoTimeOrNull, shapeOf, type Telling, textOrNull, told } from './answer-schema.js';
import { Attempt } from '../../core/database/entities/attempt.js';
import { Job } from '../../core/database/entities/job.js';

const evaluation = z.object({
  path: z.string(),
  step: z.int(),
  episodes: z.int(),
  split: z.enum(['validation', 'test']),
});

const asTold: Telling = {
  without: [],
  also: {
    project: shapeOf(z.string()),
    needs: shapeOf(jobNeeds),
    evaluate: shapeOf(evaluation.nullable()),
    leaseUntil: isoTimeOrNull,
  },
};
const attemptAnswer = told(Attempt, {
  without: ['jobId', 'runId', 'versions', 'plugins', 'gitRevision'],
});

/** What REST answers about a job of a list. */
export const listedJobAnswer = told(Job, { ...asTold, name: 'ListedJob', without: ['result'] });
/** What REST answers about a job. */
export const jobAnswer = told(Job, asTold);
/** The same with its attempts. */
export const wholeJobAnswer = told(Job, {
  ...{ ...asTold, name: 'WholeJob' },
  also: { ...asTold.also, whyWaiting: textOrNull, attempts: arrayOf(attemptAnswer) },
});
