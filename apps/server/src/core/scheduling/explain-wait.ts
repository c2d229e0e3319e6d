/** @file Explains in one sentence why a job waits. Pure. */
import type { Device, JobNeeds } from '@espalier/protocol';
import { hasLabels, memoryOf, suitableDevices } from './placement/choose-slot.js';

/** A connected worker, as far as waiting is concerned. */
export interface WaitWorker {
  readonly name: string;
  readonly labels: readonly string[];
  readonly devices: readonly Device[];
  /** healthy, unused and not reserved for an earlier job */
  readonly free: readonly Device[];
  /** healthy and unused, but reserved for an earlier job; jobId null: a job that the caller may not see */
  readonly reserved: { readonly jobId: string | null; readonly devices: readonly Device[] } | null;
  readonly isDraining: boolean;
  /** it was silent for longer than a lease and gets nothing new */
  readonly isSilent?: boolean;
  /** how its plugins differ from the job's pinned ones, a phrase each */
  readonly conflicts: readonly string[];
}

export interface WaitContext {
  readonly needs: JobNeeds;
  /** how a user lets it resume with other plugins */
  readonly acceptance?: string;
  readonly workers: readonly WaitWorker[];
  /** where devices are reserved for this job, and how many of them are free already */
  readonly reserved: { readonly worker: string; readonly free: number } | null;
  /** jobs ahead of it */
  readonly before: number;
  /** `maxRunning` of the key that created it; the caller may not see the key, so it is not named */
  readonly quota: { readonly running: number; readonly limit: number } | null;
  /** what launchers do about it, a sentence; null or absent: none starts such a worker */
  readonly launch?: string | null;
  /** ISO time and reason of a backoff after a failure */
  readonly backoff: { readonly until: string; readonly reason: string } | null;
}

const freeSlot = 'A slot is free for it';

/** Returns the first reason that keeps a job from being scheduled. */
export function explainWait(context: WaitContext): string {
  const { quota, backoff } = context;
  if (backoff !== null) return `It backs off until ${backoff.until}: ${backoff.reason}`;
  if (quota !== null && quota.limit === 0)
    return 'The key that created it may run no jobs (its maxRunning is 0); create it again with another key.';
  if (quota !== null && quota.running >= quota.limit)
    return `The key that created it runs ${quota.running} of at most ${quota.limit} ${quota.limit === 1 ? 'job' : 'jobs'}; one of them has to end first.`;
  const { launch = null } = context;
  const reason = explainWorkers(context);
  if (launch === null || reason.startsWith(freeSlot)) return reason;
  return `${context.workers.length === 0 ? 'No worker is connected.' : reason} ${launch}`;
}

/** What the connected workers lack. */
function explainWorkers(context: WaitContext): string {
  const { needs } = context;
  if (context.workers.length === 0) return 'No worker is connected; start one with `espalier worker`.';
  const labelled = context.workers.filter(({ labels }) => hasLabels(needs, labels));
  if (labelled.length === 0)
    return `No connected worker has the ${needs.labels.length === 1 ? 'label' : 'labels'} ${quoted(needs.labels)}.`;
  const compatible = labelled.filter(({ conflicts }) => conflicts.length === 0);
  if (compatible.length === labelled.length) return explainDevices(context, labelled);
  const other = explainPlugins(context, labelled);
  if (compatible.length === 0 || !hasDevicesFor(needs, compatible)) return other;
  return `${explainDevices(context, compatible)} ${other}`;
}

function explainDevices(context: WaitContext, workers: readonly WaitWorker[]): string {
  const { needs } = context;
  return (
    explainCapacity(context, workers) ?? explainUnusable(needs, workers) ?? explainBusy(context, workers)
  );
}

/** A worker is closed to the job because of its plugins. */
function explainPlugins({ needs, acceptance }: WaitContext, workers: readonly WaitWorker[]): string {
  const closed = workers.filter(({ conflicts }) => conflicts.length > 0);
  const [first = closed[0]] = closed.filter((worker) => hasDevicesFor(needs, [worker]));
  const more = closed.length > 1 ? ` (and ${closed.length - 1} more workers have such conflicts)` : '';
  const remedy = acceptance === undefined ? '' : `, or ${acceptance}`;
  return `The worker "${first?.name}" has ${first?.conflicts?.join('; ')}${more}: install the plugins that the run started with there${remedy}.`;
}

const hasDevicesFor = (needs: JobNeeds, workers: readonly WaitWorker[]): boolean =>
  workers.some(({ devices }) => suitableDevices(needs, devices).length >= needs.count);

/** No worker would suffice even if it were idle and healthy. */
function explainCapacity({ needs }: WaitContext, workers: readonly WaitWorker[]): string | null {
  const largest = Math.max(...workers.map(({ devices }) => ofKind(needs, devices).length));
  if (largest < needs.count)
    return `No worker has ${counted(needs, needs.count)}; the largest has ${largest}.`;
  if (workers.some(({ devices }) => suitableDevices(needs, devices).length >= needs.count)) return null;
  const best = Math.max(
    ...workers.map(({ devices }) => {
      const memory = ofKind(needs, devices)
        .map(memoryOf)
        .sort((a, b) => b - a);
      return memory[needs.count - 1] ?? 0;
    }),
  );
  return `No worker has ${counted(needs, needs.count)} with ${needs.memoryMb} MiB each; the most is ${Math.floor(best)} MiB.`;
}

/** Workers would suffice if they were not drained, silent or faulty. */
function explainUnusable(needs: JobNeeds, workers: readonly WaitWorker[]): string | null {
  const healthy = (worker: WaitWorker): Device[] =>
    suitableDevices(needs, worker.devices).filter(({ faults }) => faults.length === 0);
  if (workers.some((worker) => isUsable(worker) && healthy(worker).length >= needs.count)) return null;
  const enough = workers.filter(({ devices }) => suitableDevices(needs, devices).length >= needs.count);
  const drained = enough.find((worker) => worker.isDraining && healthy(worker).length >= needs.count);
  if (drained !== undefined)
    return `The worker "${drained.name}" would fit but is drained; undrain it, or connect another.`;
  const silent = enough.find((worker) => worker.isSilent === true && healthy(worker).length >= needs.count);
  if (silent !== undefined)
    return `The worker "${silent.name}" would fit but is silent; it gets nothing new until it responds again.`;
  for (const { name, devices } of enough)
    for (const device of suitableDevices(needs, devices))
      if (device.faults.length > 0)
        return `The device "${device.name}" (${device.id}) of worker "${name}" is drained because of ${device.faults[0]}.`;
  return null;
}

function explainBusy({ needs, before, reserved }: WaitContext, workers: readonly WaitWorker[]): string {
  if (reserved !== null)
    return `It has waited long, so devices of worker "${reserved.worker}" are reserved for it: ${reserved.free} of the ${counted(needs, needs.count)} it needs ${reserved.free === 1 ? 'is' : 'are'} free.`;
  const usable = workers.filter(isUsable);
  const ahead =
    before === 0
      ? 'it is the next'
      : before === 1
        ? '1 job is ahead of it'
        : `${before} jobs are ahead of it`;
  const fits = usable.some(({ free }) => suitableDevices(needs, free).length >= needs.count);
  if (fits) return `${freeSlot}; ${ahead}.`;
  const closed = usable.find(
    (worker) =>
      suitableDevices(needs, [...worker.free, ...(worker.reserved?.devices ?? [])]).length >= needs.count,
  );
  if (closed !== undefined && closed.reserved !== null)
    return `Free devices of worker "${closed.name}" are reserved for ${closed.reserved.jobId === null ? "another project's job" : `job ${closed.reserved.jobId}`}, which is ahead of it and has waited long; ${ahead}.`;
  const devices = usable.flatMap(({ devices: all }) => suitableDevices(needs, all));
  const free = usable.flatMap(({ free: some }) => suitableDevices(needs, some)).length;
  if (free > 0)
    return `No worker has ${counted(needs, needs.count)} free at once; ${free} of ${devices.length} are free in all, and ${ahead}.`;
  const busy =
    devices.length === 1
      ? `The only ${counted(needs, 1).slice(2)} is`
      : `All ${counted(needs, devices.length)} are`;
  return `${busy} busy; ${ahead}.`;
}

const isUsable = ({ isDraining, isSilent }: WaitWorker): boolean => !isDraining && isSilent !== true;

const ofKind = (needs: JobNeeds, devices: readonly Device[]): Device[] =>
  devices.filter(({ kind }) => kind === needs.kind);

function counted({ kind }: JobNeeds, count: number): string {
  const word = kind === 'gpu' ? 'GPU' : 'CPU slot';
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ');
