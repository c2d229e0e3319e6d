import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeAssignment } from '../../../../test/support/assignment.js';
import type { Devices } from '../devices/devices.js';
import { workerOptions } from '../worker-options.js';
import { type AttemptManager, openAttemptManager } from './attempt-manager.js';
import type { WorkerContext } from './run-attempt.js';

let root = '';
let manager: AttemptManager;
const given = makeAssignment({ attemptId: 'attempt-1', runId: 'run-1' });
/** Refuses to end when it is asked to. */
const stubborn = `process.on('SIGINT', () => undefined); console.log('ready'); setInterval(() => undefined, 1000);`;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-manager-'));
  mkdirSync(join(root, 'attempts'));
  const cli = join(root, 'cli.mjs');
  writeFileSync(cli, stubborn);
  const nothing = (): undefined => undefined;
  const options = workerOptions.parse({ key: 'x', timing: { pollMs: 20, graceMs: 100 }, minFreeMb: 0 });
  const context = {
    cli,
    options: { ...options, data: root },
    log: { info: nothing, warn: nothing, error: nothing },
    plugins: { validate: nothing, list: () => [] },
    connection: { isOnline: () => false },
    runs: join(root, 'runs'),
    forks: join(root, 'forks'),
  } as unknown as WorkerContext;
  const devices = { list: () => [] } as unknown as Devices;
  manager = openAttemptManager(join(root, 'attempts'), devices, context);
});
afterEach(async () => {
  manager.fence(['attempt-1']);
  await expect.poll(() => manager.isHeld('run-1'), { timeout: 10_000 }).toBe(false);
  await removeFolder(root);
});

/** A file of the attempt; empty until there is one. */
const read = (name: string): string => {
  const path = join(root, 'attempts', 'attempt-1', name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

it('a training that does not stop on request is reported', async () => {
  expect(manager.assign(given)).toEqual({ ok: true, value: null });
  // earlier, the request would end a process that does not refuse yet
  await expect.poll(() => read('log.txt'), { timeout: 10_000 }).toContain('ready');
  manager.control({ attemptId: 'attempt-1', token: 1, action: 'pause' });
  await expect.poll(() => read('worker.jsonl'), { timeout: 10_000 }).toContain('"worker.slow_pause"');
});

it('a closing worker accepts no job', async () => {
  await manager.detach();
  expect(manager.assign(given)).toMatchObject({ ok: false, code: 'worker.closing' });
});
