/** @file Decides how many workers to start for the jobs that wait. Pure: equal queues and workers lead to equal plans. */
import type { Device, JobNeeds } from '@espalier/protocol';
import type { LauncherOptions } from '../../config/launcher-options.js';
import { fits } from '../launchers/launch-table.js';
import { chooseSlot, type FreeWorker } from '../scheduling/placement/choose-slot.js';

type Template = Pick<LauncherOptions, 'name' | 'worker' | 'minimum' | 'maximum' | 'perProject'>;

/** A launcher with the workers it has. */
export interface PlanLauncher {
  readonly options: Template;
  /** it backs off, or cannot reach its cluster */
  readonly isClosed: boolean;
  /** all that are not over; `isComing`: not connected yet; `isLeaving`: gets no new jobs */
  readonly workers: readonly {
    readonly name: string;
    readonly project: string;
    readonly isComing: boolean;
    readonly isLeaving: boolean;
  }[];
}

/** A job that waits. */
export interface WaitingJob {
  readonly project: string;
  readonly needs: JobNeeds;
  readonly createdBy: string;
}

export interface LaunchContext {
  readonly launchers: readonly PlanLauncher[];
  /** free devices of connected workers that get jobs */
  readonly free: readonly FreeWorker[];
  /** in scheduling order */
  readonly waiting: readonly WaitingJob[];
  /** jobs that a key may still start; null: no limit */
  readonly quotaOf: (createdBy: string) => number | null;
}

export interface PlannedLaunch {
  readonly launcher: string;
  readonly project: string;
}

/** Mutable copy of the free devices of a worker, connected or to come. */
interface Capacity {
  readonly id: string;
  readonly labels: readonly string[];
  free: readonly Device[];
}

/** What to start, and which of the workers to come no waiting job needs any more. */
export interface LaunchPlan {
  readonly launches: readonly PlannedLaunch[];
  readonly unneeded: readonly string[];
}

/** Plans the workers to start: the minimum of each launcher, and one where a waiting job fits no free worker. */
export function planLaunches({ launchers, free, waiting, quotaOf }: LaunchContext): LaunchPlan {
  const planned: PlannedLaunch[] = [];
  const capacities: Capacity[] = free.map(({ id, labels, free: devices }) => ({ id, labels, free: devices }));
  const launch = (options: Template, project: string): void => {
    planned.push({ launcher: options.name, project });
    capacities.push(capacityOf(`new-${planned.length}`, options));
  };
  for (const { options, workers, isClosed } of launchers) {
    for (const worker of workers)
      if (worker.isComing && !worker.isLeaving) capacities.push(capacityOf(worker.name, options));
    const missing = options.minimum - workers.filter(({ isLeaving }) => !isLeaving).length;
    const possible = Math.min(missing, options.maximum - workers.length);
    if (!isClosed) for (let count = 0; count < possible; count += 1) launch(options, '');
  }
  const left = new Map<string, number>();
  for (const job of waiting) {
    const quota = left.get(job.createdBy) ?? quotaOf(job.createdBy);
    if (quota !== null && quota <= 0) continue;
    if (quota !== null) left.set(job.createdBy, quota - 1);
    if (take(capacities, job.needs)) continue;
    const launcher = launchers.find(
      (one) => fits(job.needs, one.options.worker) && isOpen(one, planned, job.project),
    );
    if (launcher === undefined) continue;
    launch(launcher.options, job.project);
    take(capacities, job.needs);
  }
  return { launches: planned, unneeded: launchers.flatMap((one) => findUnneeded(one, capacities)) };
}

/** Workers to come that got no job, beyond the minimum of their launcher; the newest first. */
function findUnneeded({ options, workers }: PlanLauncher, capacities: readonly Capacity[]): string[] {
  const staying = workers.filter(({ isLeaving }) => !isLeaving);
  const unused = staying.filter(
    ({ name, isComing }) =>
      isComing && capacities.some(({ id, free }) => id === name && free.length === options.worker.count),
  );
  const spare = Math.max(0, staying.length - options.minimum);
  return unused
    .map(({ name }) => name)
    .reverse()
    .slice(0, spare);
}

function isOpen(
  { options, workers, isClosed }: PlanLauncher,
  planned: readonly PlannedLaunch[],
  project: string,
): boolean {
  const { name, maximum, perProject } = options;
  const own = planned.filter(({ launcher }) => launcher === name);
  if (isClosed || workers.length + own.length >= maximum) return false;
  const count = [...workers, ...own].filter((one) => one.project === project).length;
  return perProject === 0 || count < perProject;
}

/** Gives a job devices of a worker where it fits; false: it fits nowhere. */
function take(capacities: readonly Capacity[], needs: JobNeeds): boolean {
  const slot = chooseSlot(needs, capacities, null);
  const capacity = capacities.find(({ id }) => id === slot?.workerId);
  if (slot === null || capacity === undefined) return false;
  capacity.free = capacity.free.filter(({ id }) => !slot.devices.some((device) => device.id === id));
  return true;
}

/** The devices that a worker of a launcher will have. */
function capacityOf(id: string, { worker }: Template): Capacity {
  const { kind, count, labels } = worker;
  const memoryMb = worker.memoryMb === 0 ? Number.MAX_SAFE_INTEGER : worker.memoryMb;
  const free = Array.from({ length: count }, (_, index): Device => ({
    id: `${kind}-${index}`,
    kind,
    index,
    name: '',
    threads: 1,
    memoryMb,
    freeMemoryMb: memoryMb,
    utilisation: null,
    powerWatts: null,
    temperatureCelsius: null,
    errors: null,
    faults: [],
  }));
  return { id, labels, free };
}
