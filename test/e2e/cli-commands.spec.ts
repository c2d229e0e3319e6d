/** @file Commands that train nothing, as a person or a program uses them. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { draw } from '@espalier/plugin-kit';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-commands-'));
  writeTinyModel(join(folder, 'tiny'));
  writeFileSync(
    join(folder, 'run.yaml'),
    'environment: { use: sokoban }\nalgorithm: { use: ppo }\nmodel: { path: ./tiny }\n',
  );
});
afterAll(() => removeFolder(folder));

describe('espalier --help', () => {
  it('documents every exit code, as does docs/reference/cli.md', async () => {
    const { code, stdout } = await callCli(['--help']);
    expect(code).toBe(0);
    const page = readFileSync(fileURLToPath(new URL('../../docs/reference/cli.md', import.meta.url)), 'utf8');
    const table = [...stdout.slice(stdout.indexOf('Exit codes')).matchAll(/^ +(\d+) {2}(.+)$/gm)];
    expect(table.map(([, number]) => Number(number))).toEqual([0, 2, 3, 4, 5, 69, 75, 77]);
    for (const [, number, meaning] of table)
      expect(page).toMatch(new RegExp(`\\| +${number} \\| ${meaning?.slice(0, 20)}`));
  });

  it('lists every command with a summary, under a heading', async () => {
    const { stdout } = await callCli(['--help']);
    const list = stdout.slice(stdout.indexOf('Train:'), stdout.indexOf('Exit codes'));
    const listed = [...list.matchAll(/^ {2}(\S+)(?: \[command\])? {2,}\S/gm)].map(([, name]) => name);
    const { stdout: script } = await callCli(['completion', 'bash']);
    const words = /''\) words='(.*?)'/.exec(script)?.[1]?.split(' ') ?? [];
    expect([...listed].sort()).toEqual(['help', ...words.filter((word) => !word.startsWith('--'))].sort());
    expect(list.match(/^\S.*:$/gm)).toHaveLength(6);
  });

  it('shows the help of one command, with its options', async () => {
    expect((await callCli(['help', 'theory'])).stdout).toContain('--quantity <name>');
  });

  it.each(['train', 'eval', 'plan', 'warm-start', 'play', 'plugins'])(
    'shows examples of %s',
    async (command) => {
      const { code, stdout } = await callCli([command, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`$ espalier ${command}`);
      const typed = [...stdout.matchAll(/^ +\$ (.+)$/gm)].map(([, line = '']) => line.split(' | ').at(-1));
      for (const line of typed) expect(line).toMatch(new RegExp(`^espalier ${command} `.trimEnd()));
    },
  );
});

describe('espalier plan', () => {
  it('gives spec, sources, options without effect and sizes, and runs nothing', async () => {
    const { code, stdout } = await callCli(['plan', 'run.yaml', '--set', 'steps=7', '--json'], {
      cwd: folder,
    });
    expect(code).toBe(0);
    const plan = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
    expect(plan['sources']).toMatchObject({
      steps: '--set',
      'environment.use': 'file',
      'environment.boxes': 'plugin default',
      seed: 'default',
    });
    expect(plan['derived']).toMatchObject({ trajectoriesPerStep: 128, optimizerSteps: 7 });
    expect(plan['estimate']).toMatchObject({
      graphs: expect.arrayContaining(
        ['prefill', 'decode', 'policy training'].map((name) => ({ name, nodes: expect.any(Number) })),
      ),
      prompt: { first: expect.any(Number), later: expect.any(Number) },
      secondsPerStep: [expect.any(Number), expect.any(Number)],
    });
    const { expected, modelBytes, tokensPerStep } = plan['estimate'] as unknown as {
      readonly expected: Readonly<Record<string, number>>;
      readonly modelBytes: number;
      readonly tokensPerStep: number;
    };
    expect(expected['secondsPerStep']).toBeCloseTo(
      (expected['collectSeconds'] ?? 0) + (expected['updateSeconds'] ?? 0),
      9,
    );
    expect(expected['peakBytes']).toBeGreaterThan(modelBytes);
    expect(expected['trainedTokens']).toBeGreaterThan(expected['sampledTokens'] ?? 0);
    expect(expected['tokensPerEpisode']).toBeLessThanOrEqual(tokensPerStep / 128);
    expect(plan['inert']).toContainEqual(
      expect.objectContaining({ path: 'optimizer.schedule.finalRatio', set: false }),
    );
    expect(plan['bits']).toEqual({ isPromised: true, by: 'onnxruntime-node in float32' });
    const bf16 = await callCli(['plan', 'run.yaml', '--set', 'device.precision=bf16'], { cwd: folder });
    expect(bf16.stdout).toMatch(/rollout\.promptsPerStep +8 +default/);
    expect(bf16.stdout).toMatch(/^ +memory .* OpenVINO is not predicted and took up to 2 times as much/m);
    expect(bf16.stdout).toMatch(/^ +bits +the same for the same seed.*by openvino in bf16/m);
  });

  it('prices the time that it expects', async () => {
    const words = ['--set', 'steps=7', '--set', 'device.pricePerHour=3600'];
    const { stdout } = await callCli(['plan', 'run.yaml', ...words], { cwd: folder });
    const perStep = Number(/^ +time +about ([\d.]+) s per step/m.exec(stdout)?.[1]);
    const [, about, most] = /^ +price +about ([\d.]+), at most ([\d.]+), in the currency/m.exec(stdout) ?? [];
    expect(perStep).toBeGreaterThan(0);
    // seconds are shown with one digit behind the point
    expect(Math.abs(Number(about) - 7 * perStep)).toBeLessThanOrEqual(7 * 0.05 + 0.01 * Number(about));
    expect(Number(most)).toBeGreaterThan(Number(about));
  });

  it('estimates the memory of a warm start of an existing model', async () => {
    const demonstrations =
      'demonstrations: [{ environment: { use: bandit }, noise: 1 }, { environment: { use: frozen-lake }, rollout: { maxTurns: 3 }, noise: 0.5 }]\n';
    writeFileSync(
      join(folder, 'warm.yaml'),
      `name: warm\nmodel: { path: ./tiny }\nvalidation: { finalEpisodes: 16 }\n${demonstrations}`,
    );
    const planOf = async (...words: string[]) => {
      const { code, stdout, stderr } = await callCli(['plan', 'warm.yaml', ...words, '--json'], {
        cwd: folder,
      });
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as { estimate: { trainedParameters: number; peakBytes: number } | null };
    };
    const whole = await planOf();
    const adapters = await planOf('--set', 'lora={rank: 2}', '--set', 'microBatchTokens=1024');
    expect(adapters.estimate?.trainedParameters).toBeLessThan(whole.estimate?.trainedParameters ?? 0);
    expect(adapters.estimate?.peakBytes).toBeLessThan(whole.estimate?.peakBytes ?? 0);
    expect(adapters.estimate?.peakBytes).toBeGreaterThan(1e8);
    const { stdout } = await callCli(['plan', 'warm.yaml'], { cwd: folder });
    expect(stdout).toMatch(/memory +about \d/);
    const fresh = await planOf('--set', 'model={hiddenSize: 32, heads: 2, keyValueHeads: 1}');
    expect(fresh.estimate).toBe(null);
  });
});

describe('espalier env show', () => {
  it('prints one object per seed, ends included', async () => {
    const { stdout: usual } = await callCli(['env', 'show', 'bandit']);
    expect(usual.match(/^seed \d+$/gm)).toEqual(['seed 0', 'seed 1', 'seed 2']);
    const { stdout } = await callCli(['env', 'show', 'frozen-lake', '--seeds', '10000..10003', '--json']);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map((row) => row['seed'])).toEqual([10000, 10001, 10002, 10003]);
    expect(Object.keys(rows[0] ?? {})).toEqual(['seed', 'observation', 'render', 'stateKey']);
    expect(rows[0]?.['render']).toMatch(/^([P_OG]{4}\n){3}[P_OG]{4}$/);
  });

  it('shows a person the legend and the state key as well', async () => {
    const { stdout } = await callCli(['env', 'show', 'sokoban', '--seeds', '7']);
    expect(stdout).toMatch(/^legend: # wall .*\nstate key: the render$/m);
    expect((await callCli(['env', 'show', 'bandit', '--seeds', '7'])).stdout).toMatch(
      /^state key: \w+ \| \w+$/m,
    );
    expect((await callCli(['env', '--help'])).stdout).toContain('$ espalier env show');
  });

  it('saves pictures, and says where an environment has none', async () => {
    const { stdout } = await callCli(['env', 'show', 'sokoban', '--seeds', '7,9', '--pictures', 'p'], {
      cwd: folder,
    });
    expect(stdout.match(/^picture: .*$/gm)).toEqual(['picture: p/sokoban-7.png', 'picture: p/sokoban-9.png']);
    const picture = draw.readPng(readFileSync(join(folder, 'p/sokoban-7.png')));
    expect([picture.width, picture.height]).toEqual([192, 192]);
    const words = ['env', 'show', 'rubik', '--seeds', '7', '--pictures', 'p', '--json'];
    const row = JSON.parse((await callCli(words, { cwd: folder })).stdout) as { picture: string };
    expect(row.picture).toBe('p/rubik-7.png');
    const none = await callCli(['env', 'show', 'bandit', '--pictures', 'p'], { cwd: folder });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no pictures')]);
    writeFileSync(join(folder, 'file'), '');
    const blocked = await callCli(['env', 'show', 'rubik', '--pictures', 'file/p'], { cwd: folder });
    expect([blocked.code, blocked.stderr]).toEqual([3, expect.stringContaining('a parent is a file')]);
  });

  it('refuses unknown environments, options and seeds', async () => {
    expect((await callCli(['env', 'show', 'chess', '--seeds', '1'])).code).toBe(4);
    expect((await callCli(['env', 'show', 'sokoban', '--seeds', '1', '--params', '{"boxs": 1}'])).code).toBe(
      3,
    );
    expect((await callCli(['env', 'show', 'sokoban', '--seeds', '9..1'])).code).toBe(2);
  });
});

describe('espalier play', () => {
  it('lets a person ask the oracle, follow it, undo and finish', async () => {
    const { stdout: asked } = await runCli(['play', 'sokoban', '--seed', '7'], { input: '?\nq\n' });
    const plan = /oracle: (.+)/.exec(asked)?.[1]?.split(', ') ?? [];
    expect(plan.length).toBeGreaterThan(0);
    const [first = '', ...rest] = plan;
    const input = [first, 'u', 'zzz', ...plan.slice(0, 1), ...rest, 'q'].join('\n');
    const { code, stdout } = await runCli(['play', 'sokoban', '--seed', '7'], { input });
    expect(code).toBe(0);
    expect(stdout).toContain('"zzz" is not an action; choose Up, Down, Left, Right');
    expect(stdout).toContain(`success after ${plan.length} actions`);
  });
});

describe('espalier play where an action has several lines', () => {
  it('goes on in the next line after a backslash', async () => {
    const input = 'edit 3\\\n  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {\nq\n';
    const { stdout } = await runCli(['play', 'code-repair', '--seed', '171'], { input });
    expect(stdout).toContain('edit 3\n  for (const');
    expect(stdout).toContain('success after 1 action, total reward 1');
  });
});

describe('espalier play after the end', () => {
  it('says at ? that the episode has ended', async () => {
    const { stdout } = await runCli(['play', 'bandit'], { input: '1\n?\nq\n' });
    expect(stdout).toContain('the episode has ended; r restarts');
    expect(stdout).not.toContain('no oracle');
  });
});

describe('espalier train into a folder that cannot be', () => {
  it.runIf(existsSync('/proc/self'))(
    'refuses it instead of trying for ever',
    async () => {
      const words = ['train', 'run.yaml', '--out', '/proc/espalier/run'];
      const { code, stderr } = await callCli(words, { cwd: folder });
      expect(stderr).toContain(
        'error cli.unusable_folder: write to /proc/espalier/run: folders cannot be created there',
      );
      expect(code).toBe(3);
    },
    30_000,
  );
});

describe('an option of the configuration given as a flag', () => {
  it('leads to --set', async () => {
    const { code, stderr } = await callCli(['train', 'run.yaml', '--steps', '3'], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('hint  steps is an option of the configuration: --set steps=3');
  });
});

describe('espalier play of one choice', () => {
  it('shows what the model reads when it is more than the picture, and counts one action', async () => {
    const { stdout } = await runCli(['play', 'bandit'], { input: '1\nq\n' });
    expect(stdout).toMatch(/You play a bandit game\.[^]*\n\n\[ \w+ \] {2}\[ \w+ \]\n/);
    expect(stdout).toContain('after 1 action, ');
    const { stdout: puzzle } = await runCli(['play', 'sokoban'], { input: 'q\n' });
    expect(puzzle).toMatch(/^You are solving .*\n\n#/);
    expect(puzzle.match(/^######$/gm)).toHaveLength(2);
  });
});

describe('espalier play from a script', () => {
  it.each(['q', 'quit', 'exit'])('ends at %s', async (word) => {
    const { code, stdout } = await runCli(['play', 'frozen-lake'], { input: `${word}\nzzz\n` });
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('is not an action')]);
  });
});

describe('espalier plugins', () => {
  it('lists what is installed with the schema of its options', async () => {
    const { stdout } = await callCli(['plugins', '--json']);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; id: string; options: unknown });
    expect(rows.map(({ kind, id }) => `${kind} ${id}`)).toEqual(
      expect.arrayContaining(['environment sokoban', 'reward format', 'algorithm ppo', 'model seedling']),
    );
    expect(rows.find(({ id }) => id === 'sokoban')?.options).toMatchObject({
      properties: { boxes: { default: 1 } },
    });
  });
});
