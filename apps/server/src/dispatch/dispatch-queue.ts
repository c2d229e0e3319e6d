/**
 * @file The strategy behind dispatching: a persistent queue of tickets in lanes. A ticket stands for one queued job; a
 * lane is a class of equal needs (`cpu-1`, `gpu-2`). Three implementations: the database (`EmbeddedDispatchQueue`), and
 * BullMQ on Redis or PostgreSQL (`BullMqDispatchQueue`); one conformance suite holds them to what is written here.
 * What a job is and who may take it is decided elsewhere.
 */
import { AppError } from '@espalier/contracts';

/** A place in the queue. */
export interface Ticket {
  readonly jobId: string;
  readonly lane: string;
  /** higher is served first; integer within ±{@link priorityLimit} */
  readonly priority: number;
  /** time of queueing, ms since 1970; among equal priorities the older is served first */
  readonly enqueuedAt: number;
}

/** How many tickets there are, by what keeps them from being taken. */
export interface DispatchCounts {
  /** can be taken now */
  readonly waiting: number;
  /** given back with a time before which they are not offered */
  readonly resting: number;
  /** taken and neither settled, given back nor expired */
  readonly held: number;
}

/**
 * A persistent queue of tickets. Every method rejects with `dispatch.unavailable` while the service behind it is away,
 * and works again when it is back; nothing offered is lost by that. Ties in priority and age have no promised order.
 */
export interface DispatchQueue {
  /** The tickets lie in the server's own database. A queue elsewhere may hang: nothing may wait for it with a write. */
  readonly isInDatabase: boolean;
  /** Connects and prepares the storage. */
  start(): Promise<void>;
  /** Disconnects; tickets and holds stay. */
  close(): Promise<void>;
  /** Puts a ticket in its lane unless the job already has one anywhere; tells whether it was new. */
  offer(ticket: Ticket): Promise<boolean>;
  /**
   * Takes the first ticket of a lane for a holder. No two takers get the same ticket; after `holdMs` it can be taken
   * again unless it was settled or extended, and its holder has lost it.
   */
  take(lane: string, holder: string, holdMs: number): Promise<Ticket | null>;
  /** Removes a held ticket for good; false when the holder does not hold it. */
  settle(jobId: string, holder: string): Promise<boolean>;
  /** Returns a held ticket to its place, from `notBefore` (ms since 1970) on; false when the holder does not hold it. */
  giveBack(jobId: string, holder: string, notBefore?: number): Promise<boolean>;
  /** Holds for another `holdMs` from now; false when the holder does not hold it. */
  extend(jobId: string, holder: string, holdMs: number): Promise<boolean>;
  /** Removes a ticket wherever it is, held or not; false when there is none. */
  withdraw(jobId: string): Promise<boolean>;
  /** Changes the priority of a ticket wherever it is; its age stays. False when there is none. */
  reprioritise(jobId: string, priority: number): Promise<boolean>;
  /** Lists the first tickets that can be taken now, in order; without a lane over all lanes. */
  waiting(lane: string | undefined, limit: number): Promise<readonly Ticket[]>;
  count(lane?: string): Promise<DispatchCounts>;
  /** Number of tickets of its lane that come before this one; null when it cannot be taken now. */
  position(jobId: string): Promise<number | null>;
  /** Lanes with tickets that can be taken now, by name. */
  lanes(): Promise<readonly string[]>;
  /** Calls back with the lane when this process made a ticket available; returns the way to stop that. */
  onOffer(listener: (lane: string) => void): () => void;
}

/** Largest absolute priority of a ticket. */
export const priorityLimit = 1_000_000;

const lanePattern = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,119}$/;

/** Checks a priority; throws `dispatch.invalid_ticket`. */
export function checkPriority(jobId: string, priority: number): void {
  if (!Number.isInteger(priority) || Math.abs(priority) > priorityLimit)
    throw new AppError(
      'dispatch.invalid_ticket',
      `ticket of job ${jobId}: priority is ${priority}; expected an integer within ±${priorityLimit}`,
    );
}

/** Checks the parts of a ticket; throws `dispatch.invalid_ticket`. */
export function checkTicket({ jobId, lane, priority, enqueuedAt }: Ticket): void {
  const refuse = (finding: string) =>
    new AppError('dispatch.invalid_ticket', `ticket of job ${JSON.stringify(jobId)}: ${finding}`);
  if (jobId.length === 0 || jobId.length > 200) throw refuse('the id has to have 1 to 200 characters');
  if (!lanePattern.test(lane))
    throw refuse(`lane ${JSON.stringify(lane)}; expected letters, digits and ._~- only, at most 120`);
  if (!Number.isSafeInteger(enqueuedAt) || enqueuedAt < 0)
    throw refuse(`enqueuedAt is ${enqueuedAt}; expected milliseconds since 1970`);
  checkPriority(jobId, priority);
}

/** Sorts as the queue serves: higher priority first, then older, then by job for a total order. */
export function compareTickets(a: Ticket, b: Ticket): number {
  return (
    b.priority - a.priority ||
    a.enqueuedAt - b.enqueuedAt ||
    (a.jobId < b.jobId ? -1 : a.jobId > b.jobId ? 1 : 0)
  );
}
