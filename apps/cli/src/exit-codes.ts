/**
 * @file Exit codes of the command line, by the names that the table of errors uses; `--help` and docs/reference/cli.md
 * print them.
 */
import { isAppError } from '@espalier/contracts';
import { findError } from '@espalier/contracts/error-codes';
import { CommanderError } from 'commander';

export const exitCodes = {
  ok: 0,
  usage: 2,
  invalid: 3,
  notFound: 4,
  failed: 5,
  unavailable: 69,
  temporary: 75,
  denied: 77,
} as const;

/** What each code means, in one line. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.ok, 'done'],
  [exitCodes.usage, 'the command line cannot be understood'],
  [
    exitCodes.invalid,
    'bad input: configuration, plugin, model or checkpoint; or a request that the server refuses in its current state',
  ],
  [exitCodes.notFound, 'a named file, run, plugin or model does not exist'],
  [exitCodes.failed, 'the run failed, or ended early because nothing was left to learn from'],
  [exitCodes.unavailable, 'no server answers'],
  [
    exitCodes.temporary,
    'stopped before the end, nowhere to write, or the run folder is in use; the run can be resumed',
  ],
  [exitCodes.denied, 'no key to the server, or one that may not do this'],
];

/** Gives the exit code of a thrown value. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (!isAppError(error)) return exitCodes.failed;
  if (error.details['missing'] === true) return exitCodes.notFound;
  const code = error.code === 'client.refused' ? error.details['code'] : error.code;
  const row = typeof code === 'string' ? findError(code) : undefined;
  return exitCodes[row?.exit ?? 'failed'];
}
