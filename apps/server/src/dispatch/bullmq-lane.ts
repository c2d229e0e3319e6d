/**
 * @file One lane on BullMQ: one queue, whose waiting jobs are kept in the order of the tickets, and whose holds and rests
 * end on time. BullMQ orders equal priorities by arrival; a ticket that arrives older than its neighbours is put in front
 * and the still older ones in front of it again. BullMQ's own check for stalled jobs is not used: it needs two rounds,
 * changes the order and gives up on a job after a count.
 */
import type { IQueueBackend, Job } from 'bullmq';
import { type LaneQueue, lockMs } from './bullmq-connection.js';
import { decodeHold, encodeJobId, encodePriority, type Hold, type TicketBody } from './bullmq-ticket.js';
import type { Ticket } from './dispatch-queue.js';

/** A hold that was extended at its last moment is not ended by a reader that has not seen that yet. */
const graceMs = 250;
/** BullMQ wakes resting jobs by itself, to the end of the line; this much later than we do. */
const wakeAfterMs = 1000;
const pageSize = 200;

/** A lane; `ring` is called when something became available that was not offered just now. */
export class BullMqLane {
  readonly #backend: IQueueBackend;
  /** youngest job that went to the end of the line, by BullMQ priority */
  readonly #last = new Map<number, string>();
  /** when to look again at a held or resting job */
  readonly #dueAt = new Map<string, number>();
  #turn: Promise<unknown> = Promise.resolve();
  #isGone = false;

  constructor(
    readonly name: string,
    readonly queue: LaneQueue,
    private readonly now: () => number,
    private readonly ring: () => void,
  ) {
    this.#backend = queue.backend;
    queue.on('error', () => undefined);
  }

  /** Reads the lane once, and repairs its order where a crash interrupted a change. */
  async start(): Promise<void> {
    await this.queue.waitUntilReady();
    const lines = new Map<number, string[]>();
    for await (const job of this.#waiting()) {
      const line = lines.get(job.priority) ?? [];
      line.push(job.id ?? '');
      lines.set(job.priority, line);
    }
    for (const [priority, line] of lines) {
      await this.#sort(priority, line);
      this.#last.set(priority, [...line].sort().at(-1) ?? '');
    }
  }

  /** Adds a ticket at its place; false when the lane has been removed. */
  async add(ticket: Ticket): Promise<boolean> {
    return await this.#inTurn(async () => {
      if (this.#isGone) return false;
      const jobId = encodeJobId(ticket);
      const priority = encodePriority(ticket.priority);
      await this.queue.add(
        'ticket',
        {},
        {
          jobId,
          priority,
          deduplication: { id: ticket.jobId },
          removeOnComplete: true,
          removeOnFail: true,
        },
      );
      if (jobId >= (this.#last.get(priority) ?? '')) this.#last.set(priority, jobId);
      else {
        await this.#backend.changePriority(jobId, priority, true);
        await this.#settleIn(priority, [jobId]);
      }
      return true;
    });
  }

  /**
   * Removes the lane with all that BullMQ keeps of it, unless there is a ticket in it; tells whether it did.
   *
   * @param unlist called before; from then on nobody finds the lane any more
   */
  async remove(unlist: () => Promise<void>): Promise<boolean> {
    return await this.#inTurn(async () => {
      if (this.#isGone || (await this.count()).some((tickets) => tickets > 0)) return false;
      this.#isGone = true;
      await unlist();
      await this.queue.obliterate();
      await this.queue.close();
      return true;
    });
  }

  /** Takes the first job with a token; null when there is none. */
  async take(token: string, until: number): Promise<Job<TicketBody> | null> {
    await this.tidy();
    for (;;) {
      const answer: readonly unknown[] = await this.#backend.moveToActive(token, token);
      const id = answer[1];
      if (typeof id !== 'string' || id === '') return null;
      this.#dueAt.set(id, until + graceMs);
      const job = await this.queue.getJob(id);
      // Otherwise it was withdrawn between these two lines.
      if (job !== undefined) return job;
    }
  }

  /** Tells whether a hold is the present one, whatever its end. */
  async isPresent(id: string, hold: Hold): Promise<boolean> {
    return (await this.#backend.extendLock(id, hold.token, lockMs)) === 1;
  }

  /** Removes a held job for good. */
  async settle(job: Job<TicketBody>, hold: Hold): Promise<boolean> {
    return await isAccepted(() => job.moveToCompleted(undefined, hold.token, false));
  }

  /** Returns a held job to its place, now or later. */
  async giveBack(job: Job<TicketBody>, hold: Hold, notBefore: number): Promise<boolean> {
    const id = job.id ?? '';
    if (notBefore > this.now()) {
      this.#dueAt.set(id, notBefore);
      return await isAccepted(async () => {
        await job.updateData({ notBefore });
        await job.moveToDelayed(notBefore + wakeAfterMs, hold.token);
      });
    }
    if (!(await isAccepted(() => job.moveToWait(hold.token)))) return false;
    await this.#inTurn(() => this.#settleIn(job.priority, [id]));
    return true;
  }

  /** Moves the end of a hold. */
  async extend(job: Job<TicketBody>, hold: Hold, until: number): Promise<boolean> {
    const kept = await isAccepted(() => job.updateData({ hold: { token: hold.token, until } }));
    if (!kept || !(await this.isPresent(job.id ?? '', hold))) return false;
    this.#dueAt.set(job.id ?? '', until + graceMs);
    return true;
  }

  /** Removes a job that nobody holds; false when somebody does. */
  async drop(id: string): Promise<boolean> {
    return (await this.#backend.remove(id, false)) === 1;
  }

  /** Changes a priority, and the place if the job waits. */
  async reprioritise(id: string, priority: number): Promise<boolean> {
    const level = encodePriority(priority);
    return await this.#inTurn(async () => {
      if (!(await isAccepted(() => this.#backend.changePriority(id, level, true)))) return false;
      await this.#settleIn(level, [id]);
      return true;
    });
  }

  /** Ends holds and rests whose time is over. */
  async tidy(): Promise<void> {
    const [active, delayed] = await this.#ids('active', 'delayed');
    const known = new Set([...active, ...delayed]);
    for (const id of this.#dueAt.keys()) if (!known.has(id)) this.#dueAt.delete(id);
    const freed = new Map<number, string[]>();
    const free = (job: Job<TicketBody>) =>
      freed.set(job.priority, [...(freed.get(job.priority) ?? []), job.id ?? '']);
    for (const job of await this.#due(active)) {
      const hold = decodeHold(job);
      this.#dueAt.set(job.id ?? '', (hold?.until ?? 0) + graceMs);
      if (hold === undefined || hold.until + graceMs > this.now()) continue;
      if (await isAccepted(() => job.moveToWait(hold.token))) free(job);
    }
    for (const job of await this.#due(delayed)) {
      this.#dueAt.set(job.id ?? '', job.data.notBefore ?? 0);
      if ((job.data.notBefore ?? 0) > this.now()) continue;
      if (!(await isAccepted(() => job.promote()))) continue;
      await isAccepted(() => job.changePriority({ priority: job.priority, lifo: true }));
      free(job);
    }
    if (freed.size === 0) return;
    await this.#inTurn(async () => {
      for (const [priority, ids] of freed) await this.#settleIn(priority, ids);
    });
    this.ring();
  }

  /** Lists the first waiting jobs in order. */
  async first(limit: number): Promise<readonly Job<TicketBody>[]> {
    if (limit < 1) return [];
    const jobs = (await this.queue.getJobs(['prioritized'], 0, limit - 1, true)) as (
      Job<TicketBody> | undefined
    )[];
    return jobs.filter((job) => job !== undefined);
  }

  /** Ids of all waiting jobs in order. */
  async line(): Promise<readonly string[]> {
    return (await this.#ids('prioritized'))[0];
  }

  /** Numbers of waiting, resting and held jobs. */
  async count(): Promise<readonly [number, number, number]> {
    const [waiting = 0, resting = 0, held = 0] = await this.#backend.getCounts([
      'prioritized',
      'delayed',
      'active',
    ]);
    return [waiting, resting, held];
  }

  async #ids<const T extends readonly ('active' | 'delayed' | 'prioritized')[]>(
    ...states: T
  ): Promise<{ [K in keyof T]: readonly string[] }> {
    const lists = await Promise.all(
      states.map(async (state) => (await this.#backend.getRanges([state], 0, -1, true)).flat()),
    );
    return lists as { [K in keyof T]: readonly string[] };
  }

  /** Those of the jobs that have to be looked at now. */
  async #due(ids: readonly string[]): Promise<readonly Job<TicketBody>[]> {
    const due = ids.filter((id) => (this.#dueAt.get(id) ?? 0) <= this.now());
    const jobs = await Promise.all(due.map((id) => this.queue.getJob(id)));
    return jobs.filter((job) => job !== undefined);
  }

  async *#waiting(): AsyncGenerator<Job<TicketBody>> {
    for (let start = 0; ; start += pageSize) {
      const page = (await this.queue.getJobs(['prioritized'], start, start + pageSize - 1, true)) as (
        Job<TicketBody> | undefined
      )[];
      for (const job of page) if (job !== undefined) yield job;
      if (page.length < pageSize) return;
    }
  }

  /** Puts jobs that stand at the front of their priority behind those that are older. */
  async #settleIn(priority: number, moved: readonly string[]): Promise<void> {
    const youngest = [...moved].sort().at(-1) ?? '';
    const line: string[] = [];
    for await (const job of this.#waiting()) {
      const id = job.id ?? '';
      if (job.priority < priority) continue;
      // Behind the first younger one, everything is in order already.
      if (job.priority > priority || id > youngest) break;
      line.push(id);
    }
    if (youngest > (this.#last.get(priority) ?? '')) this.#last.set(priority, youngest);
    await this.#sort(priority, line);
  }

  /** Brings the beginning of a line into the order of ids, from the youngest to the oldest, each to the front. */
  async #sort(priority: number, line: readonly string[]): Promise<void> {
    if (line.every((id, index) => index === 0 || (line[index - 1] ?? '') <= id)) return;
    for (const id of [...line].sort().reverse())
      await isAccepted(() => this.#backend.changePriority(id, priority, true));
  }

  /** Runs changes of the order one after the other. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return await result;
  }
}

/** Tells whether BullMQ accepted a change; its refusals (job gone, lock lost) carry a negative code. */
async function isAccepted(change: () => Promise<unknown>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && typeof cause.code === 'number' && cause.code < 0)
      return false;
    throw cause;
  }
}
