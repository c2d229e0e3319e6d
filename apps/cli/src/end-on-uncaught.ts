import { AppError, stackLocations } from '@espalier/contracts';
import type { Console } from './console.js';
import { printError } from './print-error.js';

/** Services log in more detail, and their supervisor restarts them. */
const services = new Set(['serve', 'worker', 'up']);

/**
 * Ends the process with a sentence when something throws outside any awaited call: a timer or a promise that a plugin left
 * behind, most of the time. What is on the disk stays as it is.
 */
export function endOnUncaught(console: Console, asJson: boolean, command?: string): void {
  if (command !== undefined && services.has(command)) return;
  process.on('uncaughtException', (cause) => {
    process.exit(printError(describeUncaught(cause, command), console, asJson, command));
  });
}

/** Names the place where it was thrown, because nothing else identifies its owner. */
function describeUncaught(cause: unknown, command = 'command'): AppError {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const [place] = stackLocations(error);
  const where = place === undefined ? '' : ` at ${place}`;
  return new AppError(
    'plugin.failed',
    `${command}: an error was thrown${where} outside any awaited call: "${error.message}"; a plugin that starts a timer or a promise must wait for it within the call. With "isolation: process" the plugin is named; a run resumes from its last checkpoint with --resume`,
    { cause },
  );
}
