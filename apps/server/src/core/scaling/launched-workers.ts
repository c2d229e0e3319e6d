/** @file Starts, observes and stops the workers of launchers. A row is written before each step, so that a crash forgets none. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { KeyService } from '../access/key.service.js';
import { Clock } from '../database/clock.js';
import type { LaunchedWorker } from '../database/entities/launched-worker.js';
import { createLauncher } from '../launchers/create-launcher.js';
import { LaunchTable } from '../launchers/launch-table.js';
import type { Launcher, Observation } from '../launchers/launcher.js';
import { oneLine } from '../launchers/run-program.js';
import { AttemptService } from '../scheduling/attempts/attempt.service.js';
import { type Allocation, WorkerPool } from '../workers/worker-pool.js';
import { WorkerRows } from '../workers/worker-rows.service.js';
import { OutageLog } from './outage-log.js';
import { nextTransition, type WorkerStatus } from './worker-transitions.js';

/** Observations of one launcher. */
interface Watch {
  readonly launcher: Launcher;
  isPolling: boolean;
  polledAt: number;
  nextPollAt: number;
  failedPolls: number;
}

const longestPollMs = 60_000;
/** between looks while a worker with jobs is disconnected: its lease bounds how long that lasts */
const missingPollMs = 1000;
/** then a worker is over whose leftovers cannot be removed: it counts towards `maximum` until then */
const longestCleanUpMs = 600_000;

@Injectable()
export class LaunchedWorkers {
  private readonly logger = new Logger('launchers');
  private readonly watches = new Map<string, Watch>();
  /** workers whose start is in flight */
  private readonly starting = new Set<string>();
  private readonly idleSince = new Map<string, number>();
  private readonly lostSince = new Map<string, number>();
  private readonly uncleanSince = new Map<string, number>();
  /** workers that were asked to stop by this process */
  private readonly asked = new Set<string>();
  private readonly outages = new OutageLog(this.logger);
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly table: LaunchTable,
    private readonly keys: KeyService,
    private readonly pool: WorkerPool,
    private readonly rows: WorkerRows,
    private readonly attempts: AttemptService,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'launchers' | 'data' | 'port'>,
  ) {
    for (const one of options.launchers)
      this.watches.set(one.name, {
        launcher: createLauncher(one, options.data),
        isPolling: false,
        polledAt: 0,
        nextPollAt: 0,
        failedPolls: 0,
      });
  }

  /** Resolves when nothing is under way, or after a moment: what is left is found again by the next server. */
  async settle(): Promise<void> {
    await Promise.race([Promise.all(this.underWay), sleep(2000, undefined, { ref: false })]);
  }

  /** Starts a worker; returns once its row is stored. @param port that the server listens on */
  async launch(name: string, project: string, port: number): Promise<void> {
    const row = await this.table.add(name, project);
    this.logger.log(
      `launcher ${name}: starting ${row.name}${project === '' ? '' : ` for project ${project}`}`,
    );
    this.starting.add(row.name);
    this.follow(this.start(row, port).finally(() => this.starting.delete(row.name)));
  }

  private async start(row: LaunchedWorker, port: number): Promise<void> {
    const watch = this.watches.get(row.launcher);
    const options = this.table.launcher(row.launcher)?.options;
    if (watch === undefined || options === undefined) return;
    try {
      const { key, secret } = await this.keys.create({ name: row.name, role: 'worker', projects: ['*'] });
      await this.table.change(row, { keyId: key.id });
      const { kind, count, labels, server, command } = options.worker;
      const environment = {
        ESPALIER__WORKER__SERVER: JSON.stringify(server ?? `http://127.0.0.1:${port}`),
        ESPALIER__WORKER__KEY: secret,
        ESPALIER__WORKER__NAME: row.name,
        ESPALIER__WORKER__LABELS: JSON.stringify(labels),
        ...(kind === 'cpu' && { ESPALIER__WORKER__SLOTS: String(count), ESPALIER__WORKER__GPUS: 'off' }),
        ...options.worker.environment,
      };
      const handle = await watch.launcher.start({ name: row.name, environment, command });
      await this.table.change(row, { handle, ...(row.state === 'starting' && { state: 'pending' }) });
      watch.nextPollAt = 0;
    } catch (error) {
      // its answer may be lost and the worker started: it is ended if it is seen
      const reason = `it could not be started: ${oneLine((error as Error).message)}`;
      this.logger.warn(`launcher ${row.launcher}: ${row.name}: ${reason}`);
      this.table.fail(row.launcher, reason);
      await this.table.change(row, { state: 'stopping', reason });
    }
  }

  /** Observes the workers of launchers that are due, each without waiting for the others. */
  poll(): void {
    const now = this.clock.steady();
    for (const [name, watch] of this.watches) {
      if (watch.isPolling || now < this.dueAt(name, watch)) continue;
      watch.isPolling = true;
      this.follow(this.pollOne(name, watch).finally(() => (watch.isPolling = false)));
    }
  }

  /** A worker that is missed is looked for sooner: once it is known to be over, its jobs need not wait for its lease. */
  private dueAt(name: string, { nextPollAt, polledAt, failedPolls }: Watch): number {
    const isMissed = this.table
      .workers(name)
      .some((row) => this.lostSince.has(row.name) && this.jobsOf(row.name).length > 0);
    return isMissed && failedPolls === 0 ? Math.min(nextPollAt, polledAt + missingPollMs) : nextPollAt;
  }

  private async pollOne(name: string, watch: Watch): Promise<void> {
    const status = this.table.launcher(name);
    const known = this.table.workers(name).filter((row) => !this.starting.has(row.name));
    if (status === undefined) return;
    let delay = status.options.pollSeconds * 1000;
    try {
      const seen = await watch.launcher.observe(known);
      watch.failedPolls = 0;
      status.isObserved = true;
      this.outages.succeed(name, `launcher ${name}: its workers are observed again`);
      if (!this.table.isBackingOff(status)) status.problem = '';
      for (const row of known) await this.apply(row, seen.get(row.name), watch);
    } catch (error) {
      watch.failedPolls += 1;
      status.problem = `its workers cannot be observed: ${oneLine((error as Error).message)}`;
      this.outages.fail(name, `launcher ${name}: ${status.problem}`);
      delay = Math.min(longestPollMs, delay * 2 ** Math.min(watch.failedPolls, 6));
    }
    watch.polledAt = this.clock.steady();
    watch.nextPollAt = watch.polledAt + delay;
  }

  private async apply(row: LaunchedWorker, seen: Observation | undefined, watch: Watch): Promise<void> {
    if (seen === undefined) return this.end(row, 'it no longer exists', watch);
    if (seen.phase === 'ended') return this.end(row, seen.reason, watch);
    if (row.handle === null) await this.table.change(row, { handle: seen.handle });
    if (row.state === 'stopping') return this.ask(row, watch);
    if (seen.phase === 'unknown') return this.table.change(row, { reason: seen.reason });
    if (seen.phase === 'refused') return this.giveUp(row, seen.reason, watch);
    const isNew = row.state === 'starting' || row.state === 'pending' || row.state === 'running';
    const reason = seen.ending ?? seen.reason;
    if (isNew) await this.table.change(row, { state: seen.phase, reason });
    else if (seen.ending !== undefined) await this.table.change(row, { reason });
  }

  /** Withdraws a worker that its cluster will not run; the launcher backs off. */
  private async giveUp(row: LaunchedWorker, finding: string, watch: Watch): Promise<void> {
    const reason = `the cluster refuses it: ${finding}`;
    this.logger.warn(`launcher ${row.launcher}: ${row.name}: ${reason}`);
    this.table.fail(row.launcher, `${row.name}: ${reason}`);
    await this.table.change(row, { state: 'stopping', reason });
    await this.ask(row, watch);
  }

  /** Asks a worker to stop, and ends it when that took too long. */
  private async ask(row: LaunchedWorker, { launcher }: Watch): Promise<void> {
    const seconds = this.table.launcher(row.launcher)?.options.stopSeconds ?? 0;
    const isForced = this.clock.now() - row.changedAt > seconds * 1000;
    if (this.asked.has(row.name) && !isForced) return;
    try {
      await launcher.stop(row, isForced);
      this.asked.add(row.name);
      this.outages.succeed(row.name, `launcher ${row.launcher}: ${row.name} is told to stop`);
    } catch (error) {
      this.outages.fail(
        row.name,
        `launcher ${row.launcher}: ${row.name} cannot be stopped yet: ${oneLine(String(error))}`,
      );
    }
  }

  /** Ends a worker that is over. Its row stays until what it has left behind is removed, so that this is tried again. */
  private async end(row: LaunchedWorker, finding: string, watch: Watch): Promise<void> {
    const wasStopped = row.state === 'stopping';
    const reason = wasStopped && row.reason !== '' ? row.reason : finding;
    if (!wasStopped && row.connectedAt === null)
      this.table.fail(row.launcher, `${row.name} ended before it connected: ${finding}`);
    if (row.keyId !== '') await this.keys.discard(row.keyId);
    await this.giveUpJobs(row.name, reason);
    if (!(await this.isCleanedUp(row, watch))) return this.table.change(row, { state: 'stopping', reason });
    this.logger.log(`launcher ${row.launcher}: ${row.name} is over: ${reason}`);
    await this.table.change(row, { state: 'ended', reason, endedAt: this.clock.now() });
    for (const map of [this.idleSince, this.lostSince, this.uncleanSince, this.asked, this.outages])
      map.delete(row.name);
  }

  /** Removes what a worker has left behind; true as well once that has failed for too long. */
  private async isCleanedUp(row: LaunchedWorker, watch: Watch): Promise<boolean> {
    const { name, launcher } = row;
    try {
      await watch.launcher.cleanUp(row);
      return true;
    } catch (error) {
      const now = this.clock.now();
      const isLast = now - (since(this.uncleanSince, name, true, now) ?? now) >= longestCleanUpMs;
      const what = `launcher ${launcher}: what ${name} left behind ${isLast ? 'stays' : 'cannot be removed yet'}: ${oneLine(String(error))}`;
      if (isLast) this.logger.warn(what);
      else this.outages.fail(name, what);
      return isLast;
    }
  }

  /** Queues its jobs again at once: its key has ended, so it cannot return for them. */
  private async giveUpJobs(name: string, reason: string): Promise<void> {
    const id = this.pool.named(name)?.row.id;
    // its connection may still seem to be open: it gets nothing more
    this.pool.suspendIfSilent(id, this.clock.now());
    const loss = { reason: `its worker is over: ${reason}`, isGone: true };
    for (const { attemptId } of this.jobsOf(name))
      await this.attempts.lose(attemptId, { ...loss, isCounted: this.pool.hasVanished(id) });
  }

  private jobsOf(name: string): Allocation[] {
    const id = this.pool.named(name)?.row.id ?? '';
    return this.pool.allocationsOf(id).filter(({ isOrphan }) => !isOrphan);
  }

  /** Moves the workers on: those that have connected, are idle, late or lost. */
  async advance(): Promise<void> {
    const now = this.clock.now();
    for (const { options } of this.table.launchers()) {
      const own = this.table.workers(options.name);
      let spare =
        own.filter(({ state }) => state !== 'draining' && state !== 'stopping').length - options.minimum;
      for (const row of own) {
        const step = nextTransition(row, this.statusOf(row, now), options, spare > 0, now);
        if (step === null) continue;
        if (step.state === 'draining' || step.state === 'stopping') spare -= 1;
        if (step.state === 'online') this.table.succeed(options.name);
        if (step.isFailure) this.table.fail(options.name, `${row.name}: ${step.reason}`);
        const first = step.state === 'online' && row.connectedAt === null;
        await this.table.change(row, {
          state: step.state,
          reason: step.reason,
          ...(first && { connectedAt: now }),
        });
        if (step.state === 'draining') await this.drain(row);
        // the cluster may say why it drains, and only until it has ended
        this.pollSoon(options.name);
      }
    }
  }

  /**
   * Stops a worker: its jobs save and continue elsewhere.
   *
   * @throws server.not_found
   */
  async stop(name: string): Promise<LaunchedWorker> {
    const row = this.table.worker(name);
    if (row === undefined)
      throw new AppError(
        'server.not_found',
        `stop the launched worker "${name.slice(0, 100)}": there is none of this name, or it is over; list them to find its name`,
      );
    if (!this.watches.has(row.launcher))
      throw new AppError(
        'server.not_found',
        `stop the launched worker "${name}": its launcher "${row.launcher}" is not in the settings any more, and nothing else reaches it; put the launcher back until its workers have ended, or end the worker where it runs`,
      );
    if (row.state !== 'stopping')
      await this.table.change(row, { state: 'stopping', reason: 'a user stopped it' });
    this.pollSoon(row.launcher);
    return row;
  }

  /** Withdraws a worker that has waited in its cluster for a while, and that no job needs any more. */
  async withdraw(name: string): Promise<void> {
    const row = this.table.worker(name);
    const seconds = this.table.launcher(row?.launcher ?? '')?.options.idleSeconds ?? 0;
    if (row?.state !== 'pending' || this.clock.now() - row.changedAt < seconds * 1000) return;
    await this.table.change(row, { state: 'stopping', reason: 'no job needs it any more' });
    this.pollSoon(row.launcher);
  }

  private pollSoon(launcher: string): void {
    const watch = this.watches.get(launcher);
    if (watch !== undefined) watch.nextPollAt = 0;
  }

  /** Gives it no new jobs; one that is assigned at this moment is finished first. */
  private async drain({ name }: LaunchedWorker): Promise<void> {
    const worker = this.pool.named(name);
    if (worker !== undefined && !worker.row.draining)
      await this.rows.change(worker.row.id, { draining: true });
  }

  private statusOf({ name, connectedAt }: LaunchedWorker, now: number): WorkerStatus {
    const worker = this.pool.named(name);
    // one whose handshake is incomplete, or that is silent, gets no jobs
    const isConnected = worker !== undefined && worker.link !== null && !worker.isSuspended;
    const hasWork = worker !== undefined && this.pool.allocationsOf(worker.row.id).length > 0;
    return {
      isConnected,
      isDraining: worker?.row.draining === true,
      hasWork,
      idleSince: since(this.idleSince, name, isConnected && !hasWork, now),
      disconnectedSince: since(this.lostSince, name, !isConnected && connectedAt !== null, now),
    };
  }

  private follow(work: Promise<void>): void {
    const own = work
      .catch((error: unknown) => this.logger.warn(`a step of a launcher failed: ${String(error)}`))
      .finally(() => this.underWay.delete(own));
    this.underWay.add(own);
  }
}

/** Since when something holds; null: it does not. */
function since(times: Map<string, number>, name: string, holds: boolean, now: number): number | null {
  if (!holds) times.delete(name);
  else if (!times.has(name)) times.set(name, now);
  return times.get(name) ?? null;
}
