import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRunLock } from './run-lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-lock-'));
});

describe('createRunLock', () => {
  it('refuses a second owner and names the first', () => {
    const lock = createRunLock(folder);
    expect(() => createRunLock(folder)).toThrow(new RegExp(`held by process ${process.pid} on`));
    lock.release();
    createRunLock(folder).release();
    expect(existsSync(join(folder, 'run.lock'))).toBe(false);
  });

  it('replaces the lock of a process that is gone', () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(join(folder, 'run.lock'), JSON.stringify({ pid: gone, host: hostname(), started: null }));
    createRunLock(folder);
    expect(readdirSync(folder)).toEqual(['run.lock']);
  });

  it('replaces the lock of an earlier process with the same id', () => {
    writeFileSync(
      join(folder, 'run.lock'),
      JSON.stringify({ pid: process.pid, host: hostname(), started: '1' }),
    );
    if (process.platform === 'linux') createRunLock(folder).release();
    else expect(() => createRunLock(folder)).toThrow(/held by/);
  });

  it.runIf(process.platform === 'linux')('replaces the lock of a process that nobody collected', async () => {
    // the shell starts a child that ends, becomes a program that never asks for it, and so keeps it as a zombie
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60']);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    while (!/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await setTimeout(20);
    writeFileSync(join(folder, 'run.lock'), JSON.stringify({ pid, host: hostname(), started: null }));
    createRunLock(folder).release();
    parent.kill('SIGKILL');
  });

  it.runIf(process.platform === 'linux')('replaces a lock from before the machine was started', () => {
    const before = { pid: process.ppid, host: hostname(), started: 'another-boot:1' };
    writeFileSync(join(folder, 'run.lock'), JSON.stringify(before));
    createRunLock(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves the lock of a process that took the folder over', () => {
    const lock = createRunLock(folder);
    expect(lock.isHeld()).toBe(true);
    writeFileSync(join(folder, 'run.lock'), JSON.stringify({ pid: 1, host: 'elsewhere' }));
    expect(lock.isHeld()).toBe(false);
    lock.release();
    expect(readdirSync(folder)).toEqual(['run.lock']);
  });

  it.runIf(process.platform === 'linux')('replaces a lock of a container that had another name', () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const owner = { pid: gone, host: 'old-container', started: `${boot}:1` };
    writeFileSync(join(folder, 'run.lock'), JSON.stringify(owner));
    createRunLock(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps the lock of another machine', () => {
    writeFileSync(join(folder, 'run.lock'), JSON.stringify({ pid: 1, host: 'elsewhere', started: null }));
    expect(() => createRunLock(folder)).toThrow(/process 1 on "elsewhere"/);
  });

  it('keeps a lock it cannot read', () => {
    writeFileSync(join(folder, 'run.lock'), '{');
    expect(() => createRunLock(folder)).toThrow(/an unknown process/);
  });
});
