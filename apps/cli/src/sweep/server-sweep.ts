/** @file Queues the runs of a sweep on a server and follows them. The server's slots decide how many train at once. */
import { setTimeout } from 'node:timers/promises';
import type { Client, RunDetails } from '@espalier/client';
import { isAppError } from '@espalier/contracts';
import { stoppedStates } from '@espalier/protocol';
import { type JobCounts, outcomeOf } from '@espalier/sweep';
import { connect, type ConnectOptions } from '../remote/connect.js';
import { fetchRecords } from '../remote/fetch-records.js';
import { namingFile, readConfig } from '../remote/read-config.js';
import { counted } from '../view/numbers.js';
import { endedState } from './run-sweep.js';
import type { SweepLedger, SweepRun } from './sweep-runs.js';

export interface ServerSweepOptions {
  readonly ledger: SweepLedger;
  readonly connection: ConnectOptions;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** How often the server is asked, ms. */
const pollMs = 1000;
const linesEverySteps = 5;

/**
 * Queues what is not there yet, and follows all runs until they have stopped. What a report needs is fetched into their
 * folders. When the signal aborts the runs stay on the server, and a later call follows the same ones.
 *
 * @throws client.refused, client.unreachable
 */
export async function runServerSweep(
  runs: readonly SweepRun[],
  { ledger, connection, signal, say }: ServerSweepOptions,
): Promise<JobCounts> {
  const client = connect(connection);
  const counts = { finished: 0, stopped: 0, failed: 0 };
  const open = new Map<SweepRun, { id: string; step: number; state: string }>();
  for (const run of runs) {
    if (signal.aborted) break;
    const present = await findOrQueue(client, run, ledger);
    if (present !== undefined) open.set(run, { id: present, step: 0, state: '' });
    else counts.finished++;
  }
  say(`${counted(runs.length, 'run')}, ${counts.finished} ended already, ${open.size} on the server`);
  while (open.size > 0 && !signal.aborted) {
    for (const [run, seen] of open) {
      const now = await client.runs.get(seen.id);
      report(run, seen, now, say);
      if (!stoppedStates.includes(now.state)) continue;
      open.delete(run);
      counts[await settle(client, run, now, ledger)]++;
    }
    if (open.size > 0) await setTimeout(pollMs, undefined, { signal }).catch(() => undefined);
  }
  counts.stopped = runs.length - counts.finished - counts.failed;
  return counts;
}

function report(
  { name }: SweepRun,
  seen: { step: number; state: string },
  now: RunDetails,
  say: (line: string) => void,
): void {
  const step = now.step ?? 0;
  const isNews =
    now.state !== seen.state || Math.floor(step / linesEverySteps) > Math.floor(seen.step / linesEverySteps);
  seen.state = now.state;
  seen.step = step;
  if (isNews) say(`${name}: ${now.state}, step ${step} of ${now.steps}`);
}

/** The run on the server: the one that was queued before, resumed if it was paused, or a new one; undefined when it has ended. */
async function findOrQueue(client: Client, run: SweepRun, ledger: SweepLedger): Promise<string | undefined> {
  const { runId, state } = ledger.recordOf(run) ?? {};
  if (runId !== undefined && outcomeOf(run.folder) !== undefined && state !== 'failed' && state !== 'stopped')
    return undefined;
  const known = runId === undefined ? undefined : await findRun(client, runId);
  if (known?.state === 'paused') {
    await client.runs.resume(known.id);
    return known.id;
  }
  if (known !== undefined && known.state !== 'failed' && known.state !== 'cancelled') return known.id;
  const { source, overrides } = readConfig(run.config, run.overrides);
  const queued = await namingFile(run.config, () =>
    client.runs.create({
      source,
      overrides: [...overrides],
      name: run.name,
      group: ledger.state.name,
      tags: [run.variant],
      // a kill between the answer and the next line would else queue it twice
      idempotencyKey: [ledger.state.id, run.name, ...(runId === undefined ? [] : [runId])].join(':'),
    }),
  );
  ledger.set(run, { state: 'waiting', runId: queued.id });
  return queued.id;
}

async function findRun(client: Client, id: string): Promise<RunDetails | undefined> {
  try {
    return await client.runs.get(id);
  } catch (error) {
    if (isAppError(error) && error.code === 'client.refused') return undefined; // it was deleted
    throw error;
  }
}

/** Records how a run has ended, and fetches what a report needs. */
async function settle(
  client: Client,
  run: SweepRun,
  now: RunDetails,
  ledger: SweepLedger,
): Promise<'finished' | 'stopped' | 'failed'> {
  const message = `${now.state} on the server${now.message === '' ? '' : `: ${now.message}`}`;
  if (now.state === 'paused') {
    ledger.set(run, { state: 'stopped', message });
    return 'stopped';
  }
  await fetchRecords(client, now, run.folder);
  const outcome = outcomeOf(run.folder);
  if (now.state === 'finished' || outcome === 'collapsed' || outcome === 'no-signal') {
    ledger.set(run, { state: endedState(run) });
    return 'finished';
  }
  ledger.set(run, { state: 'failed', message });
  return 'failed';
}
