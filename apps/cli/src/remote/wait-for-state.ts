/** @file Waits until a run has reached the requested state, and reports progress meanwhile. */
import type { Client, Run, RunDetails } from '@espalier/client';
import type { Phase } from '@espalier/contracts';
import { type JobState, stoppedStates } from '@espalier/protocol';
import type { Console } from '../console.js';
import { exitCodes } from '../exit-codes.js';
import { readBatch } from './batch-events.js';
import { listenForStop } from './stop-request.js';
import { exitCodeOfState, whyItWaits } from './watch-run.js';

/** The requested state: stopped, or running. */
export type Goal = 'stopped' | 'running';

/** How often the progress of a step is said, ms. */
const progressMs = 3000;

const isReached = (goal: Goal, state: JobState): boolean =>
  stoppedStates.includes(state) || (goal === 'running' && state === 'running');

/**
 * Waits until a run is there. Ctrl-C ends the waiting and leaves the run alone.
 *
 * @param run as the server answered the request
 * @returns how it stands then; undefined when the waiting was ended
 */
export async function waitForState(
  client: Client,
  run: Run,
  goal: Goal,
  say: (text: string) => void,
): Promise<RunDetails | undefined> {
  const stop = listenForStop();
  const sayProgress = createProgressNote(say);
  try {
    let now = await client.runs.get(run.id);
    const why = whyItWaits(now);
    say(`${now.state}${why === undefined ? '' : `: ${why}`}`);
    const range = {
      after: now.head,
      until: 'never',
      metrics: [],
      signal: stop.signal,
      onProgress: sayProgress,
    } as const;
    const batches = client.follow(run.id, range);
    while (!isReached(goal, now.state)) {
      const { done, value } = await batches.next();
      if (done === true) return undefined;
      for (const item of readBatch(value)) if ('say' in item) say(item.say);
      if (value.records.some(({ kind }) => kind === 'state')) now = await client.runs.get(run.id);
    }
    await batches.return(undefined);
    return now;
  } finally {
    stop.dispose();
  }
}

function createProgressNote(say: (text: string) => void) {
  let last = Date.now();
  return ({
    step,
    phase,
    done,
    total,
  }: {
    step: number;
    phase: Phase;
    done: number;
    total: number;
  }): void => {
    if (Date.now() - last < progressMs) return;
    last = Date.now();
    say(`step ${step}: ${phase}, ${done} of ${total}`);
  };
}

/** Gives the exit code of a wait: 0 when the run is where it was to go, or has finished. */
export function exitCodeOfWait(goal: Goal, state: JobState | undefined): number {
  if (state === undefined) return exitCodes.temporary;
  if (state === 'failed' || goal === 'running')
    return state === 'running' ? exitCodes.ok : exitCodeOfState(state);
  return exitCodes.ok;
}

/** Progress while waiting: on standard error, and not for programs. */
export function createWaitNote(console: Console, json: boolean): (text: string) => void {
  let last = '';
  return (text) => {
    if (!json && text !== last) console.note(console.colors.dim(text));
    last = text;
  };
}
