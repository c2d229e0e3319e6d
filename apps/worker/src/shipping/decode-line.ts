/** @file A line of a stream as the event it stands for. Whatever a line holds, its number stays taken. */
import { stripVTControlCharacters } from 'node:util';
import { type AttemptEvent, attemptEvent, type AttemptStream } from '@espalier/protocol';

const textLimit = 20_000;

/** How the lines begin that are most of what a training writes. */
export const ofTrajectory = '{"kind":"trajectory"';

/**
 * Decodes a line. Numbers that are none stay null, as they are sent.
 *
 * @param now       ms since the epoch: the time of a line of the log
 * @param isTrusted of a trajectory only its beginning is looked at, as the server checks all of it anyway
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
    const isPassed = isTrusted && text.startsWith(ofTrajectory);
    if (isPassed || attemptEvent.safeParse(value).success) return value as AttemptEvent;
  } catch {
    // told below
  }
  const message = `read stream ${stream}: a line is no event of the protocol and was passed over: ${plainText(text).slice(0, 200)}`;
  return { kind: 'warning', time: now, step: -1, code: 'worker.broken_line', message };
}

/** What a terminal would show in the end, without colours; what overwrites a line comes last. */
export function plainText(text: string): string {
  const shown = stripVTControlCharacters(text)
    .replace(/(?<!\r)\r+$/, '')
    .replaceAll('\0', '\u{fffd}');
  return shown.slice(shown.lastIndexOf('\r') + 1).slice(0, textLimit);
}
