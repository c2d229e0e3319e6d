/**
 * @file The launchers and the workers they have started that are not over. The rows are written first and mirrored here, so
 * that reading them costs nothing; only the scaler changes them.
 */
import { randomBytes } from 'node:crypto';
import type { JobNeeds } from '@espalier/protocol';
import { toIsoTime } from '@espalier/protocol/bounds';
import { Inject, Injectable } from '@nestjs/common';
import { LessThan, Not } from 'typeorm';
import type { LauncherOptions } from '../../config/launcher-options.js';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { Clock } from '../database/clock.js';
import { LaunchedWorker } from '../database/entities/launched-worker.js';
import { RunLog } from '../database/run-log.js';

/** How a launcher fares. */
export interface LauncherStatus {
  readonly options: LauncherOptions;
  /** its workers have been observed since this server began; it starts nothing before */
  isObserved: boolean;
  /** failed starts in a row */
  failures: number;
  /** it starts nothing before then (ms since the epoch); 0: it may */
  backoffUntil: number;
  /** why it backs off, or cannot reach its cluster; empty: all is well */
  problem: string;
}

const longestBackoffMs = 3_600_000;

@Injectable()
export class LaunchTable {
  private readonly statuses = new Map<string, LauncherStatus>();
  private readonly open = new Map<string, LaunchedWorker>();

  constructor(
    private readonly log: RunLog,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) { launchers }: Pick<ServerOptions, 'launchers'>,
  ) {
    for (const options of launchers)
      this.statuses.set(options.name, {
        options,
        isObserved: false,
        failures: 0,
        backoffUntil: 0,
        problem: '',
      });
  }

  /** Reads the rows of workers that an earlier server started. */
  async load(): Promise<void> {
    await this.log.read(async (manager) => {
      const rows = await manager.findBy(LaunchedWorker, { state: Not('ended') });
      for (const row of rows) this.open.set(row.name, row);
    });
  }

  launchers(): LauncherStatus[] {
    return [...this.statuses.values()];
  }

  launcher(name: string): LauncherStatus | undefined {
    return this.statuses.get(name);
  }

  /** Workers that are not over. */
  workers(launcher?: string): LaunchedWorker[] {
    const all = [...this.open.values()];
    return launcher === undefined ? all : all.filter((row) => row.launcher === launcher);
  }

  worker(name: string): LaunchedWorker | undefined {
    return this.open.get(name);
  }

  /** Workers of launchers that the settings do not have any more: nothing observes or stops them. */
  abandoned(): LaunchedWorker[] {
    return this.workers().filter(({ launcher }) => !this.statuses.has(launcher));
  }

  /** Stores a worker that is about to be started. */
  async add(launcher: string, project: string): Promise<LaunchedWorker> {
    const now = this.clock.now();
    const row: LaunchedWorker = {
      name: `${launcher}-${randomBytes(4).toString('hex')}`,
      launcher,
      project,
      state: 'starting',
      reason: '',
      handle: null,
      keyId: '',
      createdAt: now,
      changedAt: now,
      connectedAt: null,
      endedAt: null,
    };
    await this.log.write('launchers', (manager) => manager.insert(LaunchedWorker, row as never));
    this.open.set(row.name, row);
    return row;
  }

  /** Changes a worker, in the database first; nothing if it is over, or already so. */
  async change(row: LaunchedWorker, patch: Partial<LaunchedWorker>): Promise<void> {
    const known = this.open.get(row.name);
    const fields = Object.entries(patch) as [keyof LaunchedWorker, never][];
    if (known === undefined || fields.every(([field, value]) => known[field] === value)) return;
    const isMove = patch.state !== undefined && patch.state !== known.state;
    const full = isMove ? { ...patch, changedAt: this.clock.now() } : patch;
    await this.log.write('launchers', (manager) => manager.update(LaunchedWorker, { name: row.name }, full));
    Object.assign(known, full);
    if (known.state === 'ended') this.open.delete(row.name);
  }

  /** Deletes the rows of workers that were over before a time. */
  async deleteEndedBefore(time: number): Promise<void> {
    await this.log.write('launchers', (manager) =>
      manager.delete(LaunchedWorker, { state: 'ended', endedAt: LessThan(time) }),
    );
  }

  /** Starts a backoff after a failed start, longer with each in a row. */
  fail(launcher: string, problem: string): void {
    const status = this.statuses.get(launcher);
    if (status === undefined) return;
    const delay = status.options.backoffSeconds * 1000 * 2 ** Math.min(status.failures, 20);
    status.failures += 1;
    status.problem = problem;
    status.backoffUntil = this.clock.now() + Math.min(longestBackoffMs, delay);
  }

  /** A worker has connected: starts work. */
  succeed(launcher: string): void {
    const status = this.statuses.get(launcher);
    if (status !== undefined) Object.assign(status, { failures: 0, backoffUntil: 0, problem: '' });
  }

  isBackingOff({ backoffUntil }: LauncherStatus): boolean {
    return backoffUntil > this.clock.now();
  }

  /**
   * Says what launchers do about a job that waits; null: no launcher starts such a worker.
   *
   * @param connected names of the workers that are connected; the scaler enters a new one here only at its next pass
   */
  explain(needs: JobNeeds, project: string, connected: ReadonlySet<string>): string | null {
    const fitting = this.launchers().filter(({ options }) => fits(needs, options.worker));
    const sentences = fitting.map((status) => this.explainOne(status, project, connected));
    return sentences.length === 0 ? null : sentences.join(' ');
  }

  private explainOne(status: LauncherStatus, project: string, connected: ReadonlySet<string>): string {
    const { name, maximum, perProject } = status.options;
    const own = this.workers(name);
    const coming = own.filter(
      ({ name: worker, state }) =>
        (state === 'starting' || state === 'pending' || state === 'running') && !connected.has(worker),
    );
    const [first] = coming;
    if (first !== undefined) {
      const others = coming.length === 1 ? '' : ` (and ${coming.length - 1} more)`;
      return `The launcher "${name}" has started the worker "${first.name}"${others}, which has not connected yet${first.reason === '' ? '' : `: ${first.reason}`}.`;
    }
    if (this.isBackingOff(status))
      return `The launcher "${name}" backs off until ${toIsoTime(status.backoffUntil)}: ${asSentence(status.problem)}`;
    if (own.length >= maximum) return `The launcher "${name}" has its maximum of ${maximum} workers.`;
    const ofProject = own.filter((row) => row.project === project).length;
    if (perProject > 0 && ofProject >= perProject)
      return `The launcher "${name}" has started ${ofProject} of at most ${perProject} workers for this project (perProject).`;
    if (status.problem !== '')
      return `The launcher "${name}" cannot start workers: ${asSentence(status.problem)}`;
    return `The launcher "${name}" starts a worker for it when no other is free.`;
  }
}

/** Returns whether a worker of a launcher could run a job. */
export function fits(needs: JobNeeds, worker: LauncherOptions['worker']): boolean {
  return (
    worker.kind === needs.kind &&
    worker.count >= needs.count &&
    (worker.memoryMb === 0 || worker.memoryMb >= needs.memoryMb) &&
    needs.labels.every((label) => worker.labels.includes(label))
  );
}

/** What a program has printed often ends with a full stop of its own. */
const asSentence = (text: string): string => `${text.trimEnd().replace(/\.$/, '')}.`;
