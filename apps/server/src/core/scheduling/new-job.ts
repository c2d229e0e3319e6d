import type { Job } from '../database/entities/job.js';
import { queueOf } from './job-queue.js';

type Given = 'id' | 'runId' | 'project' | 'needs' | 'createdAt' | 'createdBy';

/** Fills in what every job begins with. */
export function newJob(given: Pick<Job, Given> & Partial<Job>): Job {
  return {
    kind: 'train',
    state: 'queued',
    message: '',
    priority: 0,
    queue: queueOf(given),
    queuedAt: given.createdAt,
    startedAt: null,
    endedAt: null,
    token: 0,
    crashes: 0,
    tries: 0,
    losses: 0,
    pluginsSince: 0,
    notBefore: null,
    control: null,
    leaseUntil: null,
    workerId: null,
    attemptId: null,
    evaluate: null,
    result: null,
    ...given,
  };
}
