import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Console } from '../console.js';
import { endOldWorker } from './end-old-worker.js';

let folder = '';
let notes: string[] = [];
const console = { note: (text: string) => void notes.push(text) } as unknown as Console;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-old-worker-'));
  notes = [];
});
afterEach(() => rmSync(folder, { recursive: true }));
const writeLock = (text: string): void => writeFileSync(join(folder, 'worker.lock'), text);

/** A process with the command line of a worker that `up` starts. */
async function startWorker(name: string) {
  const child = spawn(process.execPath, [
    '-e',
    'console.log(); setInterval(() => {}, 1000)',
    '--',
    '--on-stop',
    'drain',
    '--name',
    name,
  ]);
  await once(child.stdout, 'data');
  return { child, ended: once(child, 'exit') };
}

describe('endOldWorker', () => {
  it.each([
    ['empty', ''],
    ['not an object', 'null'],
    ['without a pid', '{}'],
    ['not JSON', '{"pid":'],
  ])('leaves a lock alone that is %s', async (_what, text) => {
    writeLock(text);
    await endOldWorker(folder, 'local', console);
    expect(notes).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'kills the worker that holds the folder, and no other',
    async () => {
      const { child, ended } = await startWorker('local');
      const lock = (pid: number | undefined) => JSON.stringify({ pid, host: 'here', started: null });
      writeLock(lock(process.pid));
      await endOldWorker(folder, 'local', console);
      writeLock(lock(child.pid));
      await endOldWorker(folder, 'other', console);
      expect([notes, child.exitCode, child.signalCode]).toEqual([[], null, null]);
      await endOldWorker(folder, 'local', console);
      expect(notes).toEqual([expect.stringContaining(`process ${child.pid}`)]);
      expect(await ended).toEqual([null, 'SIGKILL']);
    },
  );
});
