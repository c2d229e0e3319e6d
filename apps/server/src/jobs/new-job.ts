import { createHash } from 'node:crypto';
import type { JobNeeds, PluginVersion } from '@espalier/protocol';
import type { Ticket } from '../dispatch/dispatch-queue.js';
import type { Job } from './job.entity.js';

type Given = 'id' | 'runId' | 'project' | 'needs' | 'createdAt' | 'createdBy';

/** Fills in what every job begins with. */
export function newJob(given: Pick<Job, Given> & Partial<Job>): Job {
  return {
    ...{ kind: 'train', state: 'queued', message: '', priority: 0, lane: laneOf(given.needs) },
    ...{
      queuedAt: given.createdAt,
      startedAt: null,
      endedAt: null,
      token: 0,
      crashes: 0,
      tries: 0,
      losses: 0,
      pluginsSince: 0,
    },
    ...{ notBefore: null, control: null, leaseUntil: null },
    ...{ workerId: null, attemptId: null, evaluate: null, result: null },
    ...given,
  };
}

/**
 * Names the class of jobs with equal needs, such as `gpu-2`, `gpu-1-24000mb` or `cpu-1-l4f0c2a91`: labels as a hash.
 *
 * @param kept plugins that jobs keep: those that wait for a worker with them hold up nobody else
 */
export function laneOf(
  { kind, count, memoryMb, labels }: JobNeeds,
  kept: readonly PluginVersion[] = [],
): string {
  const memory = memoryMb === 0 ? [] : [`${memoryMb}mb`];
  const wanted = labels.length === 0 ? [] : [`l${shortHash(JSON.stringify([...labels].sort()))}`];
  const plugins = kept.map((plugin) => `${plugin.kind} ${plugin.id} ${plugin.sha256}`).sort();
  const same = plugins.length === 0 ? [] : [`p${shortHash(plugins.join())}`];
  return [kind, count, ...memory, ...wanted, ...same].join('-');
}

/** Names the queue a job waits in: its lane, apart for each key, so that a key at its quota holds up nobody else. */
export function ticketLaneOf({ lane, createdBy }: Pick<Job, 'lane' | 'createdBy'>): string {
  return `${lane}~${shortHash(createdBy)}`;
}

/** What a ticket is made of. */
export type Waiting = Pick<Job, 'id' | 'lane' | 'createdBy' | 'priority' | 'queuedAt' | 'notBefore'>;

/** The columns of it. */
export const ticketSelect = {
  ...{ id: true, lane: true, createdBy: true, priority: true, queuedAt: true, notBefore: true },
} as const;

/** The ticket of a waiting job. */
export function ticketOf(job: Waiting): Ticket {
  return { jobId: job.id, lane: ticketLaneOf(job), priority: job.priority, enqueuedAt: job.queuedAt };
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
