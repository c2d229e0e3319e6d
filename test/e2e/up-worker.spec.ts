import { readFileSync, mkdtempSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isAlive, killProcess } from '@espalier/files';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
let folder: string;
const started: ChildProcess[] = [];
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'espalier-up-worker-'))));
afterAll(() => {
  started.forEach((child) => child.kill('SIGKILL'));
  const pid = workerPid();
  if (pid > 0) killProcess(pid);
  removeFolder(folder);
});

/** Starts `up` on the folder. */
function up() {
  const child = spawn(process.execPath, [main, 'up', '--port', '0', '--data', folder, '--json'], {
    env: { ...process.env, ESPALIER__SERVER__LOGLEVEL: 'error', ESPALIER_LOG: 'info' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  started.push(child);
  const told = { text: '' };
  child.stderr.on('data', (chunk: Buffer) => void (told.text += chunk.toString()));
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  return { child, told, ended };
}

const workerPid = (): number => {
  try {
    return (JSON.parse(readFileSync(join(folder, 'worker/worker.lock'), 'utf8')) as { pid: number }).pid;
  } catch {
    return 0;
  }
};
const isThere = (pid: number): boolean => isAlive({ pid, started: null });

describe('the worker of espalier up', () => {
  it('is started again when it is killed, replaced when its up is killed, and ended with the last', async () => {
    const first = up();
    await waitFor('a worker is connected', () => first.told.text.includes('"connected"'));
    // it says so to `up` with its next look
    await new Promise((done) => setTimeout(done, 1000));
    const killed = workerPid();
    killProcess(killed);
    await waitFor('another holds it', () => workerPid() !== killed && workerPid() > 0);
    expect(first.told.text).toContain('the worker ended by SIGKILL; restarting (1 of 4)');
    await waitFor('it is connected', () => first.told.text.split('"connected"').length > 2);
    const orphan = workerPid();
    first.child.kill('SIGKILL');
    await first.ended;
    expect(isThere(orphan)).toBe(true);
    const second = up();
    await waitFor('a new one holds it', () => workerPid() !== orphan && workerPid() > 0);
    await waitFor('it is connected', () => second.told.text.includes('"connected"'));
    const last = workerPid();
    expect([isThere(orphan), second.told.text]).toEqual([
      false,
      expect.stringContaining(`a worker of an earlier \`up\` still lives (process ${orphan})`),
    ]);
    second.child.kill('SIGINT');
    expect([await second.ended, isThere(last), second.told.text.split('stopping').length]).toEqual([
      0,
      false,
      2,
    ]);
  }, 120_000);
});
