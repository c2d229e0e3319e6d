/**
 * @file What a run says, as a file that another process sends on: one event per line of JSON, in the shape of
 * `attemptEvent` of `@espalier/protocol`. A line's number, from 1, is its place; lines are only ever appended.
 * Of a trajectory there is its row and its text; the tokens stay in the trajectory log.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { EventSink, RunEvent, Trajectory } from '@espalier/contracts';
import { writeFailed } from '@espalier/files';

/** Characters of text that a line holds at most. */
const textLimit = 20_000;
/** Characters gathered before they are written: attempts come by the hundred, one after the other. */
const burst = 64 * 1024;

/**
 * Creates a sink that appends events to a spool; the file is made with the first event. A write that fails is thrown
 * by `flush`, as of the other logs of a run.
 */
export function createOutboxSink(
  path: string,
  { now = Date.now }: { readonly now?: () => number } = {},
): EventSink & { close(): void } {
  const isPhaseDue = createPhaseGate(now);
  let descriptor: number | undefined;
  let pending = '';
  let failure: unknown;
  const attempt = (write: () => void): void => {
    try {
      if (failure === undefined) write();
    } catch (error) {
      failure = error;
    }
  };
  const writeOut = (): void =>
    attempt(() => {
      descriptor ??= openAtLineStart(path);
      const bytes = Buffer.from(pending);
      pending = '';
      for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    });
  return {
    emit(event) {
      if (event.kind === 'phase' && !isPhaseDue(event.phase)) return;
      pending += `${JSON.stringify(toOutboxLine(event))}\n`;
      if (event.kind !== 'trajectory' || pending.length > burst) writeOut();
    },
    async flush() {
      writeOut();
      attempt(() => descriptor !== undefined && fsyncSync(descriptor));
      if (failure !== undefined) throw writeFailed(path, failure);
    },
    close: () => void (descriptor !== undefined && closeSync(descriptor)),
  };
}

/** A line that a killed process left unfinished is ended, so that the next one stands alone. */
function openAtLineStart(path: string): number {
  const isTorn = existsSync(path) && !['', '\n'].includes(readFileSync(path, 'latin1').slice(-1));
  const descriptor = openSync(path, 'a');
  if (isTorn) writeSync(descriptor, '\n');
  return descriptor;
}

/** Lets at most four phase events a second through, at most two of them of a phase that was told already. */
function createPhaseGate(now: () => number): (phase: string) => boolean {
  let told: number[] = [];
  let last = '';
  return (phase) => {
    const time = now();
    told = told.filter((at) => time - at < 1000);
    const isDue = phase !== last || time - (told.at(-1) ?? Number.NEGATIVE_INFINITY) >= 500;
    if (!isDue || told.length >= 4) return false;
    told.push(time);
    last = phase;
    return true;
  };
}

const cut = (text: string, limit: number): string =>
  (text.length > limit ? text.slice(0, limit) : text).replaceAll('\0', '\u{fffd}');

/** Gives what a line of a spool holds. NaN and infinities become null, as JSON writes them; readers take null as NaN. */
export function toOutboxLine(event: RunEvent): object {
  switch (event.kind) {
    case 'run-started': {
      const { kind, time, step, steps, attempt } = event;
      return { kind, time, step, steps, attempt };
    }
    case 'trajectory': {
      const { kind, time, step, trajectory, kept } = event;
      return { kind, time, step, row: rowOf(trajectory, kept) };
    }
    case 'warning':
      return { ...event, code: cut(event.code, 200), message: cut(event.message, textLimit) };
    case 'run-ended':
      return { ...event, message: cut(event.message, textLimit) };
    default:
      return event;
  }
}

function rowOf(trajectory: Trajectory, kept: boolean): object {
  const { id, environment, split, group, index, seeds, score, success, stopReason, turns } = trajectory;
  return {
    ...{ id, environment, split, group, index, stateSeed: seeds.state },
    ...{ reward: score.total, environmentReward: score.environment, success, stopReason },
    turns: turns.length,
    tokens: trajectory.tokens.length,
    sampledTokens: turns.reduce((sum, { sampled }) => sum + sampled.end - sampled.start, 0),
    ...{ kept, error: trajectory.error ?? null, text: textOf(trajectory) },
  };
}

/** Observations and replies in their order, for people and for search. */
function textOf({ turns }: Trajectory): string {
  let text = '';
  for (const { observation, response } of turns) {
    if (text.length > textLimit) break;
    text += `${text === '' ? '' : '\n'}${observation}\n${response}`;
  }
  return cut(text, textLimit);
}
