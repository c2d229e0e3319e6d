/** @file Decodes lines of a stream as events. Every line uses up its sequence number, whatever it contains. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type AttemptEvent, attemptEvent, type AttemptStream } from '@espalier/protocol';

const textLimit = 20_000;

/** Prefix of trajectory lines, which are most of what a training process writes. */
export const trajectoryPrefix = '{"kind":"trajectory"';

/**
 * Decodes a line. Non-finite numbers stay null, as they are sent.
 *
 * @param now       time of a log line, ms since the epoch
 * @param isTrusted skip the validation of trajectories, because the server validates them anyway
 */
export function decodeLine(
  stream: AttemptStream,
  text: string,
  now: number,
  isTrusted = false,
): AttemptEvent {
  if (stream === 'log') return { kind: 'log', time: now, text: plainText(text) };
  try {
    const value: unknown = JSON.parse(text);
    const isPassed = isTrusted && text.startsWith(trajectoryPrefix);
    if (isPassed || attemptEvent.safeParse(value).success) return value as AttemptEvent;
  } catch {
    // reported below
  }
  const message = `read stream ${stream}: skipped a line that is not an event of the protocol: ${plainText(text).slice(0, 200)}`;
  return { kind: 'warning', time: now, step: -1, code: 'worker.invalid_line', message };
}

/** Returns what a terminal would finally show of a line, without colours: the text after its last carriage return. */
export function plainText(text: string): string {
  const shown = stripVTControlCharacters(text)
    .replace(/(?<!\r)\r+$/, '')
    .replaceAll('\0', '\u{fffd}');
  return shown.slice(shown.lastIndexOf('\r') + 1).slice(0, textLimit);
}

/** Creates a function that makes paths below the data folder relative in a line of any stream, JSON or not. */
export function createPathRedactor(data: string): (text: string) => string {
  const folder = resolve(data);
  const names = [folder, realpathOf(folder)].flatMap((name) => [name, JSON.stringify(name).slice(1, -1)]);
  const hidden = [...new Set(names)].filter((name) => name !== '/');
  return (text) => hidden.reduce((left, name) => left.replaceAll(`${name}/`, '').replaceAll(name, '.'), text);
}

function realpathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
