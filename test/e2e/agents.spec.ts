import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readTrajectories } from '@espalier/recorder';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

const page = readFileSync(resolve('docs/use/agents.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'espalier-agents-'));
const model = writeTinyModel(join(folder, 'tiny'));
const stops: AbortController[] = [];
afterAll(() => stops.forEach((stop) => stop.abort('SIGTERM')));

/** The blocks of the page in a language. */
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
const blockOf = (language: string, name: string): string =>
  blocks(language).find((text) => text.includes(name)) ?? '';

const hasProgram = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('docs/use/agents.md', () => {
  it.skipIf(!hasProgram('curl'))('serves a model to curl, line by line, and keeps the session', async () => {
    const stop = new AbortController();
    stops.push(stop);
    let ready: (url: string) => void = () => undefined;
    const url = new Promise<string>((done) => (ready = done));
    const kept = join(folder, 'sessions.jsonl');
    const served = runCli(['model', 'serve', model, '--port', '0', '--json', '--trajectories', kept], {
      signal: stop.signal,
      onOutput: (text) => text.includes('\n') && ready(JSON.parse(text).url),
    });
    const address = await url;
    const lines = blocks('sh')
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.startsWith('curl'))
      .map((line) => line.replace('http://127.0.0.1:4600', address));
    expect(lines).toHaveLength(4);
    const answers = lines.map((line) =>
      JSON.parse(execFileSync('sh', ['-c', `${line.replace('curl', 'curl -s')}`], { encoding: 'utf8' })),
    );
    expect(answers).toMatchObject([
      { object: 'chat.completion', usage: { completion_tokens: expect.any(Number) } },
      { object: 'chat.completion' },
      { id: 'first', state: 'success', calls: 1, turns: 1 },
      { split: 'test', score: { total: 1 }, stopReason: 'success' },
    ]);
    stop.abort('SIGTERM');
    expect((await served).code).toBe(0);
    const [line = '', ...more] = readFileSync(kept, 'utf8').trim().split('\n');
    expect(more).toEqual([]);
    expect(JSON.parse(line)).toEqual(answers[3]);
  });

  it('trains on the agent in TypeScript with the official client; weights move between steps', async () => {
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const source = blockOf('ts', 'new OpenAI');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    writeFileSync(join(folder, 'guess.mjs'), outputText);
    writeFileSync(join(folder, 'guess.yaml'), blockOf('yaml', 'guess.py'));
    const turns = await train('guess.yaml', ['--set', 'environment.command=[node, guess.mjs]'], 'ts');
    expect(turns.every(({ metrics }) => metrics.length > 0)).toBe(true);
  });

  it.skipIf(!hasProgram('python3'))(
    'trains on the agent in Python, whose conversation has two turns',
    async () => {
      writeFileSync(join(folder, 'guess.py'), blockOf('python', 'urllib'));
      writeFileSync(join(folder, 'python.yaml'), blockOf('yaml', 'guess.py'));
      const turns = await train('python.yaml', [], 'py');
      expect(new Set(turns.map(({ index }) => index))).toEqual(new Set([0, 1]));
      const [run, set] = [join(folder, 'py'), ['--set', `environment.folder=${folder}`]];
      const measured = await runCli([
        'eval',
        `${run}/checkpoints/step-000002`,
        join(folder, 'python.yaml'),
        ...set,
        '--episodes',
        '2',
        '--json',
      ]);
      expect([measured.code, JSON.parse(measured.stdout)]).toMatchObject([
        0,
        { outcomes: [{ turns: 2 }, { turns: 2 }] },
      ]);
      const planned = JSON.parse((await runCli(['plan', join(folder, 'python.yaml'), '--json'])).stdout);
      expect(planned).toMatchObject({
        estimate: null,
        isolation: [{ id: 'agent-program', isolation: 'none' }, {}, {}],
      });
      expect(planned.inert.map(({ path }: { path: string }) => path)).toContain('rollout.prompt');
      const missing = await runCli(['model', 'serve', `${run}@7`]);
      expect(missing.stderr).toContain('the run has no checkpoint of step 7; it has 2');
    },
  );
});

/** Two steps of three small episodes; gives the turns. */
async function train(config: string, more: readonly string[], out: string) {
  const changes = [
    `model={path: ${model}}`,
    'steps=2',
    'rollout.promptsPerStep=1',
    'rollout.groupSize=3',
    `environment.folder=${folder}`,
  ].flatMap((change) => ['--set', change]);
  const run = join(folder, out);
  const { code, stderr, stdout } = await runCli(
    ['train', join(folder, config), ...changes, ...more, '--out', run],
    { cwd: resolve('.') },
  );
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(stdout).toContain('all steps done');
  const steps = [1, 2].map((step) => readTrajectories(join(run, 'trajectories'), { step }));
  for (const [at, trajectories] of steps.entries()) {
    expect(trajectories).toHaveLength(3);
    // one group, one task; the second step is sampled from the policy that has learned once
    expect(new Set(trajectories.map(({ seeds }) => seeds.state)).size).toBe(1);
    for (const { turns, windows } of trajectories) {
      expect(windows).toBeUndefined();
      expect(turns.every(({ policyVersion }) => policyVersion === at)).toBe(true);
    }
  }
  const weights = (of: string) => readFileSync(join(of, 'model.safetensors'));
  expect(weights(join(run, 'checkpoints/step-000002/policy')).equals(weights(model))).toBe(false);
  return steps
    .flat()
    .flatMap(({ turns }) =>
      turns.map(({ index, actions }) => ({ index, metrics: { length: 0, ...actions[0]?.metrics } })),
    );
}
