/** @file Keys in the live views, on a terminal of their own: `script` of util-linux makes one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMetrics, readTrajectories } from '@espalier/recorder';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { startUp } from '../support/start-up.js';
import { writeTinyModel } from '../support/tiny-model.js';

const main = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));
const children: ChildProcess[] = [];
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-keys-'));
  writeTinyModel(join(folder, 'tiny'));
  const yaml = [
    'environment: { use: bandit }',
    'algorithm: { use: ppo }',
    'model: { path: ./tiny }',
    'steps: 5000',
    'rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 4 }',
    'update: { maxSkipped: 0 }',
    'validation: { every: 0, atStart: false, atEnd: false }',
    'checkpoint: { every: 0 }',
  ];
  writeFileSync(join(folder, 'run.yaml'), yaml.join('\n'));
});
afterAll(() => {
  // a test that failed leaves its run behind
  for (const child of children) child.kill('SIGHUP');
  removeFolder(folder);
});

/** Runs a command on a terminal; afterwards its exit code and the terminal's settings are printed. */
function onTerminal(...words: readonly string[]) {
  const call = [process.execPath, main, ...words].map((word) => `'${word}'`).join(' ');
  // Ctrl-C reaches the shell as well; without a trap some shells end before they print the rest
  const command = `trap : INT; stty rows 40 cols 100; ${call}; echo "exit $?"; stty -a`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder });
  children.push(child);
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => void (screen += chunk.toString()));
  const done = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return {
    press: (keys: string) => void child.stdin.write(keys),
    screen: () => screen,
    shows: (text: RegExp) => waitFor(`the screen shows ${String(text)}`, () => text.test(screen)),
    done,
  };
}

/** the second step is complete, or a later one: steps can be faster than frames */
const secondStep = /step (?:[2-9]|\d{2,})\/5000/;
const stepsIn = (run: string) => readMetrics(join(folder, run, 'metrics.jsonl')).map(({ step }) => step);
const checkpointsIn = (run: string) =>
  existsSync(join(folder, run, 'checkpoints')) ? readdirSync(join(folder, run, 'checkpoints')) : [];

describe.runIf(process.platform === 'linux')('q in the live view of a server', () => {
  it('leaves the view and not the run', { timeout: 120_000 }, async () => {
    const server = await startUp('serve');
    try {
      const config = join(server.folder, 'small.yaml');
      writeFileSync(config, 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 2\n');
      const { id } = await server.json<{ id: string }>('run', 'create', config);
      const key = readFileSync(join(server.folder, 'data/admin.key'), 'utf8').trim();
      const watch = onTerminal('run', 'watch', id, '--server', server.url, '--key', key);
      // the history has arrived, so no record replaces the help
      await watch.shows(/queued[^:]/);
      watch.press('?');
      await watch.shows(/q leave \(the run continues\)/);
      watch.press('q');
      await watch.done;
      expect(watch.screen()).toContain('exit 75');
      expect(watch.screen()).toMatch(/ icanon /);
      expect(await server.json('run', 'show', id)).toMatchObject({ state: 'queued' });
    } finally {
      await server.close();
    }
  });
});

describe.runIf(process.platform === 'linux')('keys in the live view', () => {
  it('save, stop after a whole step and leave the terminal as it was', { timeout: 120_000 }, async () => {
    const train = onTerminal('train', 'run.yaml', '--out', 'run');
    await train.shows(/\? lists the keys/);
    train.press('?');
    await train.shows(/q stop after this step, s save after this step/);
    await train.shows(secondStep);
    expect(checkpointsIn('run')).toEqual([]);
    train.press('s');
    await waitFor('a checkpoint is saved', () => checkpointsIn('run').length === 1);
    train.press('q');
    await train.done;
    expect(train.screen()).toContain('exit 75');
    expect(train.screen()).toMatch(/stopped on request at step \d+ of 5000/);
    expect(train.screen()).toMatch(/ icanon /);
    expect(train.screen()).toMatch(/ echo /);
    const last = Math.max(...stepsIn('run'));
    // the stop came between two steps: the last checkpoint is of the last step, and its rollouts are all there
    expect(checkpointsIn('run').sort().at(-1)).toBe(`step-${String(last).padStart(6, '0')}`);
    expect(readTrajectories(join(folder, 'run/trajectories'), { step: last })).toHaveLength(4);

    const shown = await callCli(['show', 'run', '--group', '99'], { cwd: folder });
    expect([shown.code, shown.stderr]).toEqual([4, expect.stringContaining('no group 99; groups are 0..1')]);
  });

  it('pause the live view while training continues', { timeout: 120_000 }, async () => {
    const train = onTerminal('train', 'run.yaml', '--out', 'paused');
    await train.shows(secondStep);
    train.press('p');
    await train.shows(/live view paused/);
    const before = stepsIn('paused').length;
    const frozen = train.screen();
    await waitFor('three more steps are logged', () => stepsIn('paused').length > before + 3);
    expect(train.screen()).toBe(frozen);
    train.press('p');
    await waitFor('the live view moves', () => train.screen().length > frozen.length);
    train.press('q');
    await train.done;
    expect(train.screen()).toContain('exit 75');
  });

  it('leave Ctrl-C a signal', { timeout: 120_000 }, async () => {
    const train = onTerminal('train', 'run.yaml', '--out', 'stopped');
    await train.shows(secondStep);
    train.press('\u0003');
    await train.done;
    expect(readFileSync(join(folder, 'stopped/events.jsonl'), 'utf8')).toContain(
      'stopped on request at step',
    );
    expect(train.screen()).toMatch(/ icanon /);
  });
});
