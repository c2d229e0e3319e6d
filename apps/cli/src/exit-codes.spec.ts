import { AppError, type ErrorCode } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from './exit-codes.js';

describe('exitCodeOf', () => {
  it.each<[number, ErrorCode]>([
    [2, 'cli.usage'],
    [3, 'config.unknown_key'],
    [3, 'plugin.unreadable'],
    [3, 'trainer.resume_mismatch'],
    [4, 'model.not_found'],
    [4, 'backup.not_found'],
    [5, 'plugin.timeout'],
    [5, 'engine.not_finite'],
    [69, 'client.unreachable'],
    [75, 'trainer.run_locked'],
    [75, 'cli.interrupted'],
    [77, 'worker.unauthorized'],
  ])('is %i for %s', (exitCode, code) => {
    expect(exitCodeOf(new AppError(code, ''))).toBe(exitCode);
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
