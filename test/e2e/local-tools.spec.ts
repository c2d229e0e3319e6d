/** @file Commands around local runs: runs, plan, compare, doctor, setup, completion. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createLock, encodeCheckedLine } from '@espalier/files';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-local-'));
  writeRun('a-1', 1, [0.25, 0.5], 'finished');
  writeRun('a-2', 2, [0.5, 0.75, 1], undefined);
});
afterAll(() => removeFolder(folder));

function writeRun(name: string, seed: number, rates: readonly number[], outcome: string | undefined): void {
  const run = join(folder, 'runs', name);
  mkdirSync(run, { recursive: true });
  const chosen = {
    environment: { use: 'bandit' },
    algorithm: { use: 'grpo' },
    model: { use: 'seedling' },
    update: {},
  };
  writeFileSync(join(run, 'spec.json'), JSON.stringify({ name, seed, steps: 3, ...chosen }));
  const rows = rates.map((rate, index) =>
    encodeCheckedLine({ step: index + 1, time: index, values: { 'rollout/success_rate': rate } }),
  );
  writeFileSync(join(run, 'metrics.jsonl'), rows.join(''));
  const ended = outcome === undefined ? { kind: 'run-started' } : { kind: 'run-ended', outcome };
  writeFileSync(join(run, 'events.jsonl'), `${JSON.stringify(ended)}\n`);
}

const espalier = (...words: string[]) => callCli(words, { cwd: folder });

describe('espalier runs', () => {
  it('lists where each run stands', async () => {
    const { code, stdout } = await espalier('runs', '--json');
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      {
        folder: 'runs/a-1',
        environment: 'bandit',
        algorithm: 'grpo',
        seed: 1,
        step: 2,
        steps: 3,
        state: 'finished',
        success: 0.5,
      },
      {
        folder: 'runs/a-2',
        environment: 'bandit',
        algorithm: 'grpo',
        seed: 2,
        step: 3,
        steps: 3,
        state: 'killed',
        success: 1,
      },
    ]);
    expect((await espalier('runs')).stdout).toMatch(/^runs\/a-1 .* step 2\/3 .* finished .* success 50\.0 %/);
  });

  it('tells a run that trains from one whose process is gone, and says which is not healthy', async () => {
    const run = join(folder, 'held/b-1');
    cpSync(join(folder, 'runs/a-2'), run, { recursive: true });
    const monitor = { kind: 'monitor', step: 3, state: 'warning', message: 'entropy fell' };
    const started = { kind: 'run-started' };
    writeFileSync(
      join(run, 'events.jsonl'),
      [started, monitor].map((event) => `${JSON.stringify(event)}\n`).join(''),
    );
    const lock = createLock(join(run, 'run.lock'), () => new AppError('trainer.run_locked', 'held'));
    expect((await espalier('runs', 'held')).stdout).toMatch(/ running .* warning$/m);
    lock.release();
    expect((await espalier('runs', 'held')).stdout).toMatch(/ killed .* warning$/m);
  });

  it('says that a folder is not there', async () => {
    const { code, stderr } = await espalier('runs', 'elsewhere');
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('list the runs of elsewhere: there is no such folder'),
    ]);
  });
});

describe('a run folder that is damaged', () => {
  it.each([
    ['{}', 'not the spec of a run'],
    ['{', 'not JSON'],
  ])('is named and left out: %s', async (spec, finding) => {
    const lame = join(folder, 'damaged/lame');
    mkdirSync(lame, { recursive: true });
    writeFileSync(join(lame, 'spec.json'), spec);
    const { code, stdout, stderr } = await espalier('runs', 'damaged');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`note: read "damaged/lame/spec.json": ${finding}; restore it`);
    expect(await espalier('compare', 'damaged/lame')).toMatchObject({ code: 3 });
  });
});

describe('espalier plan', () => {
  it.each([
    ['ppo', 500, true],
    ['grpo', 100, false],
  ])('chooses a micro-batch with which %s stays within %d MiB, if any does: %s', async (use, limit, fits) => {
    writeFileSync(join(folder, 'small.yaml'), `environment: { use: bandit }\nalgorithm: { use: ${use} }\n`);
    const memory = ['--set', `device.memoryMb=${limit}`];
    const { code, stdout } = await espalier('plan', 'small.yaml', ...memory, '--json');
    const plan = JSON.parse(stdout) as {
      sources: Record<string, string>;
      estimate: { expected: { peakBytes: number } };
      misfits: string[];
    };
    expect(plan.estimate.expected.peakBytes <= limit * 2 ** 20).toBe(fits);
    expect(plan.sources['update.microBatchTokens']).toBe('memory');
    expect(plan.misfits).toEqual(
      fits ? [] : [expect.stringMatching(/^device\.memoryMb: .* the limit is 100 MiB/)],
    );
    expect(code).toBe(fits ? 0 : 3);
  });

  it('says what the built-in model was not taught', async () => {
    writeFileSync(
      join(folder, 'large.yaml'),
      'environment: { use: sokoban, dims: [8, 8] }\nalgorithm: { use: grpo }\nrollout: { prompt: { thinking: none } }\n',
    );
    const { code, stdout } = await espalier('plan', 'large.yaml', '--json');
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { warnings: string[] }).warnings).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^environment\.dims: seedling was taught sokoban with \[6,6\] only/),
        expect.stringMatching(/^rollout\.prompt\.thinking: seedling was taught to reason/),
      ]),
    );
  }, 60_000);
});

describe('espalier compare', () => {
  it('says where a picture cannot be written', async () => {
    mkdirSync(join(folder, 'taken.svg'));
    for (const file of ['absent/rate.svg', 'taken.svg']) {
      const { code, stderr } = await espalier('compare', 'runs/a-1', '--svg', file);
      expect([code, stderr]).toEqual([
        3,
        expect.stringContaining(`cli.unusable_folder: compare --svg ${file}: `),
      ]);
    }
  });

  it('refuses to draw into a file whose name says something else', async () => {
    const { code, stderr } = await espalier('compare', 'runs/a-1', '--svg', 'rate.png');
    expect([code, stderr]).toEqual([2, expect.stringContaining('name a file that ends in .svg')]);
    expect(existsSync(join(folder, 'rate.png'))).toBe(false);
  });

  it('shows options that differ and curves, and draws them', async () => {
    const metric = ['--metric', 'rollout/success_rate', '--svg', 'rate.svg'];
    const { code, stdout } = await espalier('compare', 'runs/a-1', 'runs/a-2', ...metric);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^seed +1 +2$/m);
    expect(stdout).not.toContain('steps');
    expect(stdout).toMatch(/runs\/a-2 +1\S* at step 3/);
    const svg = readFileSync(join(folder, 'rate.svg'), 'utf8');
    const points = [...svg.matchAll(/points="([^"]+)"/g)].map(([, list = '']) => list.split(' ').length);
    // two seeds of one run: a band around a line, at the two steps that both have
    expect(points).toEqual([4, 2]);
    // at step 2 the band lies between 0.75 and 0.5, and the line half-way
    expect(svg).toContain('512.0,133.7 512.0,223.5');
    expect(svg).toContain('512.0,178.6');
  });

  it('names the metrics that there are', async () => {
    const { code, stderr } = await espalier('compare', 'runs/a-1', '--metric', 'reward');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('no run has it; there are rollout/success_rate'),
    ]);
    const near = await espalier('compare', 'runs/a-1', '--metric', 'rollout/succes_rate');
    expect(near.stderr).toContain('no run has it; did you mean rollout/success_rate?');
    const word = await espalier('compare', 'runs/a-1', '--metric', 'success');
    expect(word.stderr).toContain('no run has it; did you mean rollout/success_rate?');
    expect((await espalier('compare', 'runs/b-1')).code).toBe(4);
    expect((await espalier('runs', 'runs/a-1')).stdout).toMatch(/^runs\/a-1 /);
  });
});

describe('espalier doctor', () => {
  it('looks at everything a run needs', async () => {
    const { code, stdout } = await espalier('doctor', '--json');
    const checks = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<'name' | 'state', string>);
    // a machine with GPUs lists each
    expect(checks.map(({ name }) => name).filter((name) => !name.startsWith('gpu '))).toEqual([
      'node',
      'onnxruntime',
      'processor',
      'cuda driver',
      'cuda files',
      'webgpu',
      'driver onnxruntime-node',
      'driver native',
      'driver openvino',
      'memory',
      'disk',
      'runs/',
      'data/',
      'plugins',
    ]);
    expect(checks.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(code).toBe(0);
    const measured = checks.find(({ name }) => name === 'driver onnxruntime-node') as unknown as {
      gigaflops: { float32: number };
    };
    expect(measured.gigaflops.float32).toBeGreaterThan(0);
  });

  it('says which command sets up a driver that is missing', async () => {
    // what is loaded stays loaded in a process
    const { code, stdout } = await runCli(['doctor'], {
      cwd: folder,
      env: { ESPALIER_CACHE: join(folder, 'no-cache') },
    });
    expect(stdout).toMatch(
      /^absent +driver openvino +open library "openvino": .*; .*run node .*main\.js setup openvino$|^absent +driver openvino.*pinned for linux-x64/m,
    );
    expect(stdout).toMatch(
      /^absent +cuda files +.*(run node .*main\.js setup cuda|pinned for linux-x64 only.*)$/m,
    );
    expect(code).toBe(0);
  });

  it('ends with 3 where something is broken', async () => {
    mkdirSync(join(folder, 'empty'));
    writeFileSync(join(folder, 'empty/data'), '');
    const { code, stdout } = await callCli(['doctor'], { cwd: join(folder, 'empty') });
    expect(stdout).toMatch(/^failed +data\/ +no permission to write in .*empty\/data; run elsewhere/m);
    expect(code).toBe(3);
  });

  it('looks at the data folder that a server or worker is given, and then at no folder here', async () => {
    const data = join(folder, 'given');
    mkdirSync(data);
    const env = { ESPALIER__SERVER__DATA: data, ESPALIER__WORKER__DATA: data };
    const options = { cwd: join(folder, 'empty'), env };
    const { code, stdout } = await runCli(['doctor'], options);
    expect(stdout.match(/^.*can be written$/gm)).toEqual([expect.stringContaining(`${data}/`)]);
    expect(code).toBe(0);
  });
});

describe('espalier setup', () => {
  const cache = (): Record<string, string> => ({ ESPALIER_CACHE: join(folder, 'cache') });

  it('refuses a file that is not the pinned one, and leaves nothing', async () => {
    const file = join(folder, 'openvino.whl');
    writeFileSync(file, 'not it');
    const { code, stderr } = await callCli(['setup', 'openvino', '--wheel', file], {
      cwd: folder,
      env: cache(),
    });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/setup\.(wrong_file: .*has the sha256 .*; expected|unsupported_platform)/),
    ]);
    const left = join(folder, 'cache/libraries');
    expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
  });

  it('refuses a folder that has none of the CUDA libraries', async () => {
    const { code, stderr } = await runCli(['setup', 'cuda', '--cuda-libraries', folder], {
      cwd: folder,
      env: cache(),
    });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/setup\.(no_source: .*has none of libcudart\.so\.13, |unsupported_platform)/),
    ]);
  });

  it('says what to set where pip has no index', async () => {
    const env = {
      ...cache(),
      PIP_CONFIG_FILE: '/dev/null',
      PIP_INDEX_URL: '',
      PIP_EXTRA_INDEX_URL: '',
      PIP_FIND_LINKS: '',
    };
    const { code, stderr } = await callCli(['setup', 'openvino'], { cwd: folder, env });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/set PIP_INDEX_URL|unsupported_platform/)]);
  });
});

describe('a run in bf16 without its library', () => {
  it('ends at its start and says which command fetches it', async () => {
    writeFileSync(
      join(folder, 'bf16.yaml'),
      'environment: { use: bandit }\nalgorithm: { use: grpo }\ndevice: { precision: bf16 }\n',
    );
    const { code, stderr } = await runCli(['train', 'bf16.yaml', '--out', 'bf16'], {
      cwd: folder,
      env: { ESPALIER_CACHE: join(folder, 'no-cache') },
    });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /runtime\.driver_unavailable: .*(run \S+ \S+ setup openvino|pinned for linux-x64)/,
      ),
    ]);
  });

  const evaluate = (...sets: string[]) => {
    const words = ['eval', 'seedling', 'bf16.yaml', '--episodes', '2', '--no-baselines', ...sets];
    return runCli(words, { cwd: folder, env: { ESPALIER_CACHE: join(folder, 'no-cache') } });
  };

  it('can be evaluated as it samples, in float32', async () => {
    const { code, stdout } = await evaluate();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ +seedling +\d+\.\d %/m)]);
  });

  it('is refused where it samples in bf16, with the options that play it', async () => {
    const { code, stderr } = await evaluate('--set', 'device.sampling=bf16');
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /driver_unavailable: .*; or play in float32 on the CPU: --set device\.precision=float32 --set device\.sampling=float32$/m,
      ),
    ]);
  });
});

describe('espalier completion', () => {
  it('completes commands, their children and options in bash', async () => {
    const { stdout } = await espalier('completion', 'bash');
    writeFileSync(join(folder, 'complete.sh'), stdout);
    const complete = (...words: string[]): string[] => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const script = `. ./complete.sh; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _espalier; echo "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' }).stdout.trim().split(' ');
    };
    expect(complete('espalier', 'tr')).toEqual(['train', 'track']);
    expect(complete('espalier', 'run', 'li')).toEqual(['list']);
    expect(complete('espalier', 'train', 'x.yaml', '--res')).toEqual(['--resume']);
    expect(complete('espalier', 'train', 'comp')).toEqual(['complete.sh']);
    expect(complete('espalier', 'theory', 'e')).toEqual(['echo-trap']);
    expect(complete('espalier', 'eval', 'run', '--split', '')).toEqual(['validation', 'test']);
    expect(complete('espalier', 'eval', '--split', 'test', '--pro')).toEqual(['--probes']);
  });

  it.each([
    ['zsh', 'bashcompinit'],
    ['fish', "complete -c espalier -n '__fish_seen_subcommand_from train' -l resume"],
    ['fish', "'__fish_seen_subcommand_from eval' -l split -x -a 'validation test'"],
  ])('writes one for %s', async (shell, part) => {
    expect((await espalier('completion', shell)).stdout).toContain(part);
  });
});
