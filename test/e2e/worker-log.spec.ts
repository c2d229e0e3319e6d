import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const door = new URL('../../apps/worker/dist/log.js', import.meta.url).href;
const script = `
const { createLog } = await import(${JSON.stringify(door)});
const log = createLog();
log.info({ run: 'run-1' }, 'quiet');
log.warn({ run: 'run-1', attempt: 'attempt-1' }, 'two\\nlines');
log.error({}, 'last');
`;

describe('the log of a worker', () => {
  it('is lines of JSON on standard error, from the level that is asked for on', () => {
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

  it('is lost, and the worker not ended by it, when a full disk takes none', () => {
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
