import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolderLock, isAlive, readLockOwner, signalGroup, startOf } from '@espalier/files';
import { findLaunched, launch, readExitStatus } from './launch.js';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'espalier-living-'))));
afterEach(() => removeFolder(folder));

const planOf = (script: string) => ({
  words: [process.execPath, '-e', script],
  env: { PATH: process.env['PATH'] ?? '' },
  exitFile: join(folder, 'exit'),
  logFile: join(folder, 'log.txt'),
});

describe('isAlive', () => {
  it('distinguishes a process from a later one with the same id', async () => {
    const child = spawn('sleep', ['60']);
    const pid = child.pid ?? 0;
    expect(isAlive({ pid, started: startOf(pid) })).toBe(true);
    expect(isAlive({ pid, started: 'of another process' })).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive({ pid, started: null })).toBe(false);
  });
});

describe('launch', () => {
  it.each([
    ['process.exit(0)', { code: 0, signal: null }],
    ['process.exit(75)', { code: 75, signal: null }],
    ["process.kill(process.pid, 'SIGKILL')", { code: null, signal: 'SIGKILL' }],
    ["process.kill(process.pid, 'SIGSEGV')", { code: null, signal: 'SIGSEGV' }],
  ])('records how %s ended', async (script, exitStatus) => {
    const living = await launch(planOf(script));
    await waitFor('it has ended', () => !isAlive(living));
    expect(readExitStatus(join(folder, 'exit'))).toEqual(exitStatus);
  });

  it('lets a process handle SIGINT and still records its exit code', async () => {
    const script =
      "process.on('SIGINT', () => process.exit(75)); setInterval(() => 0, 100); console.log('ready')";
    const living = await launch(planOf(script));
    const log = join(folder, 'log.txt');
    await waitFor('it is ready', () =>
      spawnSync('cat', [log], { encoding: 'utf8' }).stdout.includes('ready'),
    );
    expect(findLaunched(join(folder, 'exit'))).toEqual(living);
    signalGroup(living.pid, 'SIGINT');
    await waitFor('it has ended', () => !isAlive(living));
    expect(readExitStatus(join(folder, 'exit'))).toEqual({ code: 75, signal: null });
  });

  it('treats a missing exit code as a kill of the whole group', async () => {
    const living = await launch(planOf('setInterval(() => 0, 100)'));
    signalGroup(living.pid, 'SIGKILL');
    await waitFor('it has ended', () => !isAlive(living));
    expect(readExitStatus(join(folder, 'exit'))).toEqual({ code: null, signal: 'SIGKILL' });
  });
});

describe('createFolderLock', () => {
  it('admits one worker to a data folder, and another one after it has closed', () => {
    const lock = createFolderLock(folder, 'worker', 'worker.data_in_use');
    expect(() => createFolderLock(folder, 'worker', 'worker.data_in_use')).toThrow(
      /is held by process \d+ on "[^"]+"; stop it, or use another data folder/,
    );
    lock.release();
    createFolderLock(folder, 'worker', 'worker.data_in_use').release();
  });

  it('takes over from a process that was killed', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(
      join(folder, 'worker.lock'),
      JSON.stringify({ pid, host: hostname(), started: 'long ago' }),
    );
    const lock = createFolderLock(folder, 'worker', 'worker.data_in_use');
    const owner = { pid: process.pid, host: hostname(), started: startOf(process.pid) };
    expect(readLockOwner(join(folder, 'worker.lock'))).toEqual(owner);
    lock.release();
  });
});
