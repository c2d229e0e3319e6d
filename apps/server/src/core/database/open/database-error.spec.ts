import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { toDatabaseError } from './database-error.js';

const failed = (code: string) =>
  new QueryFailedError('SELECT 1', [], Object.assign(new Error('as the driver says'), { code }));

describe('what is told of the database', () => {
  it.each([
    ['SQLITE_BUSY', /another process holds its file; close/],
    ['SQLITE_BUSY_SNAPSHOT', /another process/],
    ['SQLITE_FULL', /full; free space/],
    ['SQLITE_IOERR_FSYNC', /disk failed/],
    ['SQLITE_CORRUPT', /restore the file from a backup/],
    ['53100', /full; free space/],
    ['57P01', /PostgreSQL does not answer/],
    ['40001', /try again/],
    ['40P01', /try again/],
    ['57014', /database.statementSeconds/],
  ])('says of %s what to do', (code, sentence) => {
    const told = toDatabaseError(failed(code));
    expect(told).toMatchObject({ code: 'server.database_unavailable' });
    expect(told?.message).toMatch(sentence);
    expect(told?.message).not.toContain('as the driver says');
  });

  it.each(['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_ERROR', '23505', '42P01'])(
    'leaves %s a failure of ours',
    (code) => {
      expect(toDatabaseError(failed(code))).toBeUndefined();
    },
  );

  it('takes a broken connection for that of the database only where it is', () => {
    const broken = (more: object) => Object.assign(new Error('broken'), { code: 'ECONNRESET', ...more });
    expect(toDatabaseError(failed('ECONNRESET'))?.message).toMatch(/PostgreSQL does not answer/);
    expect(toDatabaseError(broken({ code: 'ECONNREFUSED', syscall: 'connect' }))).toBeDefined();
    // as of a client that is gone amid its request
    expect(toDatabaseError(broken({}))).toBeUndefined();
  });
});
