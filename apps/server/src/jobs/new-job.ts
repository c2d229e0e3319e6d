import type { JobNeeds } from '@espalier/protocol';
import type { Job } from './job.entity.js';

type Given = 'id' | 'runId' | 'project' | 'needs' | 'createdAt' | 'createdBy';

/** Fills in what every job begins with. */
export function newJob(given: Pick<Job, Given> & Partial<Job>): Job {
  return {
    ...{ kind: 'train', state: 'queued', message: '', priority: 0, lane: laneOf(given.needs) },
    ...{ queuedAt: given.createdAt, startedAt: null, endedAt: null, token: 0, crashes: 0, leaseUntil: null },
    ...{ workerId: null, attemptId: null, evaluate: null, result: null },
    ...given,
  };
}

/** Names the class of jobs with equal needs, such as `gpu-2` or `cpu-1-24000mb-a100`. */
export function laneOf({ kind, count, memoryMb, labels }: JobNeeds): string {
  const memory = memoryMb === 0 ? [] : [`${memoryMb}mb`];
  return [kind, count, ...memory, ...[...labels].sort()].join('-');
}
