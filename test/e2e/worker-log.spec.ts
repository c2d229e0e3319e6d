import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const entry = new URL('../../apps/worker/dist/logger.js', import.meta.url).href;
const script = `
const { createLogger } = await import(${JSON.stringify(entry)});
const log = createLogger();
log.info({ run: 'run-1' }, 'quiet');
log.warn({ run: 'run-1', attempt: 'attempt-1' }, 'two\\nlines');
log.error({}, 'last');
`;

describe('the log of a worker', () => {
  it('is JSON lines on standard error, at the configured level', () => {
    const env = { ...process.env, ESPALIER_LOG: 'warn' };
    const words = ['--input-type=module', '-e', script];
    const { stdout, stderr, pid } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { time: string });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
    expect([stdout, lines]).toEqual([
      '',
      [
        { level: 'warn', time, pid, run: 'run-1', attempt: 'attempt-1', msg: 'two\nlines' },
        { level: 'error', time, pid, msg: 'last' },
      ],
    ]);
  });

  it('is dropped on a full disk without ending the worker', () => {
    const full = openSync('/dev/full', 'w');
    const later = `${script}\nsetTimeout(() => console.log('still here'), 50);`;
    const words = ['--input-type=module', '-e', later];
    const { stdout, status } = spawnSync(process.execPath, words, {
      stdio: ['ignore', 'pipe', full],
      timeout: 30_000,
      encoding: 'utf8',
    });
    closeSync(full);
    expect([stdout, status]).toEqual(['still here\n', 0]);
  });
});
