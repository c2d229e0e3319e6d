import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@espalier/testing';
import { afterEach, expect, it } from 'vitest';
import { workerOptions } from '../worker-options.js';
import { type AttemptFolder, createAttemptFolder } from './attempt-folder.js';
import { createTrainerProcess, type TrainerProcess } from './trainer-process.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-trainer-'));
const { timing } = workerOptions.parse({ key: 'k', timing: { pollMs: 20, graceMs: 60_000 } });
let trainer: TrainerProcess | undefined;
let slowPauses = 0;
afterEach(async () => {
  slowPauses = 0;
  await trainer?.kill();
  rmSync(root, { recursive: true, force: true });
});

/** A process that notes an interrupt in its log and ends by it, or not. */
async function start(
  onInterrupt: string,
  atStart = '',
  memoryMb = 0,
  graceMs = timing.graceMs,
): Promise<AttemptFolder> {
  const folder = createAttemptFolder(join(root, 'attempts'), { attemptId: 'a', spec: {} } as never);
  trainer = createTrainerProcess(folder, { ...timing, graceMs }, () => (slowPauses += 1), memoryMb);
  const script = join(root, 'script.mjs');
  writeFileSync(
    script,
    `process.on('SIGINT', () => { ${onInterrupt} }); console.log('ready'); ${atStart}; setInterval(() => undefined, 1000);`,
  );
  const logFile = folder.streamFile('log');
  await trainer.start({
    words: [process.execPath, script],
    env: { PATH: process.env['PATH'] ?? '' },
    exitFile: folder.exitFile,
    logFile,
  });
  await waitFor('it runs', () => readFileSync(logFile, 'utf8').includes('ready'));
  return folder;
}
const end = () => trainer?.waitForEnd(new AbortController().signal);

it('is asked to stop by a drain, and has time until the deadline', async () => {
  await start('setTimeout(() => process.exit(75), 300)');
  trainer?.drain(Date.now() + 60_000, false);
  expect(await end()).toEqual({ code: 75, signal: null });
  expect(trainer?.requested()).toBe('drain');
});

it('is killed at the deadline of a drain, by the next worker too', async () => {
  const folder = await start('');
  const deadline = Date.now() + 500;
  trainer?.drain(deadline, false);
  // a worker that was restarted meanwhile
  trainer = createTrainerProcess(folder, timing);
  expect(await end()).toMatchObject({ signal: 'SIGKILL' });
  expect(Date.now()).toBeGreaterThanOrEqual(deadline);
  expect(trainer.requested()).toBe('drain');
});

it('is not interrupted before the deadline of a drain when it saves nothing', async () => {
  await start('process.exit(75)');
  trainer?.drain(Date.now() + 600, true);
  expect(await end()).toMatchObject({ signal: 'SIGKILL' });
});

it('stays cancelled when its worker drains, and then ends by the earlier deadline', async () => {
  await start('');
  trainer?.request('cancel');
  trainer?.drain(Date.now() + 200, false);
  expect(await end()).toMatchObject({ signal: 'SIGKILL' });
  expect(trainer?.requested()).toBe('cancel');
});

/** Repeats a request until the process has ended, as the server does until it hears of the end. */
async function endWhileAsking(action: 'pause' | 'cancel'): Promise<unknown> {
  trainer?.request(action);
  const timer = setInterval(() => trainer?.request(action), 20);
  try {
    return await end();
  } finally {
    clearInterval(timer);
  }
}

it('is killed after the grace although the request to cancel is repeated, and interrupted once', async () => {
  const folder = await start('console.log("interrupted")', 'setTimeout(() => process.exit(9), 8000)', 0, 300);
  expect(await endWhileAsking('cancel')).toMatchObject({ signal: 'SIGKILL' });
  expect(readFileSync(folder.streamFile('log'), 'utf8').match(/interrupted/g)).toHaveLength(1);
});

it('is reported as slow once although the request to pause is repeated', async () => {
  await start('setTimeout(() => process.exit(75), 900)', '', 0, 300);
  expect(await endWhileAsking('pause')).toMatchObject({ code: 75 });
  expect(slowPauses).toBe(1);
});

it('is interrupted by a request after a drain that let it run', async () => {
  await start('process.exit(75)');
  trainer?.drain(Date.now() + 60_000, true);
  trainer?.request('cancel');
  expect(await end()).toEqual({ code: 75, signal: null });
});

it.each([
  ['itself', `const kept = Buffer.alloc(400 * 2 ** 20, 1); setInterval(() => kept, 1000)`],
  [
    'in a child',
    `(await import('node:child_process')).spawn(process.execPath, ['-e', 'const kept = Buffer.alloc(400 * 2 ** 20, 1); setInterval(() => kept, 1000)'])`,
  ],
])('is killed when it uses more memory than its limit, %s, and the use is saved', async (_where, code) => {
  const folder = await start('', code, 300);
  expect(await end()).toMatchObject({ signal: 'SIGKILL' });
  const { usedMb = 0, limitMb } = folder.state().exceeded ?? {};
  expect([limitMb, usedMb > 300]).toEqual([300, true]);
});

it('is left alone below its limit', async () => {
  const folder = await start('process.exit(75)', `const kept = Buffer.alloc(100 * 2 ** 20, 1)`, 1000);
  setTimeout(() => trainer?.request('pause'), 800);
  expect(await end()).toMatchObject({ code: 75 });
  expect(folder.state().exceeded).toBeUndefined();
});
