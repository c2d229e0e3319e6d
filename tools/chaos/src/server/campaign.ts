/**
 * @file Injects faults while a server trains two runs, one fault at a time, until each was injected often enough. The
 * run must recover before the next fault; finished runs are checked and replaced.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createStream, type RandomStream } from '@espalier/random';
import { waitFor } from '@espalier/testing';
import { checkRun, type Reference } from './check-run.js';
import type { Fault, Injected } from './fault.js';
import { isTraining, openCluster, type Cluster, type ClusterKind } from './cluster.js';
import { startRun, type WatchedRun } from './watched-run.js';

export interface FaultCount {
  readonly fault: string;
  /** injections during which training was seen to continue */
  readonly injections: number;
  readonly notes: Readonly<Record<string, number>>;
  /** ms from the end of the fault to the follower's next record of the run; of a lost host from its loss on */
  readonly recoveryMs: { readonly median: number; readonly max: number };
}

export interface CampaignReport {
  readonly campaign: string;
  readonly cluster: ClusterKind;
  readonly faults: readonly FaultCount[];
  readonly runs: number;
  readonly equalRuns: number;
  readonly failures: readonly { readonly run: string; readonly differences: readonly string[] }[];
  /** attempts of all runs, and records followed */
  readonly attempts: number;
  readonly records: number;
  /** the server's counts of messages from superseded attempts, and of devices with two attempts */
  readonly fenced: number;
  readonly conflicts: number;
  readonly seconds: number;
  readonly skipped?: string;
}

export interface CampaignOptions {
  readonly campaign: string;
  readonly cluster: ClusterKind;
  readonly faults: readonly Fault[];
  /** injections per fault */
  readonly count: number;
  /** time limit */
  readonly minutes: number;
  readonly folder: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly reference: Reference;
  readonly seed: number;
  readonly log: (line: string) => void;
}

interface Tally {
  readonly injections: Map<string, { readonly injected: Injected; readonly recoveryMs: number }[]>;
  readonly failures: { run: string; differences: readonly string[] }[];
  runs: number;
  attempts: number;
  records: number;
  fenced: number;
  conflicts: number;
}

const runsAtOnce = 2;

/** Runs a campaign; failed runs are in the report, a failed cluster is thrown. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { campaign, faults, log, seed } = options;
  const begin = performance.now();
  const tally: Tally = {
    injections: new Map(faults.map(({ name }) => [name, []])),
    failures: [],
    runs: 0,
    attempts: 0,
    records: 0,
    fenced: 0,
    conflicts: 0,
  };
  let skipped: string | undefined;
  const cluster = await openCluster(options.cluster, join(options.folder, campaign), (line) => {
    skipped = line;
    log(`${campaign}: ${line}`);
  });
  if (cluster !== undefined) {
    try {
      await injectFaults(cluster, options, tally, createStream(seed), begin);
    } finally {
      await cluster.close();
    }
    if (tally.failures.length === 0) rmSync(cluster.folder, { recursive: true, force: true });
  }
  return report(options, tally, begin, skipped);
}

async function injectFaults(
  cluster: Cluster,
  options: CampaignOptions,
  tally: Tally,
  random: RandomStream,
  begin: number,
): Promise<void> {
  const { faults, count, campaign, log } = options;
  const activeRuns: WatchedRun[] = [];
  const due = (): Fault[] => faults.filter(({ name }) => (tally.injections.get(name)?.length ?? 0) < count);
  let queue: Fault[] = [];
  const end = begin + options.minutes * 60_000;
  while (due().length > 0 && performance.now() < end) {
    await replaceEnded(cluster, options, activeRuns, tally);
    const target = activeRuns.find(
      (run) => isTraining(cluster.newestOf(run.id)) && (run.mark().rows > 0 || run.history.length > 4),
    );
    if (target === undefined) {
      await wait(30);
      continue;
    }
    await wait(400 * random.next());
    if (queue.length === 0) queue = random.shuffle(due());
    const fault = queue.pop();
    if (fault === undefined) continue;
    const others = activeRuns.filter((run) => run !== target);
    const injected = await fault.inject({ cluster, target, others, random });
    if (injected === undefined) continue;
    const recoveryMs = injected.recoveryMs ?? (await settle(fault, target, injected));
    tally.injections.get(fault.name)?.push({ injected, recoveryMs });
    activeRuns.push(...activeRuns.splice(activeRuns.indexOf(target), 1));
    const done = [...tally.injections.values()].reduce((sum, list) => sum + list.length, 0);
    const left = ((performance.now() - begin) * (faults.length * count - done)) / done / 1000;
    const note = injected.note === undefined ? '' : `, ${injected.note}`;
    log(
      `${campaign}: ${done} of ${faults.length * count} ${fault.name}${note}; ${injected.evidence}; next record after ${recoveryMs.toFixed(0)} ms; about ${Math.ceil(left)} s left`,
    );
  }
  for (const run of activeRuns) await finish(cluster, options, run, tally);
}

/** Waits until the follower gets a new record of the run. */
async function settle({ name }: Fault, target: WatchedRun, { repairedAt }: Injected): Promise<number> {
  const known = target.history.length;
  await waitFor(
    `run ${target.id} has a new record after ${name}`,
    () => target.isOver() || target.history.length > known,
  );
  return performance.now() - repairedAt;
}

async function replaceEnded(
  cluster: Cluster,
  options: CampaignOptions,
  activeRuns: WatchedRun[],
  tally: Tally,
): Promise<void> {
  for (const run of activeRuns.filter((one) => one.isOver())) {
    activeRuns.splice(activeRuns.indexOf(run), 1);
    await finish(cluster, options, run, tally);
  }
  while (activeRuns.length < runsAtOnce) activeRuns.push(await startRun(cluster, options.spec));
}

/** Waits for the end of a run, checks it, and deletes it from server and workers. */
async function finish(
  cluster: Cluster,
  { campaign, reference, log }: CampaignOptions,
  run: WatchedRun,
  tally: Tally,
): Promise<void> {
  await waitFor(`run ${run.id} has ended`, () => run.isOver(), 300_000);
  await waitFor(`everything about run ${run.id} has arrived`, () => cluster.newestOf(run.id) === undefined);
  const differences = await checkRun(cluster, run, reference);
  const { attempts } = await cluster.client.runs.get(run.id);
  tally.runs += 1;
  tally.attempts += attempts.length;
  tally.records += run.history.length;
  const counters = await readCounters(cluster);
  tally.fenced = Math.max(tally.fenced, counters.fenced);
  tally.conflicts = counters.conflicts;
  const isEqual = differences.length === 0;
  log(
    `${campaign}: run ${tally.runs}, ${attempts.length} attempts, ${run.history.length} records, ${isEqual ? 'equals' : 'DIFFERS from'} the undisturbed run`,
  );
  if (!isEqual) {
    differences.forEach((line) => log(`    ${line}`));
    return void tally.failures.push({ run: run.id, differences });
  }
  await cluster.client.runs.delete(run.id);
  for (const { folder } of cluster.workers)
    for (const name of [run.id, `${run.id}.json`])
      rmSync(join(folder, 'runs', name), { recursive: true, force: true });
}

/** Counters of the server since its last start, and conflicts in its whole log. */
async function readCounters({ client, folder }: Cluster): Promise<{ fenced: number; conflicts: number }> {
  const text = await (await client.rest('/metrics')).text();
  const serverLog = readFileSync(join(folder, 'server.log'), 'utf8');
  return {
    fenced: Number(/^\S*refusals_total\{code="worker\.fenced"\} (\d+)/m.exec(text)?.[1] ?? 0),
    conflicts: serverLog.split('have two attempts at once').length - 1,
  };
}

function report(
  { campaign, cluster, faults }: CampaignOptions,
  { injections, failures, runs, attempts, records, fenced, conflicts }: Tally,
  begin: number,
  skipped: string | undefined,
): CampaignReport {
  return {
    campaign,
    cluster,
    runs,
    failures,
    attempts,
    records,
    fenced,
    conflicts,
    equalRuns: runs - failures.length,
    faults: faults.map(({ name }) => {
      const all = injections.get(name) ?? [];
      const times = all.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b);
      const notes = all.flatMap(({ injected: { note } }) => (note === undefined ? [] : [note]));
      return {
        fault: name,
        injections: all.length,
        notes: Object.fromEntries(
          [...new Set(notes)].map((note) => [note, notes.filter((one) => one === note).length]),
        ),
        recoveryMs: {
          median: Math.round(times[Math.floor(times.length / 2)] ?? 0),
          max: Math.round(times.at(-1) ?? 0),
        },
      };
    }),
    seconds: Math.round((performance.now() - begin) / 1000),
    ...(skipped === undefined ? {} : { skipped }),
  };
}
