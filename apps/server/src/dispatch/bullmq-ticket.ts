/**
 * @file How a ticket and a hold are written into a BullMQ job.
 * The job's id begins with the time of queueing, so that ids sort by age. BullMQ serves small numbers first, so its
 * priority is the ticket's, mirrored. The lock's token says who holds and until when; BullMQ stores it in one step with
 * the taking (as lock and as `processedBy`), so no crash can leave a hold without an end.
 */
import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import { priorityLimit, type Ticket } from './dispatch-queue.js';

/** What is stored beside the ticket. */
export interface TicketBody {
  /** an extension of the hold with this token */
  readonly hold?: { readonly token: string; readonly until: number };
  /** time before which a ticket that was given back is not offered, ms since 1970 */
  readonly notBefore?: number;
}

export interface Hold {
  readonly token: string;
  readonly holder: string;
  /** end of the hold, ms since 1970 */
  readonly until: number;
}

/** Builds the id of a ticket's job; ids sort by age. */
export function encodeJobId({ jobId, enqueuedAt }: Ticket): string {
  return `${String(enqueuedAt).padStart(16, '0')}~${encodeURIComponent(jobId)}`;
}

/** Turns a priority into BullMQ's, where 1 is served first. */
export function encodePriority(priority: number): number {
  return priorityLimit + 1 - priority;
}

/** Reads the ticket off a job. */
export function decodeTicket(lane: string, job: Job<TicketBody>): Ticket {
  const [time = '', name = ''] = (job.id ?? '').split('~');
  return {
    jobId: decodeURIComponent(name),
    lane,
    priority: priorityLimit + 1 - job.priority,
    enqueuedAt: Number(time),
  };
}

/** Makes the token of a new hold; no two are equal. */
export function createToken(holder: string, until: number): string {
  return `${until}~${randomUUID()}~${encodeURIComponent(holder)}`;
}

/** Reads the latest hold off a job; it may be over, and undefined means that nobody ever took it. */
export function decodeHold(job: Job<TicketBody>): Hold | undefined {
  const token = job.processedBy;
  if (token === undefined || token === '') return undefined;
  const [until = '', , holder = ''] = token.split('~');
  const extended = job.data.hold?.token === token ? job.data.hold.until : undefined;
  return { token, holder: decodeURIComponent(holder), until: extended ?? Number(until) };
}
