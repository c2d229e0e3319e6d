/**
 * @file Exit codes of the command line; `--help` and docs/reference/cli.md print this table.
 */
import { type ErrorCode, isAppError } from '@espalier/contracts';
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
    'bad input: configuration, plugin, model or checkpoint; or what a server does not do as things stand',
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

const byCode: Readonly<Partial<Record<ErrorCode, number>>> = {
  'cli.usage': exitCodes.usage,
  // resumable
  'cli.interrupted': exitCodes.temporary,
  'engine.cancelled': exitCodes.temporary,
  'rollout.cancelled': exitCodes.temporary,
  'trainer.run_locked': exitCodes.temporary,
  'trainer.write_failed': exitCodes.temporary,
  'recorder.write_failed': exitCodes.temporary,
  'server.already_running': exitCodes.temporary,
  'server.cannot_listen': exitCodes.temporary,
  'worker.data_in_use': exitCodes.temporary,
  // what is not there
  'model.not_found': exitCodes.notFound,
  'plugin.not_found': exitCodes.notFound,
  'cli.run_not_found': exitCodes.notFound,
  'trainer.nothing_to_resume': exitCodes.notFound,
  // servers
  'cli.no_key': exitCodes.denied,
  'worker.unauthorized': exitCodes.denied,
  'cli.ambiguous_run': exitCodes.usage,
  'cli.corrupt_download': exitCodes.failed,
  'client.unreachable': exitCodes.unavailable,
  'backup.not_found': exitCodes.notFound,
  'backup.failed': exitCodes.failed,
  // bad input that only shows in areas where errors otherwise are failures
  'rollout.prompt_too_long': exitCodes.invalid,
  'rollout.unsupported_template': exitCodes.invalid,
  'runtime.provider_unavailable': exitCodes.invalid,
  'recorder.corrupt_log': exitCodes.invalid,
  'trainer.corrupt_checkpoint': exitCodes.invalid,
  'trainer.corrupt_run': exitCodes.invalid,
  'trainer.missing_column': exitCodes.invalid,
  'trainer.resume_mismatch': exitCodes.invalid,
  'trainer.run_exists': exitCodes.invalid,
  // failures in areas of bad input
  'plugin.failed': exitCodes.failed,
  'plugin.timeout': exitCodes.failed,
  'plugin.catalogue_unavailable': exitCodes.failed,
  'cli.worker_failed': exitCodes.failed,
};

/** Errors of every other area are failures. */
const byArea: Readonly<Record<string, number>> = {
  backup: exitCodes.invalid,
  cli: exitCodes.invalid,
  config: exitCodes.invalid,
  contracts: exitCodes.invalid,
  model: exitCodes.invalid,
  plugin: exitCodes.invalid,
};

/** Refusals of a server that are not bad input. */
const byRefusal: Readonly<Record<string, number>> = {
  'access.unauthenticated': exitCodes.denied,
  'access.denied': exitCodes.denied,
  'access.throttled': exitCodes.temporary,
  'server.not_found': exitCodes.notFound,
  'server.shutting_down': exitCodes.temporary,
  'server.internal': exitCodes.failed,
  'server.database_unavailable': exitCodes.temporary,
};

/** Gives the exit code of a thrown value. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (!isAppError(error)) return exitCodes.failed;
  if (error.details['missing'] === true) return exitCodes.notFound;
  if (error.code === 'client.refused') {
    const told = error.details['code'];
    if (typeof told !== 'string' || told.startsWith('http.')) return exitCodes.failed;
    return byRefusal[told] ?? exitCodes.invalid;
  }
  return byCode[error.code] ?? byArea[error.code.split('.')[0] ?? ''] ?? exitCodes.failed;
}
