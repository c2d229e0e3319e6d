/** @file A worker whose server is away is stopped: what an earlier worker left running saves and stops, as with a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, removeFolder, waitFor } from '@espalier/testing';
import { afterAll, expect, it } from 'vitest';
import { createAttemptFolder } from '../../apps/worker/src/attempts/attempt-folder.js';
import { createTrainerProcess } from '../../apps/worker/src/attempts/trainer-process.js';
import { makeAssignment } from '../support/assignment.js';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'espalier-unconnected-'));
const folder = createAttemptFolder(join(data, 'attempts'), makeAssignment());
const trainer = createTrainerProcess(folder, { graceMs: 60_000, pollMs: 20 } as never);
afterAll(async () => {
  await trainer.kill();
  removeFolder(data);
});

it('drains what it adopted when it is stopped before it is connected', async () => {
  const script = join(data, 'training.mjs');
  writeFileSync(
    script,
    `process.on('SIGINT', () => process.exit(75)); console.log('ready'); setInterval(() => undefined, 1000);`,
  );
  const logFile = folder.streamFile('log');
  await trainer.start({ words: [process.execPath, script], env: {}, exitFile: folder.exitFile, logFile });
  await waitFor('it trains', () => readFileSync(logFile, 'utf8').includes('ready'));

  const server = `http://127.0.0.1:${await freePort()}`;
  const settings = { KEY: 'k', GPUS: 'off', DRAINSECONDS: '3', TIMING__GRACEMS: '0' };
  const variables = Object.entries(settings).map(([name, value]) => [`ESPALIER__WORKER__${name}`, value]);
  const worker = spawn(process.execPath, [main, 'worker', '--server', server, '--data', data], {
    env: { ...process.env, ...Object.fromEntries(variables) },
  });
  let said = '';
  worker.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  worker.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await waitFor('it has adopted the training', () => said.includes('attempt adopted'));
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(said).toContain('stopping; again to end at once');
  expect(said).not.toContain('espalier worker');
  expect(readFileSync(folder.exitFile, 'utf8')).toBe('75\n');
}, 60_000);
