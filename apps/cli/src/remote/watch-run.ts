/** @file Watches a run of a server: the live view of `train` on a terminal, a line per step elsewhere, JSON for programs. */
import type { Client, RunDetails } from '@espalier/client';
import type { RunSpec } from '@espalier/contracts';
import { describeModelChoice } from '@espalier/contracts/model-choice';
import type { StreamBatch } from '@espalier/protocol';
import type { Console } from '../console.js';
import { exitCodes } from '../exit-codes.js';
import { createValidationMemory, describeGain } from '../local/report-run.js';
import { createView } from '../view/create-view.js';
import { listenForKeys } from '../view/keys.js';
import { progressEvent, readBatch } from './batch-events.js';
import { createSampler } from './sample-run.js';
import { listenForStop } from './stop-request.js';
import { calledAs } from '../parse-arguments.js';

export interface WatchOptions {
  readonly json?: boolean;
  /** from which cursor on; default 0: everything so far, too */
  readonly after?: number;
  /** ends the watching; default: Ctrl-C does */
  readonly signal?: AbortSignal;
}

/**
 * Follows a run until it has stopped, or until Ctrl-C, which leaves the run alone.
 *
 * @returns the exit code that fits how the run stands then
 */
export async function watchRun(
  client: Client,
  runId: string,
  { json = false, after = 0, signal }: WatchOptions,
  console: Console,
): Promise<number> {
  const run = await client.runs.get(runId);
  const leave = signal === undefined ? listenForStop() : { signal, dispose: () => undefined };
  const range = { after, signal: leave.signal };
  try {
    if (json) await printBatches(client.follow(runId, range), console);
    else await draw(client, run, { ...range, canLeave: signal === undefined }, console);
  } finally {
    leave.dispose();
  }
  if (!leave.signal.aborted) return report(await client.runs.get(runId), json, console);
  if (signal === undefined && !json)
    console.note(`the run continues; watch again: ${calledAs()} run watch ${runId}`);
  return exitCodes.temporary;
}

/** Returns the exit code of a stopped run. */
export function exitCodeOfState(state: RunDetails['state']): number {
  if (state === 'finished') return exitCodes.ok;
  return state === 'failed' ? exitCodes.failed : exitCodes.temporary;
}

interface WatchRange {
  readonly after: number;
  readonly signal: AbortSignal;
  /** Ctrl-C ends the watching alone, so a key may do the same */
  readonly canLeave: boolean;
}

async function draw(
  client: Client,
  run: RunDetails,
  { after, signal, canLeave }: WatchRange,
  console: Console,
): Promise<void> {
  const spec = run.spec as unknown as RunSpec;
  const title = { folder: `${run.name}  ${run.id}`, spec, model: describeModelChoice(spec.model) };
  const view = createView(title, console, false);
  const seen = createValidationMemory();
  const onProgress = (progress: Parameters<typeof progressEvent>[0]): void =>
    view.emit(progressEvent(progress));
  const sampler = console.isInteractive ? createSampler(client, run.id, view) : undefined;
  const why = whyItWaits(run);
  if (why !== undefined) view.say(`queued: ${why}`);
  const leave = (): void => void process.kill(process.pid, 'SIGINT');
  const help = `${canLeave ? 'q leave (the run continues), ' : ''}p pause the live view`;
  const keys = console.isInteractive
    ? listenForKeys({
        ...(canLeave ? { q: leave } : {}),
        p: () => view.togglePause(),
        '?': () => view.say(help),
      })
    : undefined;
  try {
    for await (const batch of client.follow(run.id, { after, signal, onProgress })) {
      sampler?.see(batch.records);
      for (const item of readBatch(batch)) {
        if ('say' in item) view.say(item.say);
        else {
          view.emit(item.event);
          seen.emit(item.event);
        }
      }
    }
  } finally {
    keys?.dispose();
    await sampler?.stop();
    view.close();
  }
  const gain = describeGain(seen.values);
  if (gain !== undefined) console.line(gain);
}

/** Why a run has not begun, in a sentence; undefined when it does not wait. */
export function whyItWaits({ state, jobs }: RunDetails): string | undefined {
  const why = jobs.find(({ kind }) => kind === 'train')?.whyWaiting;
  return state === 'queued' && typeof why === 'string' && why !== '' ? why : undefined;
}

function report(run: RunDetails, json: boolean, console: Console): number {
  if (json) console.line(JSON.stringify({ kind: 'ended', state: run.state, message: run.message }));
  else console.line(`run ${run.id} ${run.state}${run.message === '' ? '' : `: ${run.message}`}`);
  return exitCodeOfState(run.state);
}

/** Every record as one line, metric rows as `{"kind":"metrics",…}`. */
async function printBatches(batches: AsyncIterable<StreamBatch>, console: Console): Promise<void> {
  for await (const { metrics, records } of batches) {
    const rows = metrics.cursors.map((cursor, row) => ({
      cursor,
      kind: 'metrics',
      time: metrics.times[row],
      step: metrics.steps[row],
      attempt: metrics.attempts[row],
      values: Object.fromEntries(
        Object.entries(metrics.values).flatMap(([name, column]) =>
          column[row] === null || column[row] === undefined ? [] : [[name, column[row]]],
        ),
      ),
    }));
    for (const line of [...rows, ...records].sort((a, b) => a.cursor - b.cursor))
      console.line(JSON.stringify(line));
  }
}
