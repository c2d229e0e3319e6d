import { isAppError } from '@espalier/contracts';
import { CommanderError } from 'commander';
import type { Console } from './console.js';
import { hintFor } from './error-hints.js';
import { exitCodeOf } from './exit-codes.js';

/**
 * Prints an error as `error <code>: message` and a hint to standard error, or as one JSON object to standard output;
 * never a stack trace, unless ESPALIER_DEBUG=1.
 *
 * @param command the first word of the command line, for the hint
 * @returns the exit code
 */
export function printError(error: unknown, console: Console, asJson: boolean, command?: string): number {
  const exitCode = exitCodeOf(error);
  // Commander has said it already, except to programs.
  if (error instanceof CommanderError && (exitCode === 0 || !asJson)) return exitCode;
  const known = isAppError(error);
  const isUsage = error instanceof CommanderError;
  const code = known ? error.code : isUsage ? 'cli.usage' : 'internal';
  const message = error instanceof Error ? error.message.replace(/^error: /, '') : String(error);
  const hint = known
    ? hintFor(error, command)
    : isUsage
      ? undefined
      : 'run again with ESPALIER_DEBUG=1 for the whole story, and report it';
  if (asJson) {
    const details = known ? error.details : {};
    console.line(
      JSON.stringify({
        error: { code, message, details, exitCode, ...(hint === undefined ? {} : { hint }) },
      }),
    );
  } else {
    const [first = '', ...rest] = message.split('\n');
    console.note(`${console.colors.red('error')} ${console.colors.bold(code)}: ${first}`);
    for (const line of rest) console.note(`      ${line}`);
    if (hint !== undefined) console.note(`${console.colors.dim('hint')}  ${hint}`);
  }
  if (process.env['ESPALIER_DEBUG'] === '1' && error instanceof Error) console.note(inspect(error));
  return exitCode;
}

function inspect(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${inspect(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
