/** @file A plugin whose code never ends, in the process that trains: who it is, and that a signal still ends the run. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = `
import { existsSync } from 'node:fs';
import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
// the loop holds the thread, and leaves the processor to others
const nobody = new Int32Array(new SharedArrayBuffer(4));
export default defineEnvironment({
  id: 'maze',
  summary: 'Never ends once there is a checkpoint, while a file is there.',
  params: z.strictObject({}),
  instruction: () => 'Go.',
  limits: () => ({ maxTurns: 1, maxActions: 1, maxActionsPerTurn: 1 }),
  create: () => ({
    reset: () => {
      if (existsSync('fail')) throw new RangeError('off the map');
      while (process.argv.includes('early') || (existsSync('spin') && existsSync('run/checkpoints/step-000001')))
        Atomics.wait(nobody, 0, 0, 20);
      return { text: 'a maze', stateKey: 'a maze', actions: ['Up'] };
    },
    step: () => ({ observation: { text: 'out', stateKey: 'out' }, reward: 1, done: true, success: true, valid: true, effective: true }),
    render: () => 'a maze',
  }),
});
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-stuck-'));
  const plugin = join(folder, 'plugins/environments/maze');
  mkdirSync(plugin, { recursive: true });
  writeFileSync(
    join(plugin, 'package.json'),
    '{ "name": "maze", "version": "1.0.0", "type": "module", "exports": "./index.js" }',
  );
  writeFileSync(join(plugin, 'index.js'), source);
  for (const kind of ['algorithms', 'rewards'])
    symlinkSync(join(root, 'plugins', kind), join(folder, 'plugins', kind), 'dir');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  writeTinyModel(join(folder, 'tiny'));
  const yaml = [
    'environment: { use: maze }',
    'algorithm: { use: ppo }',
    'model: { path: ./tiny }',
    'steps: 3',
    'rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 4 }',
    'validation: { every: 0, atStart: false, atEnd: false }',
    'checkpoint: { every: 1 }',
  ];
  writeFileSync(join(folder, 'run.yaml'), yaml.join('\n'));
});
afterAll(() => removeFolder(folder));

const words = ['train', 'run.yaml', '--out', 'run'];

/** Sends SIGTERM once a stuck plugin was reported. */
function endWhenStuck(): (stderr: string, kill: (signal: NodeJS.Signals) => void) => void {
  let isAsked = false;
  return (stderr, kill) => {
    if (isAsked || !stderr.includes('has not returned')) return;
    isAsked = true;
    kill('SIGTERM');
  };
}

describe.runIf(process.platform !== 'win32')('a plugin that never returns', () => {
  it.concurrent('is named before the first step, too, where a signal ends the process by itself', async () => {
    const options = { cwd: folder, onError: endWhenStuck() };
    const { code, stderr } = await runCli(['train', 'run.yaml', '--out', 'early'], options);
    expect(stderr).toMatch(
      /note: environment "maze", hook "reset" has not returned for 1\d s; Ctrl-C or SIGTERM/,
    );
    expect(code).toBeNull();
  });

  it.concurrent('is named after 10 s, a signal ends the run, and the run can be resumed', async () => {
    writeFileSync(join(folder, 'spin'), '');
    const { code, stderr } = await runCli(words, { cwd: folder, onError: endWhenStuck() });
    expect(stderr).toMatch(
      /note: environment "maze", hook "reset" has not returned for 1\d s; Ctrl-C or SIGTERM/,
    );
    expect(stderr).toMatch(
      /error plugin\.timeout: environment "maze", hook "reset" never returned \(now at .*maze\/index\.js:1\d\)/,
    );
    expect(stderr).not.toContain('debugger');
    expect(code).toBe(75);
    expect(readdirSync(join(folder, 'run/checkpoints'))).toContain('step-000001');
    rmSync(join(folder, 'spin'));
    const resumed = await runCli([...words, '--resume'], { cwd: folder });
    expect(resumed.code, resumed.stderr).toBe(0);
  }, 120_000);
});

describe('a plugin that throws', () => {
  it('is quoted with the line of its own file', async () => {
    writeFileSync(join(folder, 'fail'), '');
    const { code, stderr } = await runCli(['train', 'run.yaml', '--out', 'failed'], { cwd: folder });
    rmSync(join(folder, 'fail'));
    expect(stderr).toMatch(
      /threw RangeError: off the map \(at \S*plugins\/environments\/maze\/index\.js:1\d:\d+\)/,
    );
    expect(code).toBe(5);
  }, 60_000);
});
