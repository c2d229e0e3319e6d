/** @file New jobs and attempts; the entities have the other initial values. */
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { queueOf } from './job-queue.js';

type GivenToJob = 'id' | 'runId' | 'project' | 'needs' | 'createdAt' | 'createdBy';
type GivenToAttempt =
  | 'id'
  | 'jobId'
  | 'runId'
  | 'number'
  | 'workerId'
  | 'workerName'
  | 'devices'
  | 'assignedAt';

export function newJob(given: Pick<Job, GivenToJob> & Partial<Job>): Job {
  const initial = { queue: queueOf(given), queuedAt: given.createdAt, result: null };
  return Object.assign(new Job(), initial, given);
}

export function newAttempt(given: Pick<Attempt, GivenToAttempt> & Partial<Attempt>): Attempt {
  return Object.assign(new Attempt(), given);
}
