/** @file Models too large for the memory of the machine: real processes, which are told how much there is. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-memory-'));
  writeTinyModel(join(folder, 'tiny'));
  const yaml = [
    'environment: { use: bandit }',
    'algorithm: { use: grpo }',
    'model: { path: ./tiny }',
    'steps: 1',
    'rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 8 }',
    'validation: { every: 0, atEnd: false }',
    'device: { threads: 1 }',
  ];
  writeFileSync(join(folder, 'run.yaml'), `${yaml.join('\n')}\n`);
  writeFileSync(
    join(folder, 'warm.yaml'),
    'name: warm\nmodel: { path: ./tiny }\ndemonstrations: [{ environment: { use: bandit }, noise: 1 }]\n',
  );
});
afterAll(() => removeFolder(folder));

/** Node and the runtime alone are predicted to take 229 MiB. */
const onMachine = (mebibytes: number, ...words: string[]) => {
  const told = `process.constrainedMemory=()=>${mebibytes * 2 ** 20}`;
  return runCli(words, {
    cwd: folder,
    env: { NODE_OPTIONS: `--import "data:text/javascript,${told}"` },
  });
};

describe('espalier train', () => {
  it('refuses what cannot fit, before anything is written', async () => {
    const before = readdirSync(folder);
    for (const out of [[], ['--out', 'deep/small']]) {
      const { code, stderr } = await onMachine(100, 'train', 'run.yaml', ...out);
      expect(stderr).toMatch(
        /^error cli\.over_budget: train run\.yaml: memory: about \d+ MiB are needed even with the smallest micro-batches and recomputed layers, there are 100 MiB; .*choose a smaller model; to start all the same, set device\.memoryMb to what it may use, \d+ or more$/m,
      );
      expect(code).toBe(3);
    }
    expect(readdirSync(folder)).toEqual(before);
  });

  it('begins all the same where device.memoryMb says that it may use so much', async () => {
    const words = ['train', 'run.yaml', '--out', 'forced'];
    const { stderr: refusal } = await onMachine(100, ...words);
    const [, wanted = ''] = /what it may use, (\d+) or more/.exec(refusal) ?? [];
    const { code, stderr } = await onMachine(100, ...words, '--set', `device.memoryMb=${wanted}`);
    expect([code, existsSync(join(folder, 'forced/checkpoints/step-000001'))]).toEqual([0, true]);
    expect(stderr).toMatch(/^warning: memory: about \d+ MiB are needed, this machine has 100 MiB; /m);
  });

  it('warns of what may not fit, as plan refuses it, and is silent of what does', async () => {
    const words = ['--set', 'rollout.maxResponseTokens=4'];
    const plan = await onMachine(220, 'plan', 'run.yaml', ...words);
    const [, misfit = ''] = /cli\.over_budget: plan run\.yaml: (memory: .*)$/m.exec(plan.stderr) ?? [];
    expect(misfit).toContain('this machine has 220 MiB');
    const tight = await onMachine(220, 'train', 'run.yaml', '--out', 'tight', ...words);
    expect([tight.code, tight.stderr]).toEqual([0, expect.stringContaining(`warning: ${misfit}\n`)]);
    const wide = await onMachine(1024, 'train', 'run.yaml', '--out', 'wide', ...words);
    expect([wide.code, wide.stderr]).toEqual([0, '']);
  });
});

describe('espalier warm-start', () => {
  it('refuses what cannot fit, before anything is written', async () => {
    const before = readdirSync(folder);
    const { code, stderr } = await onMachine(100, 'warm-start', 'warm.yaml', '--out', 'taught');
    expect(stderr).toMatch(
      /^error cli\.over_budget: warm start warm\.yaml: memory: about \d+ MiB are needed even with .* there are 100 MiB; lower validation\.finalEpisodes, train adapters .* or choose a smaller model; to start all the same, set device\.memoryMb to what it may use, \d+ or more$/m,
    );
    expect([code, readdirSync(folder)]).toEqual([3, before]);
  });

  it('is refused by plan where it takes more than device.memoryMb', async () => {
    const { code, stderr } = await onMachine(4096, 'plan', 'warm.yaml', '--set', 'device.memoryMb=10');
    expect(stderr).toMatch(
      /^error cli\.over_budget: plan warm\.yaml: device\.memoryMb: about \d+ MiB are needed, the limit is 10 MiB/m,
    );
    expect(code).toBe(3);
  });

  it('begins all the same where device.memoryMb says that it may use so much', async () => {
    const few = ['tokens=256', 'batchTokens=256', 'validation.finalEpisodes=1'].flatMap((set) => [
      '--set',
      set,
    ]);
    const words = ['warm-start', 'warm.yaml', '--out', 'forced-start', ...few];
    const { stderr: refusal } = await onMachine(100, ...words);
    const [, wanted = ''] = /what it may use, (\d+) or more/.exec(refusal) ?? [];
    const { code, stderr } = await onMachine(100, ...words, '--set', `device.memoryMb=${wanted}`);
    expect(stderr).toMatch(/^warning: memory: about \d+ MiB are needed, this machine has 100 MiB; /m);
    expect([code, existsSync(join(folder, 'forced-start/warm-start.json'))]).toEqual([0, true]);
  });
});

/** What is asked of the driver of a machine with one GPU, or with none. */
const driver = (mebibytes: number | undefined, atInit = ''): string => `
#include <stdlib.h>
#include <string.h>
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuInit(unsigned flags) { ${atInit} return 0; }
int cuGetErrorString(int s, const char **text) { *text = "?"; return 0; }
int cuDeviceGetCount(int *n) { *n = ${mebibytes === undefined ? 0 : 1}; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *name, int size, int d) { strncpy(name, "Stand-in", size); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int d) { *bytes = (size_t)${mebibytes ?? 0} << 20; return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 9 : 0; return 0; }
`;

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

describe('espalier plan for a GPU', () => {
  const withDriver = (code: string, ...words: string[]) => {
    const place = mkdtempSync(join(folder, 'driver-'));
    const source = join(place, 'driver.c');
    writeFileSync(source, code);
    const built = spawnSync('cc', ['-shared', '-fPIC', '-o', join(place, 'libcuda.so.1'), source]);
    expect(built.status).toBe(0);
    return runCli([...words, '--set', 'device.provider=cuda'], {
      cwd: folder,
      env: { LD_LIBRARY_PATH: place },
    });
  };

  const withGpu = (mebibytes: number | undefined, ...words: string[]) =>
    withDriver(driver(mebibytes), ...words);

  it.runIf(hasCompiler)('compares with the memory that its driver says', async () => {
    const small = await withGpu(100, 'plan', 'run.yaml');
    expect(small.stdout).toMatch(/memory +about \d+ MiB at its peak on the GPU, which has 100 MiB: models/);
    expect(small.stderr).toMatch(
      /cli\.over_budget: .* memory: about \d+ MiB are needed, the GPU has 100 MiB; /,
    );
    expect(small.code).toBe(3);
    const warm = await withGpu(100, 'plan', 'warm.yaml');
    expect([warm.code, warm.stderr]).toEqual([
      3,
      expect.stringContaining('the GPU has 100 MiB; lower microBatch'),
    ]);
    const large = await withGpu(4096, 'plan', 'run.yaml');
    expect([large.code, large.stderr]).toEqual([0, '']);
  });

  it.runIf(hasCompiler)('says that it compares with none where none is found', async () => {
    const { code, stdout } = await withGpu(undefined, 'plan', 'run.yaml');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/not compared .*: no NVIDIA GPU is found here/),
    ]);
    expect(stdout).toMatch(
      /device: compute on cuda: the NVIDIA driver .* lists no device.*; a run on this machine ends at its start/,
    );
  });

  it.runIf(hasCompiler)('is not ended by a driver that ends the process which opens it', async () => {
    const { code, stdout } = await withDriver(driver(4096, 'abort();'), 'plan', 'run.yaml');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/no NVIDIA GPU is found here \(see espalier doctor\)/),
    ]);
  });
});
