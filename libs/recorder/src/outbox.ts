/**
 * @file The outbox: the events of a run as a file that another process ships, one JSON line per event in the format of
 * `attemptEvent` of `@espalier/protocol`. Lines are numbered from 1 and append-only. A trajectory is a row and its text;
 * its tokens stay in the trajectory log.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { EventSink, RunEvent, Trajectory } from '@espalier/contracts';
import { inFlightLimits, type TurnInFlight } from '@espalier/contracts/in-flight';
import { terminateLastLine, writeAll, writeFailed } from '@espalier/files';

/** Maximum characters of text in a line. */
const textLimit = 20_000;
/** Buffered characters before a write: trajectories arrive in bursts of hundreds. */
const bufferSize = 64 * 1024;

/**
 * Creates a sink that appends events to an outbox file, which the first event creates. Like the other logs of a run, it
 * throws a failed write at `flush`.
 */
export function createOutboxSink(
  path: string,
  { now = Date.now }: { readonly now?: () => number } = {},
): EventSink & { close(): void } {
  const isPhaseDue = createPhaseGate(now);
  let descriptor: number | undefined;
  let pending = '';
  let isClosed = false;
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
      writeAll(descriptor, bytes);
    });
  return {
    emit(event) {
      if (event.kind === 'phase' && !isPhaseDue(event.phase)) return;
      pending += `${JSON.stringify(toOutboxLine(event))}\n`;
      if (event.kind !== 'trajectory' || pending.length > bufferSize) writeOut();
    },
    follow(turns) {
      if (isClosed) return;
      for (const turn of turns) pending += `${JSON.stringify(toTurnLine(turn))}\n`;
      writeOut();
    },
    async flush() {
      writeOut();
      attempt(() => descriptor !== undefined && fsyncSync(descriptor));
      if (failure !== undefined) throw writeFailed(path, failure);
    },
    close() {
      isClosed = true;
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}

/** Ends an incomplete line of a killed process, so that the next event starts a new one. */
function openAtLineStart(path: string): number {
  terminateLastLine(path);
  return openSync(path, 'a');
}

/** Passes at most four phase events per second, at most two of them for the current phase. */
function createPhaseGate(now: () => number): (phase: string) => boolean {
  let recent: number[] = [];
  let last = '';
  return (phase) => {
    const time = now();
    recent = recent.filter((at) => time - at < 1000);
    const isDue = phase !== last || time - (recent.at(-1) ?? Number.NEGATIVE_INFINITY) >= 500;
    if (!isDue || recent.length >= 4) return false;
    recent.push(time);
    last = phase;
    return true;
  };
}

const cut = (text: string, limit: number): string =>
  (text.length > limit ? text.slice(0, limit) : text).replaceAll('\0', '\u{fffd}');

/** Converts an event to an outbox line. NaN and infinities become null in JSON; readers turn null into NaN. */
export function toOutboxLine(event: RunEvent): object {
  switch (event.kind) {
    case 'run-started': {
      const { kind, time, step, steps, attempt } = event;
      return { kind, time, step, steps, attempt };
    }
    case 'trajectory': {
      const { kind, time, step, trajectory, kept, dropped = null, update } = event;
      const { outcome = null, lossTokens = null, clippedTokens = null, share = null } = update ?? {};
      const summary = { outcome, lossTokens, clippedTokens, updateShare: share };
      return { kind, time, step, row: { ...rowOf(trajectory, kept), dropped, ...summary } };
    }
    case 'warning':
      return { ...event, code: cut(event.code, 200), message: cut(event.message, textLimit) };
    case 'monitor':
      return { ...event, message: cut(event.message, textLimit) };
    case 'run-ended': {
      const { message, health } = event;
      const short = health && { ...health, evidence: cut(health.evidence, textLimit) };
      return { ...event, message: cut(message, textLimit), ...(short && { health: short }) };
    }
    default:
      return event;
  }
}

/** A turn in flight as a line; its texts are cut, as the whole trajectory is stored when its step ends. */
function toTurnLine({ image, actions, ...turn }: TurnInFlight): object {
  const { observation, render, response } = turn;
  const short = (text: string | null): string | null =>
    text === null ? null : cut(text, inFlightLimits.text);
  return {
    kind: 'turn',
    ...turn,
    observation: short(observation),
    render: short(render),
    image: image !== null && image.length <= inFlightLimits.image ? image : null,
    response: short(response),
    actions: actions.slice(0, 20).map((text) => cut(text, 200)),
  };
}

function rowOf(trajectory: Trajectory, kept: boolean): object {
  const {
    id,
    environment,
    environmentTag = null,
    split,
    group,
    index,
    seeds,
    score,
    success,
    stopReason,
    turns,
  } = trajectory;
  return {
    id,
    environment,
    environmentTag,
    split,
    group,
    index,
    stateSeed: seeds.state,
    reward: score.total,
    environmentReward: score.environment,
    success,
    stopReason,
    labels: trajectory.labels.map(({ name }) => name),
    turns: turns.length,
    tokens: trajectory.tokens.length,
    sampledTokens: turns.reduce((sum, { sampled }) => sum + sampled.end - sampled.start, 0),
    kept,
    error: trajectory.error ?? null,
    text: textOf(trajectory),
  };
}

/** Observations and replies in order, for display and search. */
function textOf({ turns }: Trajectory): string {
  let text = '';
  for (const { observation, response } of turns) {
    if (text.length > textLimit) break;
    text += `${text === '' ? '' : '\n'}${observation}\n${response}`;
  }
  return cut(text, textLimit);
}
