import { AppError, errorCodes, type ErrorCode } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from './exit-codes.js';

/** Every code that is not a failure of the run (5). */
const expected: Readonly<Record<number, readonly ErrorCode[]>> = {
  2: ['cli.ambiguous_run', 'cli.usage'],
  3: [
    'backup.damaged',
    'backup.mismatch',
    'backup.no_program',
    'backup.target_not_empty',
    'cli.run_exists',
    'cli.unusable_folder',
    'config.derived_key',
    'config.impossible_budget',
    'config.unknown_key',
    'config.unreadable',
    'config.wrong_type',
    'contracts.invalid_value',
    'contracts.unsafe_path',
    'model.not_allowed',
    'model.malformed_config',
    'model.malformed_safetensors',
    'model.malformed_tokenizer',
    'model.unsupported_config',
    'plugin.changed',
    'plugin.duplicate_id',
    'plugin.invalid_definition',
    'plugin.unknown_action',
    'plugin.unreadable',
    'plugin.version_mismatch',
    'rollout.prompt_too_long',
    'rollout.unsupported_template',
    'runtime.provider_unavailable',
    'recorder.corrupt_log',
    'trainer.corrupt_checkpoint',
    'trainer.corrupt_run',
    'trainer.missing_column',
    'trainer.resume_mismatch',
    'trainer.run_exists',
  ],
  4: [
    'backup.not_found',
    'cli.run_not_found',
    'model.not_found',
    'plugin.not_found',
    'trainer.nothing_to_resume',
  ],
  69: ['client.unreachable'],
  75: [
    'server.already_running',
    'server.cannot_listen',
    'worker.data_in_use',
    'cli.interrupted',
    'engine.cancelled',
    'rollout.cancelled',
    'recorder.write_failed',
    'trainer.run_locked',
    'trainer.write_failed',
  ],
  77: ['worker.unauthorized', 'cli.no_key'],
};

describe('exitCodeOf', () => {
  it('gives every error code the exit code of its kind', () => {
    const codes = Object.keys(errorCodes) as ErrorCode[];
    const wanted = (code: ErrorCode): number =>
      Number(Object.entries(expected).find(([, list]) => list.includes(code))?.[0] ?? 5);
    const table = (exitCode: (code: ErrorCode) => number) => codes.map((code) => `${code} ${exitCode(code)}`);
    expect(table((code) => exitCodeOf(new AppError(code, '')))).toEqual(table(wanted));
    expect(codes).toEqual(expect.arrayContaining(Object.values(expected).flat()));
  });

  it('tells a named thing that is missing from one that is bad', () => {
    expect(exitCodeOf(new AppError('config.unreadable', '', { details: { missing: true } }))).toBe(4);
  });

  it('tells the refusals of a server by its code', () => {
    const refusal = (code: string): number =>
      exitCodeOf(new AppError('client.refused', '', { details: { code } }));
    expect(refusal('config.unknown_key')).toBe(3);
    expect(refusal('run.wrong_state')).toBe(3);
    expect(refusal('server.not_found')).toBe(4);
    expect(refusal('http.502')).toBe(5);
    expect(refusal('server.shutting_down')).toBe(75);
    expect(refusal('access.denied')).toBe(77);
  });

  it('takes anything else for a failure', () => {
    expect([exitCodeOf(new Error('x')), exitCodeOf('x')]).toEqual([5, 5]);
  });
});
