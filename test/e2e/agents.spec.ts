import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readTrajectories } from '@espalier/recorder';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { cliPath, runCli } from '../support/run-cli.js';
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
    const [run, atif] = [join(folder, 'ts'), join(folder, 'atif')];
    const saved = await callCli(['show', run, '--step', '2', '--limit', '9', '--atif', atif, '--json']);
    expect(saved.stdout.trim().split('\n')).toHaveLength(3);
    const first = JSON.parse(readFileSync(join(atif, 'train-2-0-0.json'), 'utf8'));
    expect(first).toMatchObject({
      session_id: 'ts',
      trajectory_id: 'train/2/0/0',
      steps: [{}, { step_id: 2 }],
    });
  });

  it.skipIf(!hasProgram('python3'))(
    'trains on the agent in Python, whose conversation has two turns',
    async () => {
      writeFileSync(join(folder, 'guess.py'), blockOf('python', 'urllib'));
      writeFileSync(join(folder, 'python.yaml'), blockOf('yaml', 'guess.py'));
      const turns = await train('python.yaml', [], 'py');
      expect(new Set(turns.map(({ index }) => index))).toEqual(new Set([0, 1]));
      const [run, set] = [join(folder, 'py'), ['--set', `environment.folder=${folder}`]];
      const measured = await callCli([
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
      const planned = JSON.parse((await callCli(['plan', join(folder, 'python.yaml'), '--json'])).stdout);
      expect(planned).toMatchObject({
        estimate: null,
        isolation: [{ id: 'agent-program', isolation: 'none' }, {}, {}],
      });
      expect(planned.inert.map(({ path }: { path: string }) => path)).toContain('rollout.prompt');
      const missing = await callCli(['model', 'serve', `${run}@7`]);
      expect(missing.stderr).toContain('the run has no checkpoint of step 7; it has 2');
    },
  );

  // packages of 100 MB: `npm install` in docs/examples/langgraph brings them
  const graph = resolve('docs/examples/langgraph');
  it.skipIf(!existsSync(join(graph, 'node_modules/@langchain')))(
    'trains on a graph of LangGraph (npm install in docs/examples/langgraph)',
    { timeout: 180_000 },
    async () => {
      const { outputText } = ts.transpileModule(readFileSync(join(graph, 'agent.ts'), 'utf8'), {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      const program = join(graph, 'node_modules', '.agent.mjs');
      writeFileSync(program, outputText);
      writeFileSync(join(folder, 'graph.yaml'), readFileSync(join(graph, 'run.yaml'), 'utf8'));
      const turns = await train('graph.yaml', ['--set', `environment.command=[node, ${program}]`], 'graph');
      // each call of the graph is a turn of one conversation, and the last one says how many there were
      const lasts = turns.filter((_, at) => (turns[at + 1]?.index ?? 0) === 0);
      expect(lasts).toHaveLength(6);
      expect(lasts.map(({ metrics }) => metrics)).toEqual(
        lasts.map(({ index }) => ({ length: 0, guesses: index + 1 })),
      );
      expect(lasts.some(({ index }) => index > 0)).toBe(true);
    },
  );

  it('resumes after kill -9 as if nothing had been, and its programs end at once', async () => {
    const [hang, pids] = [join(folder, 'hang'), join(folder, 'pids')];
    // where told to, the programs of the second step never end
    writeFileSync(
      join(folder, 'stuck.mjs'),
      `import { appendFileSync, existsSync } from 'node:fs';
      const { ESPALIER_STEP: step, OPENAI_BASE_URL: base, ESPALIER_REWARD_URL: reward } = process.env;
      const post = async (url, body) => (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json();
      const { usage } = await post(base + '/chat/completions', { messages: [{ role: 'user', content: 'x' }], max_tokens: 6 });
      if (step === '2' && existsSync(${JSON.stringify(hang)})) {
        appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n');
        setInterval(() => undefined, 1000);
      } else await post(reward, { reward: usage.completion_tokens / 10 });`,
    );
    writeFileSync(join(folder, 'stuck.yaml'), blockOf('yaml', 'guess.py'));
    const changes = [
      `model={path: ${model}}`,
      'steps=2',
      'rollout.promptsPerStep=1',
      'rollout.groupSize=3',
      'checkpoint.every=1',
      `environment.command=[node, ${join(folder, 'stuck.mjs')}]`,
    ];
    const words = (out: string): string[] => [
      'train',
      join(folder, 'stuck.yaml'),
      '--out',
      join(folder, out),
      ...changes.flatMap((change) => ['--set', change]),
    ];
    expect((await callCli(words('whole'))).code).toBe(0);
    writeFileSync(hang, '');
    const training = spawn(process.execPath, [cliPath, ...words('killed')], { stdio: 'ignore' });
    const ended = once(training, 'exit');
    const listed = (): number[] =>
      existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : [];
    await expect.poll(() => listed().length, { timeout: 120_000, interval: 50 }).toBe(3);
    training.kill('SIGKILL');
    await ended;
    const isAlive = (pid: number): boolean => {
      try {
        // a killed process that nobody has waited for is over
        return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      } catch {
        return false;
      }
    };
    await expect.poll(() => listed().filter(isAlive), { timeout: 20_000, interval: 50 }).toEqual([]);
    rmSync(hang);
    const resumed = await callCli([...words('killed'), '--resume']);
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.any(String)]);
    const tokensOf = (out: string) =>
      readTrajectories(join(folder, out, 'trajectories'), { step: 2 }).map(({ tokens }) => [...tokens]);
    expect(tokensOf('killed')).toEqual(tokensOf('whole'));
    const weights = (out: string) =>
      readFileSync(join(folder, out, 'checkpoints/step-000002/policy/model.safetensors'));
    expect(weights('killed').equals(weights('whole'))).toBe(true);
  });
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
  const { code, stderr, stdout } = await callCli(
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
