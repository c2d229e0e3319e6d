import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import koffi from 'koffi';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { askCudaDriver, printCudaVersion } from './cuda-driver.js';
import { findLibrary, libraryFolder, libraryManifest } from './find-library.js';
import { pinnedLibraries } from './pinned-libraries.js';
import { describeDriver, openCudaFiles, probeCuda, requireSameBuild } from './probe-cuda.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-cuda-'));
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isPinnedHere = `${process.platform}-${process.arch}` === pinnedLibraries.cuda.platform;
const hasCompiler = spawnSync('cc', ['--version']).status === 0;

/** Compiles a library; what it lacks is found only when it is opened. */
function compile(name: string, source: string, ...flags: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(`${path}.c`, source);
  const built = spawnSync('cc', [
    '-shared',
    '-fPIC',
    `-Wl,-soname,${name}`,
    '-o',
    path,
    `${path}.c`,
    ...flags,
  ]);
  expect(built.stderr.toString()).toBe('');
  return path;
}

/** The functions of a driver that are asked for, with the answers of a machine with two devices. */
const driverSource = (version: number, init: number): string => `
#include <string.h>
int cuDriverGetVersion(int *v) { *v = ${version}; return 0; }
int cuInit(unsigned flags) { return ${init}; }
int cuGetErrorString(int s, const char **text) { *text = s == 100 ? "no CUDA-capable device is detected" : "?"; return 0; }
int cuDeviceGetCount(int *n) { *n = 2; return 0; }
int cuDeviceGet(int *d, int i) { *d = 7 + i; return 0; }
int cuDeviceGetName(char *name, int size, int d) { strncpy(name, d == 7 ? "First" : "Second", size); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int d) { *bytes = (size_t)d << 32; return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 9 : d - 7; return 0; }
`;

describe('the NVIDIA driver', () => {
  it('is absent without its library, and a finding says what to install', () => {
    expect(askCudaDriver(koffi, join(folder, 'libcuda.so.1'))).toBeUndefined();
    expect(describeDriver(undefined)).toEqual({
      state: 'absent',
      finding: 'no NVIDIA driver on this machine (libcuda.so.1); install NVIDIA driver 580 or newer',
    });
  });

  it.runIf(hasCompiler)('says its version and the devices with their memory', () => {
    const driver = askCudaDriver(koffi, compile('libfirst.so', driverSource(13_010, 0)));
    expect(driver).toEqual({
      version: 13_010,
      devices: [
        { name: 'First', bytes: 7 * 2 ** 32, computeCapability: 9 },
        { name: 'Second', bytes: 8 * 2 ** 32, computeCapability: 9.1 },
      ],
    });
    expect(describeDriver(driver)).toMatchObject({
      state: 'ready',
      finding: expect.stringContaining('13.1'),
    });
  });

  it.runIf(hasCompiler)('says why it lists no device', () => {
    const driver = askCudaDriver(koffi, compile('libnone.so', driverSource(13_000, 100)));
    expect(describeDriver(driver)).toEqual({
      state: 'broken',
      finding:
        'the NVIDIA driver runs programs up to CUDA 13.0, but lists no device: no CUDA-capable device is detected; see what nvidia-smi says',
    });
  });

  it('is refused when it is older than the libraries need', () => {
    expect(describeDriver({ version: 12_040, devices: [] })).toEqual({
      state: 'broken',
      finding:
        'the NVIDIA driver runs programs up to CUDA 12.4, CUDA 13.0 is needed; install NVIDIA driver 580 or newer',
    });
    expect(printCudaVersion(13_000)).toBe('13.0');
  });
});

describe('the CUDA files', () => {
  it.runIf(isPinnedHere)('are absent until they are set up', async () => {
    vi.stubEnv('ESPALIER_CACHE', join(folder, 'no-cache'));
    const { files } = await probeCuda();
    expect(files).toEqual({ state: 'absent', finding: expect.stringMatching(/run espalier setup cuda$/) });
  });

  it.runIf(isPinnedHere)('are broken when a library that was linked is gone', async () => {
    vi.stubEnv('ESPALIER_CACHE', join(folder, 'cache'));
    const place = libraryFolder(pinnedLibraries.cuda);
    mkdirSync(place, { recursive: true });
    const members = pinnedLibraries.cuda.wheels.flatMap((wheel) => wheel.members.map((one) => basename(one)));
    for (const file of [libraryManifest, ...members.filter((one) => one !== 'libcudart.so.13')])
      writeFileSync(join(place, file), '{}');
    symlinkSync(join(folder, 'gone/libcudart.so.13'), join(place, 'libcudart.so.13'));
    const finding =
      /libcudart\.so\.13 is gone: it was .*gone\/libcudart\.so\.13; run espalier setup cuda --force$/;
    expect((await probeCuda()).files).toEqual({ state: 'broken', finding: expect.stringMatching(finding) });
    expect(() => findLibrary('cuda')).toThrow(finding);
  });

  it.runIf(hasCompiler)('open in their order, up to the driver where there is none', () => {
    const runtime = compile('libcudart.so.13', 'int cudaRuntimeGetVersion(int *v) { *v = 13000; return 0; }');
    const cudnn = compile('libcudnn.so.9', 'unsigned long cudnnGetVersion(void) { return 91900; }');
    const name = 'libonnxruntime_providers_cuda.so';
    // a driver that is there to link against and gone when the provider is opened
    compile('libcuda.so.1', 'int cuInit(unsigned flags) { return 0; }');
    const source = 'int cuInit(unsigned flags); int start(void) { return cuInit(0); }';
    const provider = compile(name, source, `-L${folder}`, '-l:libcuda.so.1');
    rmSync(join(folder, 'libcuda.so.1'));
    expect(openCudaFiles(koffi, [runtime, cudnn, provider], false)).toBe(
      'CUDA 13.0, cuDNN 9.19.0, everything loads up to the driver',
    );
    const broken = join(folder, 'libcublas.so.13');
    writeFileSync(broken, 'no library');
    expect(() => openCudaFiles(koffi, [runtime, broken, provider], false)).toThrow(
      /open .*libcublas\.so\.13: .*; run espalier setup cuda --force$/s,
    );
  });

  it('belong to the build of ONNX Runtime that is installed', () => {
    const library = join(folder, 'libonnxruntime.so.1');
    writeFileSync(library, 'x'.repeat(5000) + 'git-branch=HEAD, git-commit-id=0123abcde, build type=Release');
    expect(() => requireSameBuild(library, '0123abcde')).not.toThrow();
    expect(() => requireSameBuild(library)).toThrow(
      /is of commit 0123abcde, the provider belongs to f2c39fe2f; run npm install onnxruntime-node@1\.30\.0$/,
    );
  });
});
