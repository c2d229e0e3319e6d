/**
 * @file Places waiting jobs: by priority, then age; a lane that does not fit now, or whose key is at its quota, does
 * not hold up the others, unless its first job has waited so long that devices are kept for it. What is placed is
 * stored before the worker hears of it.
 */
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { readRow } from '../database/rows.js';
import { RunLog } from '../events/run-log.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { AssignmentService } from './assignment.service.js';
import type { Attempt } from './attempt.entity.js';
import { AttemptService } from './attempt.service.js';
import { choosePlace } from './choose-place.js';
import { Job } from './job.entity.js';
import { KeptDevices } from './kept-devices.js';
import { readKeptPlugins } from './kept-plugins.js';
import { KeyQuotas } from './key-quotas.js';
import { type Lane, LaneBook } from './lane-book.js';
import type { Ticket } from './dispatch.provider.js';
import { ticketLaneOf } from './new-job.js';
import { Tickets } from './tickets.js';

/** Most jobs placed with one commit. */
const together = 8;

@Injectable()
export class SchedulerService {
  private readonly logger = new Logger('scheduler');
  /** version of the pool at which a lane did not fit */
  private readonly unfit = new Map<string, number>();
  private running: Promise<void> | null = null;
  private isAsked = false;
  private isOn = false;

  constructor(
    private readonly tickets: Tickets,
    private readonly lanes: LaneBook,
    private readonly pool: WorkerPool,
    private readonly attempts: AttemptService,
    private readonly assignments: AssignmentService,
    private readonly quotas: KeyQuotas,
    private readonly log: RunLog,
    private readonly kept: KeptDevices,
  ) {
    tickets.onOffer(() => this.wake());
    pool.onRoom(() => this.wake());
  }

  /** Begins to place; before, what is offered only waits. */
  start(): void {
    this.isOn = true;
    this.wake();
  }

  /** Ends placing; resolves when nothing is being placed any more. */
  async stop(): Promise<void> {
    this.isOn = false;
    await this.running;
  }

  /** Places whatever fits, soon. Calls while it is at work lead to one more look. */
  wake(): void {
    if (!this.isOn) return;
    this.isAsked = true;
    this.running ??= this.placeAll().finally(() => {
      this.running = null;
      if (this.isAsked) this.wake();
    });
  }

  /** Lets workers that refused something into placement again when their rest is over, and looks anew. */
  endAvoidance(): void {
    this.kept.endAvoidance();
  }

  /** Resolves when everything that fits now has been placed. */
  async settled(): Promise<void> {
    await this.tickets.settled();
    this.wake();
    while (this.running !== null) await this.running;
    await this.tickets.settled();
  }

  private async placeAll(): Promise<void> {
    this.isAsked = false;
    try {
      while (this.isOn && (await this.placeNext()));
    } catch (error) {
      this.isAsked = false;
      this.logger.warn(`placing stopped until the next look: ${String(error)}`);
    }
  }

  /** Places what fits, several jobs with one commit; false when there is nothing more to place. */
  private async placeNext(): Promise<boolean> {
    const lane = await this.look();
    if (lane === null) return false;
    if (lane === 'again') return true;
    const { attempts, isOver } = this.tickets.isInDatabase
      ? await this.log.write((manager) => this.placeFrom(manager, lane))
      : await this.placeOne(lane);
    for (const attempt of attempts) void this.assignments.deliver(attempt);
    return !isOver;
  }

  /** Finds the lane whose first job is placed next. @param manager of the write in which that is done */
  private async look(manager?: EntityManager): Promise<Lane | 'again' | null> {
    if (!this.kept.begin()) return null;
    let free = this.kept.open();
    // Room that comes while this look goes on is not in it; nor is what an avoided worker has.
    const { version } = this.pool;
    for (const lane of await this.lanes.inOrder(manager)) {
      const isUnfit = this.unfit.get(lane.name) === version;
      if ((isUnfit && !this.kept.hasWaited(lane)) || (await this.isAtQuota(lane.createdBy))) continue;
      if (!isUnfit && choosePlace(lane.needs, free, null, lane.plugins) !== null) return lane;
      this.unfit.set(lane.name, version);
      if (this.kept.hasWaited(lane) && this.kept.keepFor(lane)) free = this.kept.open();
    }
    if (!this.kept.finish()) return null;
    // What was kept is open again, also to lanes that found no room beside it.
    this.unfit.clear();
    return 'again';
  }

  private async placeFrom(
    manager: EntityManager,
    first: Lane,
  ): Promise<{ readonly attempts: readonly Attempt[]; readonly isOver: boolean }> {
    const attempts: Attempt[] = [];
    for (let lane: Lane | 'again' | null = first; attempts.length < together;) {
      if (lane === null) return { attempts, isOver: true };
      if (lane === 'again') break;
      const { name } = lane;
      this.log.afterFailure(manager, () => this.lanes.forget(name));
      const taken = await this.place(manager, lane, await this.tickets.take(name));
      this.lanes.forget(name);
      if (taken === 'nothing') return { attempts, isOver: true };
      if (taken !== 'stale') attempts.push(taken);
      lane = await this.look(manager);
    }
    return { attempts, isOver: false };
  }

  /** The same for one job, where the queue is elsewhere: no write waits for it. */
  private async placeOne(
    lane: Lane,
  ): Promise<{ readonly attempts: readonly Attempt[]; readonly isOver: boolean }> {
    const ticket = await this.tickets.take(lane.name);
    const placed = await this.log.write((manager) => this.place(manager, lane, ticket));
    this.lanes.forget(lane.name);
    return { attempts: typeof placed === 'string' ? [] : [placed], isOver: placed === 'nothing' };
  }

  private async place(
    manager: EntityManager,
    lane: Lane,
    ticket: Ticket | null,
  ): Promise<Attempt | 'stale' | 'nothing'> {
    if (ticket === null) return 'stale';
    const job = await readRow(manager, Job, ticket.jobId);
    if (job?.state !== 'queued') {
      await this.tickets.withdraw(manager, ticket.jobId);
      return 'stale';
    }
    const preferredId = job.id === lane.head.jobId ? lane.preferredId : null;
    // all of a lane keep the same; one that was just moved to another is read anew
    const isOfLane = ticketLaneOf(job) === lane.name;
    const plugins = isOfLane ? lane.plugins : await readKeptPlugins(manager, job);
    const place = choosePlace(job.needs, this.kept.open(), preferredId, plugins);
    if (place !== null) return this.attempts.assign(manager, job, place);
    await this.tickets.giveBack(manager, job.id);
    return 'nothing';
  }

  private async isAtQuota(createdBy: string): Promise<boolean> {
    const limit = await this.quotas.limitOf(createdBy);
    return limit !== null && this.quotas.runningOf(createdBy, this.pool) >= limit;
  }
}
