/**
 * @file Strikes runs under a server with faults until each has struck often enough: two runs at a time, one fault after
 * the other, each settled before the next; runs that end are checked and replaced by new ones.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createStream, type RandomStream } from '@espalier/random';
import { waitFor } from '@espalier/testing';
import { checkRun, type Reference } from './check-run.js';
import type { Fault, Injected } from './fault.js';
import { isTraining, openStage, type Stage, type StageKind } from './stage.js';
import { startRun, type WatchedRun } from './watched-run.js';

export interface FaultCount {
  readonly fault: string;
  /** times it struck a run that trained, and it was seen that work went on meanwhile */
  readonly struck: number;
  readonly notes: Readonly<Record<string, number>>;
  /** ms from the cause being gone to the next news of the run at its follower */
  readonly recoveryMs: { readonly median: number; readonly max: number };
}

export interface CampaignReport {
  readonly campaign: string;
  readonly stage: StageKind;
  readonly faults: readonly FaultCount[];
  readonly runs: number;
  readonly equalRuns: number;
  readonly failures: readonly { readonly run: string; readonly differences: readonly string[] }[];
  /** attempts that the runs took, and records followed */
  readonly attempts: number;
  readonly records: number;
  /** messages of attempts that were over, and devices with two attempts, as the server counted them */
  readonly fenced: number;
  readonly conflicts: number;
  readonly seconds: number;
  readonly leftOut?: string;
}

export interface CampaignOptions {
  readonly campaign: string;
  readonly stage: StageKind;
  readonly faults: readonly Fault[];
  /** of each fault */
  readonly count: number;
  /** it strikes no more after so long */
  readonly minutes: number;
  readonly folder: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly reference: Reference;
  readonly seed: number;
  readonly say: (line: string) => void;
}

interface Tally {
  readonly struck: Map<string, { readonly injected: Injected; readonly recoveryMs: number }[]>;
  readonly failures: { run: string; differences: readonly string[] }[];
  runs: number;
  attempts: number;
  records: number;
  fenced: number;
  conflicts: number;
}

const runsAtOnce = 2;

/** Runs a campaign; what goes wrong with a run is in the report, what goes wrong with the stage is thrown. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { campaign, faults, say, seed } = options;
  const begin = performance.now();
  const tally: Tally = {
    struck: new Map(faults.map(({ name }) => [name, []])),
    failures: [],
    runs: 0,
    attempts: 0,
    records: 0,
    fenced: 0,
    conflicts: 0,
  };
  let leftOut: string | undefined;
  const stage = await openStage(options.stage, join(options.folder, campaign), (line) => {
    leftOut = line;
    say(`${campaign}: ${line}`);
  });
  if (stage !== undefined) {
    try {
      await strike(stage, options, tally, createStream(seed), begin);
    } finally {
      await stage.close();
    }
    if (tally.failures.length === 0) rmSync(stage.folder, { recursive: true, force: true });
  }
  return report(options, tally, begin, leftOut);
}

async function strike(
  stage: Stage,
  options: CampaignOptions,
  tally: Tally,
  random: RandomStream,
  begin: number,
): Promise<void> {
  const { faults, count, campaign, say } = options;
  const live: WatchedRun[] = [];
  const due = (): Fault[] => faults.filter(({ name }) => (tally.struck.get(name)?.length ?? 0) < count);
  let cards: Fault[] = [];
  const end = begin + options.minutes * 60_000;
  while (due().length > 0 && performance.now() < end) {
    await replaceEnded(stage, options, live, tally);
    const target = live.find(
      (run) => isTraining(stage.newestOf(run.id)) && (run.mark().rows > 0 || run.told.length > 4),
    );
    if (target === undefined) {
      await wait(30);
      continue;
    }
    await wait(400 * random.next());
    if (cards.length === 0) cards = random.shuffle(due());
    const fault = cards.pop();
    if (fault === undefined) continue;
    const others = live.filter((run) => run !== target);
    const injected = await fault.inject({ stage, target, others, random });
    if (injected === undefined) continue;
    const recoveryMs = await settle(fault, target, injected);
    tally.struck.get(fault.name)?.push({ injected, recoveryMs });
    live.push(...live.splice(live.indexOf(target), 1));
    const done = [...tally.struck.values()].reduce((sum, list) => sum + list.length, 0);
    const left = ((performance.now() - begin) * (faults.length * count - done)) / done / 1000;
    const note = injected.note === undefined ? '' : `, ${injected.note}`;
    say(
      `${campaign}: ${done} of ${faults.length * count} ${fault.name}${note}; ${injected.wentOn}; news after ${recoveryMs.toFixed(0)} ms; about ${Math.ceil(left)} s left`,
    );
  }
  for (const run of live) await finish(stage, options, run, tally);
}

/** Waits until the follower hears of the run again. */
async function settle({ name }: Fault, target: WatchedRun, { repairedAt }: Injected): Promise<number> {
  const known = target.told.length;
  await waitFor(
    `run ${target.id} is heard of again after ${name}`,
    () => target.isOver() || target.told.length > known,
  );
  return performance.now() - repairedAt;
}

async function replaceEnded(
  stage: Stage,
  options: CampaignOptions,
  live: WatchedRun[],
  tally: Tally,
): Promise<void> {
  for (const run of live.filter((one) => one.isOver())) {
    live.splice(live.indexOf(run), 1);
    await finish(stage, options, run, tally);
  }
  while (live.length < runsAtOnce) live.push(await startRun(stage, options.spec));
}

/** Waits for a run's end, checks it, and removes it from server and workers. */
async function finish(
  stage: Stage,
  { campaign, reference, say }: CampaignOptions,
  run: WatchedRun,
  tally: Tally,
): Promise<void> {
  await waitFor(`run ${run.id} has come to rest`, () => run.isOver(), 300_000);
  await waitFor(`everything about run ${run.id} has arrived`, () => stage.newestOf(run.id) === undefined);
  const differences = await checkRun(stage, run, reference);
  const { attempts } = await stage.client.runs.get(run.id);
  tally.runs += 1;
  tally.attempts += attempts.length;
  tally.records += run.told.length;
  const counters = await readCounters(stage);
  tally.fenced = Math.max(tally.fenced, counters.fenced);
  tally.conflicts = counters.conflicts;
  const isEqual = differences.length === 0;
  say(
    `${campaign}: run ${tally.runs}, ${attempts.length} attempts, ${run.told.length} records, ${isEqual ? 'equals' : 'DIFFERS from'} the undisturbed run`,
  );
  if (!isEqual) {
    differences.forEach((line) => say(`    ${line}`));
    return void tally.failures.push({ run: run.id, differences });
  }
  await stage.client.runs.delete(run.id);
  for (const { folder } of stage.workers)
    for (const name of [run.id, `${run.id}.json`])
      rmSync(join(folder, 'runs', name), { recursive: true, force: true });
}

/** What the server counted since it was started last, and what it complained of since the beginning. */
async function readCounters({ client, folder }: Stage): Promise<{ fenced: number; conflicts: number }> {
  const text = await (await client.rest('/metrics')).text();
  const log = readFileSync(join(folder, 'server.log'), 'utf8');
  return {
    fenced: Number(/^\S*fenced_writes_total\S* (\d+)/m.exec(text)?.[1] ?? 0),
    conflicts: log.split('have two attempts at once').length - 1,
  };
}

function report(
  { campaign, stage, faults }: CampaignOptions,
  { struck, failures, runs, attempts, records, fenced, conflicts }: Tally,
  begin: number,
  leftOut: string | undefined,
): CampaignReport {
  return {
    campaign,
    stage,
    runs,
    failures,
    attempts,
    records,
    fenced,
    conflicts,
    equalRuns: runs - failures.length,
    faults: faults.map(({ name }) => {
      const all = struck.get(name) ?? [];
      const times = all.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b);
      const notes = all.flatMap(({ injected: { note } }) => (note === undefined ? [] : [note]));
      return {
        fault: name,
        struck: all.length,
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
    ...(leftOut === undefined ? {} : { leftOut }),
  };
}
