/** @file What jobs need of the dispatch queue, and the token it is injected by. */

/** A place in the queue. */
export interface Ticket {
  readonly jobId: string;
  readonly lane: string;
  readonly priority: number;
  readonly enqueuedAt: number;
}

export interface TicketQueue {
  start(): Promise<void>;
  close(): Promise<void>;
  offer(ticket: Ticket): Promise<boolean>;
  take(lane: string, holder: string, holdMs: number): Promise<Ticket | null>;
  settle(jobId: string, holder: string): Promise<boolean>;
  giveBack(jobId: string, holder: string, notBefore?: number): Promise<boolean>;
  withdraw(jobId: string): Promise<boolean>;
  reprioritise(jobId: string, priority: number): Promise<boolean>;
  waiting(lane: string | undefined, limit: number): Promise<readonly Ticket[]>;
  lanes(): Promise<readonly string[]>;
  onOffer(listener: (lane: string) => void): () => void;
}

/** Token of the queue for injection. */
export const TICKET_QUEUE = Symbol.for('espalier.ticket-queue');
