import { AppError } from '@espalier/contracts';
import type { Console } from './console.js';
import { printError } from './print-error.js';

/** These tell more in their logs, and whoever started them starts them again. */
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

/** Names the place where it was thrown, as nothing else says whose it is. */
export function describeUncaught(cause: unknown, command = 'command'): AppError {
  const { message, stack = '' } = cause instanceof Error ? cause : new Error(String(cause));
  const place = /^\s+at .*?((?:file:\/\/|\/|[A-Z]:\\)[^)\n]+:\d+:\d+)\)?$/m.exec(stack)?.[1];
  const where = place === undefined ? '' : ` at ${place}`;
  return new AppError(
    'plugin.failed',
    `${command}: an error was thrown${where} that nobody waited for: "${message}"; a plugin that starts a timer or a promise must wait for it within the call. With "isolation: process" the plugin is named; a run goes on from its last checkpoint with --resume`,
    { cause },
  );
}
