/** @file Native libraries that end the process in which they are opened: doctor and setup go on and say so. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isInstalled, libraryFolder, pinnedLibraries } from '@espalier/runtime';
import { removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-broken-'));
afterAll(() => removeFolder(folder));

const { name, version, platform, wheels } = pinnedLibraries.openvino;
const files = wheels.flatMap(({ members }) => members.map((member) => basename(member)));
const installed = libraryFolder(pinnedLibraries.openvino);
const isHere = isInstalled(pinnedLibraries.openvino);
const isPinnedHere = `${process.platform}-${process.arch}` === platform;
const hasCompiler = isPinnedHere && spawnSync('cc', ['--version']).status === 0;

/** Every process that is asked this ends itself by a signal. */
const killing = (signal: NodeJS.Signals, ...question: string[]): Record<string, string> => {
  const asked = JSON.stringify(question);
  const code = `process.argv[1]?.endsWith('probe-program.js')&&${asked}.every((word)=>process.argv.includes(word))&&process.kill(process.pid,'${signal}')`;
  return { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(code)}"` };
};

/** A cache folder with a library that is whole by its names. */
function cacheWith(stem: string, write: (path: string) => void): Record<string, string> {
  const cache = join(folder, stem);
  const place = join(cache, 'libraries', `${name}-${version}-${platform}`);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'library.json'), '{}');
  for (const file of files) write(join(place, file));
  return { ESPALIER_CACHE: cache };
}

/** A copy of the library that is set up, of which one file was changed. */
const cacheWithout = (stem: string, file: string, change: (path: string) => void): Record<string, string> =>
  cacheWith(stem, (path) => {
    copyFileSync(join(installed, basename(path)), path);
    if (basename(path) === file) change(path);
  });

const bandit = 'config/runs/bandit-grpo.yaml';
const plugin = 'libopenvino_intel_cpu_plugin.so';

const reader = 'libopenvino_onnx_frontend.so.2640';
const empty = (path: string): void => truncateSync(path, 0);

/** Faults that show only when a graph is compiled, each with what is said of it. */
const faults = [
  ['a damaged plugin', plugin, (path: string) => truncateSync(path, 2e6), 'by SIGBUS'],
  ['an empty plugin', plugin, empty, 'does not load: .* too short'],
  ['a missing plugin', plugin, rmSync, `${plugin} is gone`],
  ['an empty reader of ONNX', reader, empty, 'Unable to read the model'],
  ['a missing reader of ONNX', reader, rmSync, `${reader} is gone`],
] as const;

/** Ends the process as it is loaded. */
function writeIllegal(path: string): void {
  writeFileSync(`${path}.c`, '__attribute__((constructor)) static void begin(void) { __builtin_trap(); }\n');
  expect(spawnSync('cc', ['-shared', '-fPIC', '-o', path, `${path}.c`]).status).toBe(0);
}

describe('a library that ends its process', () => {
  it('is a finding of doctor, which goes on with the others', async () => {
    const { code, stdout } = await runCli(['doctor'], {
      cwd: folder,
      env: { ...killing('SIGBUS', 'rates', 'native'), VK_ICD_FILENAMES: '/nowhere.json' },
    });
    if (process.platform === 'linux')
      expect(stdout).toMatch(
        /^absent +webgpu +create session on "webgpu": .*; it needs a GPU with a Vulkan/m,
      );
    expect(stdout).toMatch(/^ok +driver onnxruntime-node +[\d.]+; on the CPU; float32/m);
    expect(stdout).toMatch(
      /^warning +driver native +open native: its libraries ended .*, by SIGBUS; run npm ci again, or leave device\.driver out$/m,
    );
    expect(stdout).toMatch(/^ok +driver onnxruntime-node .* GFLOP\/s$/m);
    expect(stdout).toMatch(/^ok +plugins /m);
    expect(code).toBe(0);
  }, 60_000);

  it('fails doctor where it is that of the default driver', async () => {
    const { code, stdout } = await runCli(['doctor'], { cwd: folder, env: killing('SIGILL', 'runtime') });
    expect(stdout).toMatch(
      /^failed +onnxruntime +open onnxruntime: .* by SIGILL: the processor lacks an instruction .*; train on another machine$/m,
    );
    expect(stdout).not.toContain('driver onnxruntime-node');
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^ok +memory /m)]);
  }, 60_000);

  it.runIf(hasCompiler)(
    'is named with its signal by doctor and setup, as it is loaded',
    async () => {
      const env = cacheWith('illegal', writeIllegal);
      const doctor = await runCli(['doctor'], { cwd: folder, env });
      expect(doctor.stdout).toMatch(
        /^warning +driver openvino +open openvino: .*, by SIGILL: .*; leave device\.driver/m,
      );
      expect(doctor.code).toBe(0);
      const setup = await runCli(['setup', 'openvino'], { cwd: folder, env });
      expect(setup.stderr).toMatch(
        /^error runtime\.driver_unavailable: open openvino: .* by SIGILL: .*leave device/m,
      );
      expect(setup.code).toBeGreaterThan(0);
    },
    60_000,
  );

  it.runIf(isPinnedHere)(
    'is told from a file that is no library',
    async () => {
      const env = cacheWith('text', (path) => writeFileSync(path, 'not a library'));
      const { code, stderr } = await runCli(['setup', 'openvino'], { cwd: folder, env });
      expect(stderr).toMatch(
        /^error runtime\.driver_unavailable: .*does not load: .*; run \S+ \S+ setup openvino --force$/ms,
      );
      expect(code).toBeGreaterThan(0);
    },
    60_000,
  );

  it('is named by train with its signal, before anything is written', async () => {
    const words = ['train', bandit, '--out', join(folder, 'run'), '--set', 'device.driver=native'];
    const { code, stdout, stderr } = await runCli(words, { env: killing('SIGSEGV', 'product', 'native') });
    expect([code, stdout, existsSync(join(folder, 'run'))]).toEqual([3, '', false]);
    expect(stderr).toMatch(
      /^error runtime\.driver_unavailable: open native: .*, by SIGSEGV; run npm ci again, or leave device\.driver out$/m,
    );
  }, 60_000);

  it.runIf(isHere).each(faults)(
    'is found by setup where it was there: %s',
    async (_fault, file, change, finding) => {
      const env = cacheWithout('setup', file, change);
      const { code, stdout, stderr } = await runCli(['setup', 'openvino'], { env });
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(
        // built from -- a constant of this file
        new RegExp(
          `^error runtime\\.driver_unavailable: .*${finding}.*; run \\S+ \\S+ setup openvino --force`,
          'm',
        ),
      );
    },
    60_000,
  );

  it.runIf(isHere).each([
    ['train', bandit],
    ['warm-start', 'config/warm-start/seedling.yaml'],
  ])(
    'ends %s before it writes, with the command that mends it',
    async (...words) => {
      const env = cacheWithout('train', plugin, (path) => truncateSync(path, 2e6));
      const out = join(folder, 'out');
      const bf16 = ['--out', out, '--set', 'device.precision=bf16'];
      const { code, stdout, stderr } = await runCli([...words, ...bf16], { env });
      expect([code, stdout, existsSync(out)]).toEqual([3, '', false]);
      expect(stderr).toMatch(
        /^error runtime\.driver_unavailable: .* by SIGBUS; run \S+ \S+ setup openvino --force/m,
      );
    },
    60_000,
  );
});
