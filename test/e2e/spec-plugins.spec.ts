/** @file A configuration that names plugin folders itself: found from its file, recorded with the run, refused by a server. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { discoverPlugins } from '@espalier/plugin-host';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveSpec } from '../../apps/server/src/core/plugins/resolve-spec.js';
import { callCli } from '../support/call-cli.js';
import { type CliResult, runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), 'espalier-spec-plugins-')));
const config = join(home, 'configs/run.yaml');
const run = join(home, 'run');
afterAll(() => removeFolder(home));

/** Writes the package of a reward that gives every turn a number. */
function writeReward(value: number): void {
  mkdirSync(join(home, 'mine'), { recursive: true });
  const manifest = { name: 'somebodys-reward', version: '0.1.0', type: 'module', exports: './index.js' };
  writeFileSync(join(home, 'mine/package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(home, 'mine/index.js'),
    `import { defineReward } from '@espalier/plugin-kit';
import { z } from 'zod';
export default defineReward({
  id: 'constant', summary: 'A number.', params: z.strictObject({}),
  score: ({ turns }) => ({ perTurn: turns.map(() => ${value}) }),
});`,
  );
}

/** Writes the package of an algorithm, with copies of the built kit and its libraries. */
function writeAlgorithm(): void {
  const folder = join(home, 'own-kit');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of ['contracts', 'graph', 'objective', 'plugin-kit', 'random'])
    for (const part of ['package.json', 'dist'])
      cpSync(join(root, 'libs', name, part), join(folder, 'node_modules/@espalier', name, part), {
        recursive: true,
      });
  for (const name of ['@bufbuild', 'fast-png', 'stemmer', 'zod'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  const manifest = { name: 'own-kit', version: '0.1.0', type: 'module', exports: './index.js' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(folder, 'index.js'),
    `import { writeFileSync } from 'node:fs';
import { defineAlgorithm, objective, ops } from '@espalier/plugin-kit';
import { z } from 'zod';
writeFileSync(new URL('./loaded.txt', import.meta.url), import.meta.resolve('@espalier/plugin-kit'));
export default defineAlgorithm({
  id: 'differences', summary: 'Totals as credit.', source: 'none', params: z.strictObject({}),
  needs: () => ({ critic: false, reference: false }),
  keptShare: () => 1,
  select: (groups) => ({ kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }),
  advantages: (trajectories) => ({
    advantages: objective.broadcastToTokens(trajectories.map(({ total }) => total), trajectories.map(({ lossMask }) => lossMask)),
  }),
  policyLoss: () => objective.defineLoss({
    id: 'differences/policy', params: {}, columns: ['oldLogprobs', 'advantages'],
    build: ({ logprobs, columns }) => ({
      perToken: ops.mul(-1, ops.mul(ops.exp(ops.sub(logprobs, columns.oldLogprobs)), columns.advantages)),
      metrics: {},
    }),
  }),
});`,
  );
}

function writeRun(plugins: string): void {
  mkdirSync(join(home, 'configs'), { recursive: true });
  const model = JSON.stringify({ path: writeTinyModel(join(home, 'tiny')) });
  writeFileSync(
    config,
    `plugins: ${plugins}
model: ${model}
environment: { use: bandit }
algorithm: { use: grpo }
rewards: [{ use: constant }]
steps: 2
rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 8 }
update: { maxSkipped: 0 }
validation: { every: 0, episodes: 2 }
checkpoint: { every: 1 }
device: { threads: 1 }
`,
  );
}

/** For what reads a package that has changed since. */
const cli = (...words: string[]): Promise<CliResult> => runCli(words, { cwd: home });
const call = (...words: string[]): Promise<CliResult> => callCli(words, { cwd: home });
/** A row of a plan. */
const line = (...cells: readonly string[]): RegExp =>
  // built from -- words of this file, escaped
  new RegExp(cells.map((cell) => cell.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join(' +'));
/** The rewards of the last step of the run. */
function lastReward(): unknown {
  const rows = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
  const values = rows.map((row) => (JSON.parse(row) as { values: Record<string, number> }).values);
  return values.findLast((one) => 'reward/constant' in one)?.['reward/constant'];
}

beforeAll(() => {
  writeReward(3);
  writeRun('[../mine]');
});

it('is found from the file, recorded with the run, and used as it is when the run resumes', async () => {
  const first = await cli('train', config, '--out', run, '--set', 'steps=1');
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(lastReward()).toBe(3);
  const spec = JSON.parse(readFileSync(join(run, 'spec.json'), 'utf8')) as { plugins: string[] };
  expect(spec.plugins).toEqual([join(home, 'mine')]);

  writeReward(5);
  const resumed = await cli('train', config, '--out', run, '--resume');
  expect([resumed.code, lastReward()]).toEqual([0, 5]);

  const measured = await cli('eval', run, '--json', '--episodes', '2');
  expect([measured.code, measured.stderr]).toEqual([0, expect.not.stringContaining('error')]);
});

it('is shown by plan with its folder, and found from the working directory where --set names it', async () => {
  const written = (await call('plan', config)).stdout;
  expect(written).toMatch(line('plugins', JSON.stringify([join(home, 'mine')]), 'file'));
  writeRun('[]');
  expect((await call('plan', config)).stderr).toContain('"constant"');
  const given = await call('plan', config, '--set', 'plugins=[./mine]');
  expect([given.stderr, given.stdout]).toEqual([
    '',
    expect.stringMatching(line('plugins', JSON.stringify([join(home, 'mine')]), '--set')),
  ]);
  const { stderr } = await call('plan', config, '--set', 'plugins=[../mine]');
  expect(stderr).toMatch(
    /^error plugin\.unreadable: --set: plugins\.0 "\.\.\/mine": the folder .* does not exist/,
  );
  writeRun('[../mine]');
});

it('trains with an algorithm whose package has a kit of its own, as after npm install in its folder', async () => {
  writeAlgorithm();
  writeRun('[../mine, ../own-kit]');
  const out = join(home, 'own-kit-run');
  const set = ['steps=1', 'algorithm={use: differences}'].flatMap((word) => ['--set', word]);
  const { code, stderr } = await cli('train', config, '--out', out, ...set);
  expect([code, stderr]).toEqual([0, '']);
  const loaded = readFileSync(join(home, 'own-kit/loaded.txt'), 'utf8');
  expect(loaded).toBe(
    pathToFileURL(join(home, 'own-kit/node_modules/@espalier/plugin-kit/dist/index.js')).href,
  );
  writeRun('[../mine]');
});

it.each([
  [
    '[../absent]',
    /^error plugin\.unreadable: .*run\.yaml:1:1: plugins\.0 "\.\.\/absent": the folder .* does not exist/,
  ],
  ['[../configs]', /has no package\.json; name the folder of a plugin package/],
  ['../mine', /plugins .*expected/],
  ['[3]', /plugins\.0.*expected/],
])('refuses plugins: %s before anything is written', async (plugins, finding) => {
  writeRun(plugins);
  const { code, stderr } = await call('train', config, '--out', join(home, 'none'));
  expect([code, stderr]).toEqual([expect.toSatisfy((value) => value !== 0), expect.stringMatching(finding)]);
  writeRun('[../mine]');
});

it('ends with the reason where the package does not load', async () => {
  renameSync(join(home, 'mine/index.js'), join(home, 'mine/index.kept'));
  writeFileSync(join(home, 'mine/index.js'), 'throw new Error("no luck");');
  const { code, stderr } = await cli('train', config, '--out', join(home, 'none'));
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('no luck')]);
  renameSync(join(home, 'mine/index.kept'), join(home, 'mine/index.js'));
});

it('is refused by a server, which chooses the code that its workers run', async () => {
  const registry = await discoverPlugins({ root: home, withBuiltIn: true });
  const resolve = (overrides: readonly string[]) => () =>
    resolveSpec(
      {
        source: 'environment: { use: bandit }\nalgorithm: { use: grpo }\nplugins: [./mine]\n',
        overrides,
        models: { roots: [], home: '' },
        showsRoots: false,
        isFork: false,
      } as unknown as Parameters<typeof resolveSpec>[0],
      registry,
      () => '',
    );
  const refusal = (message: string) =>
    expect.objectContaining({ code: 'plugin.not_allowed', message: expect.stringContaining(message) });
  expect(resolve([])).toThrow(
    refusal(
      'spec: plugins names folders of plugins, which a server does not load; leave it out (--set plugins=[])',
    ),
  );
  expect(resolve(['plugins=[]'])).not.toThrow();
  const refused = refusal('no worker does that for a spec');
  for (const options of ['command: [sh, -c, id]', 'port: 4600'])
    expect(resolve(['plugins=[]', `environment={ use: agent-program, ${options} }`])).toThrow(refused);
});
