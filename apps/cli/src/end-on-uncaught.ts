import { AppError } from '@espalier/contracts';
import type { Console } from './console.js';
import { printError } from './print-error.js';

/** Services log in more detail, and their supervisor restarts them. */
const services = new Set(['serve', 'worker', 'up']);

/**
 * Ends the process with a sentence when something throws that nobody waits for: a timer or a promise that a plugin left
 * behind, most of the time. What is on the disk stays as it is.
 */
export function endOnUncaught(console: Console, asJson: boolean, command?: string): void {
  if (command !== undefined && services.has(command)) return;
  process.on('uncaughtException', (cause) => {
    process.exit(printError(describeUncaught(cause, command), console, asJson, command));
  });
}

/** Names the place where it was thrown, because nothing else identifies its owner. */
export function describeUncaught(cause: unknown, command = 'command'): AppError {
  const { message, stack = '' } = cause instanceof Error ? cause : new Error(String(cause));
  const place = stack
    .split('\n')
    .map(placeOf)
    .find((found) => found !== undefined);
  const where = place === undefined ? '' : ` at ${place}`;
  return new AppError(
    'plugin.failed',
    `${command}: an error was thrown${where} that nobody waited for: "${message}"; a plugin that starts a timer or a promise must wait for it within the call. With "isolation: process" the plugin is named; a run resumes from its last checkpoint with --resume`,
    { cause },
  );
}

/** File, line and column of a line of a stack, as `at name (file:///a.js:1:2)` or `at async file:///a.js:1:2`. */
function placeOf(line: string): string | undefined {
  const frame = line.trim();
  if (!frame.startsWith('at ')) return undefined;
  const place = frame.endsWith(')')
    ? frame.slice(frame.lastIndexOf('(') + 1, -1)
    : frame.replace(/^at (?:async )?/, '');
  return /^(?:file:\/\/|\/|[A-Z]:\\).+:\d+:\d+$/.test(place) ? place : undefined;
}
