/**
 * @file Exit codes of the command line; `--help` and docs/cli.md print this table.
 */
import { isAppError } from '@espalier/contracts';
import { CommanderError } from 'commander';

export const exitCodes = {
  ok: 0,
  usage: 2,
  invalid: 3,
  notFound: 4,
  failed: 5,
  temporary: 75,
} as const;

/** What each code means, in one line. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.ok, 'done'],
  [exitCodes.usage, 'the command line cannot be understood'],
  [exitCodes.invalid, 'bad input: configuration, plugin, model or checkpoint'],
  [exitCodes.notFound, 'a named file, run, plugin or model does not exist'],
  [exitCodes.failed, 'the run failed'],
  [
    exitCodes.temporary,
    'stopped before the end, or the run folder is in use; the same command can go on later',
  ],
];

const byCode: Readonly<Record<string, number>> = {
  'cli.usage': exitCodes.usage,
  'cli.interrupted': exitCodes.temporary,
  'engine.cancelled': exitCodes.temporary,
  'rollout.cancelled': exitCodes.temporary,
  'trainer.run_locked': exitCodes.temporary,
  'plugin.not_found': exitCodes.notFound,
  'cli.run_not_found': exitCodes.notFound,
  'trainer.nothing_to_resume': exitCodes.notFound,
  'trainer.run_exists': exitCodes.invalid,
  'trainer.resume_mismatch': exitCodes.invalid,
  'plugin.failed': exitCodes.failed,
  'runtime.provider_unavailable': exitCodes.invalid,
};

const byArea: Readonly<Record<string, number>> = {
  cli: exitCodes.invalid,
  config: exitCodes.invalid,
  contracts: exitCodes.invalid,
  model: exitCodes.invalid,
  plugin: exitCodes.invalid,
};

/** Gives the exit code of a thrown value. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (!isAppError(error)) return exitCodes.failed;
  if (error.details['missing'] === true) return exitCodes.notFound;
  return byCode[error.code] ?? byArea[error.code.split('.')[0] ?? ''] ?? exitCodes.failed;
}
