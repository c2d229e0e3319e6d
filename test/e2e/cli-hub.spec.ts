/** @file Models of a hub on the command line: downloaded, used by every command, pinned to a commit in runs. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSpec } from '@espalier/contracts';
import { removeFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { type HubServer, startHubServer } from '../support/hub-server.js';
import { type CliOptions, runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let cwd: string;
let hub: HubServer;
const run = [
  'name: tiny',
  'model: { hub: owner/tiny }',
  'environment: { use: bandit }',
  'algorithm: { use: grpo }',
  'steps: 1',
  'rollout: { promptsPerStep: 1, groupSize: 2, maxResponseTokens: 4 }',
  'checkpoint: { every: 1 }',
  'validation: { every: 0, atStart: false, atEnd: false }',
].join('\n');

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'espalier-cli-hub-'));
  hub = await startHubServer(writeTinyModel(join(cwd, 'repository')));
  writeFileSync(join(cwd, 'run.yaml'), `${run}\n`);
  writeFileSync(join(cwd, 'text.txt'), 'You play a game.');
});
afterEach(async () => {
  await hub.close();
  removeFolder(cwd);
});

const settings = (): Record<string, string> => ({ HF_ENDPOINT: hub.url, HF_HOME: join(cwd, 'home') });
const cli = (words: readonly string[], { env = {} }: Pick<CliOptions, 'env'> = {}) =>
  callCli(words, { cwd, env: { ...settings(), ...env } });
const specOf = (folder: string): RunSpec =>
  JSON.parse(readFileSync(join(cwd, folder, 'spec.json'), 'utf8')) as RunSpec;
const blobs = (): string => join(cwd, 'home/hub/models--owner--tiny/blobs');

describe('a model of a hub', () => {
  it('is downloaded with progress as events, and then used without a network', async () => {
    const { code, stdout, stderr } = await cli(['model', 'download', 'owner/tiny', '--json']);
    expect(code, stderr).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events[0]).toMatchObject({ kind: 'download', model: 'owner/tiny', commit: hub.commit });
    expect(events.at(-1)).toMatchObject({ kind: 'downloaded', commit: hub.commit });
    const env = { HF_HUB_OFFLINE: '1' };
    const info = await cli(['model', 'info', 'hub:owner/tiny', '--json'], { env });
    expect(JSON.parse(info.stdout)).toMatchObject({ family: 'llama', path: events.at(-1)?.['folder'] });
    const score = await cli(['model', 'score', `hub:owner/tiny@${hub.commit}`, '--text', 'text.txt'], {
      env,
    });
    expect(score.code, score.stderr).toBe(0);
    const out = await cli(['model', 'export', 'hub:owner/tiny', '--out', 'out', '--json'], { env });
    expect(out.code, out.stderr).toBe(0);
    expect(existsSync(join(cwd, 'out/tokenizer.json'))).toBe(true);
  }, 60_000);

  it('is pinned to its commit in a run, which a resumed one keeps when the branch has moved', async () => {
    const plan = await cli(['plan', 'run.yaml', '--json']);
    expect(plan.code, plan.stderr).toBe(0);
    const pinned = { hub: 'owner/tiny', revision: hub.commit };
    expect((JSON.parse(plan.stdout) as { spec: RunSpec }).spec.model).toEqual(pinned);
    const first = await cli(['train', 'run.yaml', '--out', 'run', '--json']);
    expect(first.code, first.stderr).toBe(0);
    expect(specOf('run').model).toEqual(pinned);
    hub.commit = 'd'.repeat(40);
    const again = await cli(['train', 'run.yaml', '--out', 'run', '--resume', '--set', 'steps=2', '--json']);
    expect(again.code, again.stderr).toBe(0);
    expect(specOf('run').model).toEqual(pinned);
    const other = await cli(['train', 'run.yaml', '--out', 'other', '--json']);
    expect(other.code, other.stderr).toBe(0);
    expect(specOf('other').model).toEqual({ hub: 'owner/tiny', revision: hub.commit });
  }, 120_000);

  it.each([
    ['cut off', '{ "name": "tiny", "mo'],
    ['without a model', '{ "environment": { "use": "bandit" }, "algorithm": { "use": "grpo" } }'],
    ['null', 'null'],
  ])(
    'keeps its commit in a run whose spec.json is %s',
    async (_, text) => {
      const first = await cli(['train', 'run.yaml', '--out', 'run', '--json']);
      expect(first.code, first.stderr).toBe(0);
      const { model } = specOf('run');
      hub.commit = 'd'.repeat(40);
      writeFileSync(join(cwd, 'run/spec.json'), text);
      const again = await cli([
        'train',
        'run.yaml',
        '--out',
        'run',
        '--resume',
        '--set',
        'steps=2',
        '--json',
      ]);
      expect(again.code, again.stderr).toBe(0);
      expect(again.stdout).toContain('trainer.corrupt_run');
      expect(specOf('run').model).toEqual(model);
    },
    120_000,
  );

  it('leaves a part to resume from at Ctrl-C, and nothing under a final name', async () => {
    const half = 40_000;
    hub.fault = ({ route, range }) =>
      route === 'storage' && range === undefined ? { stallAfter: half } : undefined;
    const isStalled = (): boolean =>
      existsSync(blobs()) &&
      readdirSync(blobs()).some((name) => {
        const part = name.endsWith('.incomplete') && statSync(join(blobs(), name), { throwIfNoEntry: false });
        return part !== false && part?.size === half;
      });
    const stop = new AbortController();
    const words = ['model', 'download', 'owner/tiny', '--json'];
    const stopped = runCli(words, { cwd, env: settings(), signal: stop.signal });
    // the hub sends nothing more, so the process waits in this state
    await vi.waitUntil(isStalled, { timeout: 30_000 });
    stop.abort('SIGINT');
    const { code, stdout, stderr } = await stopped;
    expect(code).toBe(75);
    expect(stderr + stdout).toContain('the part that was downloaded stays');
    expect(existsSync(join(cwd, 'home/hub/models--owner--tiny/refs'))).toBe(false);
    hub.fault = () => undefined;
    const resumed = await cli(['model', 'download', 'owner/tiny']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(hub.requests.filter(({ range }) => /^bytes=[1-9]/.test(range ?? ''))).not.toEqual([]);
  }, 60_000);

  it('is described without its weights', async () => {
    const info = await cli(['model', 'info', 'hub:owner/tiny', '--json']);
    expect(info.code, info.stderr).toBe(0);
    const described = JSON.parse(info.stdout) as { path: string };
    expect(readdirSync(described.path)).not.toContain('model.safetensors');
    const weights = hub.requests.filter(({ path }) => path === 'model.safetensors');
    expect(weights.filter(({ range = '' }) => !/^bytes=0-\d+$/.test(range))).toEqual([]);
    await cli(['model', 'download', 'owner/tiny']);
    const cached = await cli(['model', 'info', 'hub:owner/tiny', '--json']);
    expect(JSON.parse(cached.stdout)).toEqual(described);
    expect(readdirSync(described.path)).toContain('model.safetensors');
  }, 60_000);

  it('of another revision does not resume a run', async () => {
    const first = await cli(['train', 'run.yaml', '--out', 'run', '--json']);
    expect(first.code, first.stderr).toBe(0);
    const resume = ['train', 'run.yaml', '--out', 'run', '--resume', '--set', 'steps=2', '--json'];
    for (const revision of ['refs/pr/1', 'e'.repeat(40)]) {
      const refused = await cli([...resume, '--set', `model.revision=${revision}`]);
      expect(refused.code).toBe(3);
      expect(refused.stdout + refused.stderr).toContain(
        `model.revision is ${revision}, the run has ${hub.commit} (main at its start)`,
      );
    }
    const named = await cli([...resume, '--set', `model.revision=${hub.commit}`]);
    expect(named.code, named.stderr).toBe(0);
  }, 120_000);

  it.each([
    [['model', 'info', 'hub:tiny'], 2, 'write hub:owner/name or hub:owner/name@revision'],
    [['model', 'download', 'tiny'], 2, 'expected owner/name'],
    [['model', 'info', 'hub:owner/none'], 4, 'hub.not_found'],
    [
      ['model', 'info', 'owner/tiny'],
      4,
      'no such folder; a model of the hub is named hub:owner/tiny on the command line',
    ],
  ])('says what is wrong with %j', async (words, code, message) => {
    const answer = await cli([...words, '--json']);
    expect([answer.code, answer.stdout + answer.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});
