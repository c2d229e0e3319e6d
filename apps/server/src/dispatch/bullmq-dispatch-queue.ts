/**
 * @file The dispatch queue on BullMQ, on Redis or PostgreSQL alike: a queue per lane, and one more whose settings list
 * the lanes. A ticket is found by its job through BullMQ's deduplication key, which also makes offering idempotent.
 */
import { AppError, isAppError } from '@espalier/contracts';
import type { Job } from 'bullmq';
import type { BullMqConnection, LaneQueue } from './bullmq-connection.js';
import { BullMqLane } from './bullmq-lane.js';
import { createToken, decodeHold, decodeTicket, type Hold, type TicketBody } from './bullmq-ticket.js';
import {
  checkPriority,
  checkTicket,
  compareTickets,
  type DispatchCounts,
  type DispatchQueue,
  type Ticket,
} from './dispatch-queue.js';
import { OfferBell } from './offer-bell.js';

interface Found {
  readonly lane: BullMqLane;
  readonly job: Job<TicketBody>;
}

/** Longest time a call may take before it counts as refused, ms. */
const callMs = 15_000;

/** A lane without tickets is removed after this time, ms. */
const keepEmptyMs = 600_000;

/** A dispatch queue on BullMQ; made by `createDispatchQueue`. */
export class BullMqDispatchQueue implements DispatchQueue {
  readonly isInDatabase = false;
  readonly #bell = new OfferBell();
  readonly #lanes = new Map<string, Promise<BullMqLane>>();
  /** lanes that were listed when that was read last */
  #listed = new Set<string>();
  readonly #listing = new Map<string, Promise<void>>();
  /** since when a lane has been without any ticket */
  readonly #emptySince = new Map<string, number>();
  #register: LaneQueue | undefined;

  constructor(
    private readonly connection: BullMqConnection,
    private readonly now: () => number = Date.now,
    private readonly emptyMs = keepEmptyMs,
  ) {}

  async start(): Promise<void> {
    try {
      await refuseAway(async () => {
        await this.connection.start();
        const register = this.connection.open('lanes');
        register.on('error', () => undefined);
        this.#register = register;
        await register.waitUntilReady();
        await this.#openAll();
      });
    } catch (cause) {
      await this.close().catch(() => undefined);
      throw cause;
    }
  }

  async close(): Promise<void> {
    const opened = [...this.#lanes.values()];
    const register = this.#register;
    this.#lanes.clear();
    this.#register = undefined;
    for (const lane of await Promise.allSettled(opened))
      if (lane.status === 'fulfilled') await lane.value.queue.close();
    await register?.close();
    await this.connection.close();
  }

  async offer(ticket: Ticket): Promise<boolean> {
    checkTicket(ticket);
    return await this.#call(async () => {
      if ((await this.#find(ticket.jobId)) !== undefined) return false;
      // The lane found first may be removed at this moment; the next is new.
      while (!(await (await this.#open(ticket.lane, true)).add(ticket)));
      this.#bell.ring(ticket.lane);
      return true;
    });
  }

  async take(lane: string, holder: string, holdMs: number): Promise<Ticket | null> {
    return await this.#call(async () => {
      const until = this.now() + holdMs;
      const opened = await this.#known(lane);
      const job = await opened?.take(createToken(holder, until), until);
      return job === undefined || job === null ? null : decodeTicket(lane, job);
    });
  }

  async settle(jobId: string, holder: string): Promise<boolean> {
    return await this.#held(jobId, holder, ({ lane, job }, hold) => lane.settle(job, hold));
  }

  async giveBack(jobId: string, holder: string, notBefore = 0): Promise<boolean> {
    return await this.#held(jobId, holder, async ({ lane, job }, hold) => {
      const given = await lane.giveBack(job, hold, notBefore);
      if (given && notBefore <= this.now()) this.#bell.ring(lane.name);
      return given;
    });
  }

  async extend(jobId: string, holder: string, holdMs: number): Promise<boolean> {
    return await this.#held(jobId, holder, ({ lane, job }, hold) =>
      lane.extend(job, hold, this.now() + holdMs),
    );
  }

  async withdraw(jobId: string): Promise<boolean> {
    return await this.#call(async () => {
      // It may be taken or given back between looking and removing; then look again.
      for (let attempt = 0; attempt < 10; attempt++) {
        const found = await this.#find(jobId);
        if (found === undefined) return false;
        const { lane, job } = found;
        const hold = decodeHold(job);
        if (hold !== undefined && (await lane.isPresent(job.id ?? '', hold))) {
          if (await lane.settle(job, hold)) return true;
        } else if (await lane.drop(job.id ?? '')) return true;
      }
      throw new AppError(
        'dispatch.unavailable',
        `withdraw job ${jobId}: it kept changing hands; the call can be tried again`,
      );
    });
  }

  async reprioritise(jobId: string, priority: number): Promise<boolean> {
    checkPriority(jobId, priority);
    return await this.#call(async () => {
      const found = await this.#find(jobId);
      return found !== undefined && (await found.lane.reprioritise(found.job.id ?? '', priority));
    });
  }

  async waiting(lane: string | undefined, limit: number): Promise<readonly Ticket[]> {
    return await this.#call(async () => {
      const lists = await Promise.all(
        (await this.#chosen(lane)).map(async (each) => {
          await each.tidy();
          return (await each.first(limit)).map((job) => decodeTicket(each.name, job));
        }),
      );
      return lists.flat().sort(compareTickets).slice(0, limit);
    });
  }

  async count(lane?: string): Promise<DispatchCounts> {
    return await this.#call(async () => {
      const sum = { waiting: 0, resting: 0, held: 0 };
      for (const each of await this.#chosen(lane)) {
        await each.tidy();
        const [waiting, resting, held] = await each.count();
        sum.waiting += waiting;
        sum.resting += resting;
        sum.held += held;
      }
      return sum;
    });
  }

  async position(jobId: string): Promise<number | null> {
    return await this.#call(async () => {
      const found = await this.#find(jobId);
      if (found === undefined) return null;
      await found.lane.tidy();
      const place = (await found.lane.line()).indexOf(found.job.id ?? '');
      return place === -1 ? null : place;
    });
  }

  async lanes(): Promise<readonly string[]> {
    return await this.#call(async () => {
      const names: string[] = [];
      for (const lane of await this.#openAll()) {
        await lane.tidy();
        const [waiting, resting, held] = await lane.count();
        if (waiting > 0) names.push(lane.name);
        if (waiting + resting + held > 0) this.#emptySince.delete(lane.name);
        else await this.#removeIdle(lane);
      }
      return names.sort();
    });
  }

  onOffer(listener: (lane: string) => void): () => void {
    return this.#bell.add(listener);
  }

  /** Runs a call while open, with what the service throws told in our words. */
  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#register === undefined)
      throw new AppError('dispatch.closed', 'dispatch queue: used while not open; call start() first');
    return await refuseAway(work);
  }

  /** Does something with a ticket that the holder holds at present; false when it does not. */
  async #held(
    jobId: string,
    holder: string,
    work: (found: Found, hold: Hold) => Promise<boolean>,
  ): Promise<boolean> {
    return await this.#call(async () => {
      const found = await this.#find(jobId);
      if (found === undefined) return false;
      const hold = decodeHold(found.job);
      if (hold === undefined || hold.holder !== holder || hold.until <= this.now()) return false;
      return (await found.lane.isPresent(found.job.id ?? '', hold)) && (await work(found, hold));
    });
  }

  /** Removes a lane that has been empty for long, with its keys or rows and its connections. */
  async #removeIdle(lane: BullMqLane): Promise<void> {
    const { name } = lane;
    const since = this.#emptySince.get(name) ?? this.now();
    this.#emptySince.set(name, since);
    if (this.now() - since < this.emptyMs) return;
    this.#emptySince.delete(name);
    await lane.remove(async () => {
      this.#lanes.delete(name);
      this.#listed.delete(name);
      await this.#register?.backend.removeQueueMetaFields([`lane:${name}`]);
    });
  }

  async #find(jobId: string): Promise<Found | undefined> {
    const lanes = await this.#openAll();
    const found = await Promise.all(
      lanes.map(async (lane) => {
        const id = await lane.queue.backend.getDeduplicationJobId(jobId);
        const job = id === null ? undefined : await lane.queue.getJob(id);
        return job === undefined ? undefined : { lane, job };
      }),
    );
    return found.find((each) => each !== undefined);
  }

  async #chosen(lane: string | undefined): Promise<readonly BullMqLane[]> {
    if (lane === undefined) return await this.#openAll();
    const known = await this.#known(lane);
    return known === undefined ? [] : [known];
  }

  /** The lane if a ticket was ever offered in it, here or by another server. */
  async #known(lane: string): Promise<BullMqLane | undefined> {
    if (!this.#lanes.has(lane)) await this.#openAll();
    return await this.#lanes.get(lane);
  }

  async #openAll(): Promise<readonly BullMqLane[]> {
    const listed = (await this.#register?.backend.getQueueMeta()) ?? {};
    const fields = Object.keys(listed).filter((field) => field.startsWith('lane:'));
    const names = fields.map((field) => field.slice('lane:'.length));
    this.#listed = new Set(names);
    return await Promise.all(names.map((name) => this.#open(name, false)));
  }

  /** Lists a lane, once for all who ask for it at the same time. */
  async #list(name: string): Promise<void> {
    const present = this.#listing.get(name);
    if (present !== undefined) return await present;
    const listing = (async () => {
      await this.#register?.backend.setQueueMeta({ [`lane:${name}`]: 1 });
      this.#listed.add(name);
    })().finally(() => this.#listing.delete(name));
    this.#listing.set(name, listing);
    await listing;
  }

  /** Opens a lane once; a failed opening is forgotten, so that the next call tries again. */
  async #open(name: string, isNew: boolean): Promise<BullMqLane> {
    // Also when it is open here: another server may have removed it.
    if (isNew && !this.#listed.has(name)) await this.#list(name);
    const present = this.#lanes.get(name);
    if (present !== undefined) return await present;
    const opening = (async () => {
      const queue = this.connection.open(`lane-${name}`);
      const lane = new BullMqLane(name, queue, this.now, () => this.#bell.ring(name));
      try {
        await lane.start();
        return lane;
      } catch (cause) {
        await queue.close().catch(() => undefined);
        throw cause;
      }
    })();
    this.#lanes.set(name, opening);
    opening.catch(() => this.#lanes.delete(name));
    return await opening;
  }
}

/** Turns whatever a service throws, or its silence, into `dispatch.unavailable`. */
async function refuseAway<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer for ${callMs / 1000} s`)), callMs);
  });
  try {
    return await Promise.race([work(), silence]);
  } catch (cause) {
    if (isAppError(cause)) throw cause;
    throw new AppError(
      'dispatch.unavailable',
      `dispatch queue: the service behind BullMQ did not answer (${String(cause)}); the call can be tried again`,
      { cause },
    );
  } finally {
    clearTimeout(timer);
  }
}
