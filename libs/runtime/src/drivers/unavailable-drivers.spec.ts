import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Graph } from '@espalier/graph';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cacheFolder, findLibrary, isInstalled, libraryFolder } from '../libraries/find-library.js';
import { pinnedLibraries } from '../libraries/pinned-libraries.js';
import { createSession } from '../session.js';
import { openOpenVinoIn } from './openvino/openvino-library.js';
import { findBf16, requireBf16 } from './processor.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-drivers-'));
afterEach(() => vi.unstubAllEnvs());
afterEach(() => vi.restoreAllMocks());
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const graph = new Graph();
graph.output('y', graph.input('x', 'float32', [1]));

describe('a driver that is not there', () => {
  it.runIf(process.platform === 'linux' && process.arch === 'x64')('says which command fetches it', () => {
    vi.stubEnv('ESPALIER_CACHE', folder);
    expect(isInstalled(pinnedLibraries.openvino)).toBe(false);
    expect(() => findLibrary('openvino')).toThrow(
      `OpenVINO 2026.4.0 is not in ${libraryFolder(pinnedLibraries.openvino)}; run espalier setup openvino`,
    );
  });

  it('names the option that asked for it on a machine that it is not pinned for', () => {
    vi.spyOn(process, 'arch', 'get').mockReturnValue('mips');
    const here = `this is ${process.platform}-mips`;
    expect(() => findLibrary('cuda')).toThrow(`${here}; leave device.provider out`);
    expect(() => findLibrary('openvino')).toThrow(`${here}; leave device.driver and device.precision out`);
  });

  it('is refused when its library is no library', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'libopenvino_c.so.2640'), 'no library');
    await expect(openOpenVinoIn(folder, '2026.4.0')).rejects.toMatchObject({
      code: 'runtime.driver_unavailable',
      message: expect.stringMatching(/does not load: .*; run espalier setup openvino --force$/s),
    });
  });

  it('is refused when it is another version than the pinned one', async ({ skip }) => {
    if (!isInstalled(pinnedLibraries.openvino)) skip('OpenVINO is not set up');
    await expect(openOpenVinoIn(libraryFolder(pinnedLibraries.openvino), '1999.1')).rejects.toMatchObject({
      code: 'runtime.driver_unavailable',
      message: expect.stringMatching(/is version 2026\.4\.0.*; expected 1999\.1; run espalier setup/),
    });
  });
});

describe('bf16', () => {
  it('is found by the instructions of the processor', () => {
    const flags = (names: string): string => `processor\t: 0\nflags\t\t: fpu ${names}\nbugs\t:\n`;
    expect(findBf16(flags('avx512f avx512_bf16 amx_bf16'))).toBe('amx_bf16');
    expect(findBf16(flags('avx512f avx512_bf16'))).toBe('avx512_bf16');
    expect(findBf16(flags('avx512f avx512_bf16x'))).toBeUndefined();
    expect(findBf16('')).toBeUndefined();
  });

  it('is refused on a processor without them', () => {
    expect(() => requireBf16('flags\t\t: fpu avx2\n')).toThrow(
      'compute in bf16: this processor has neither amx_bf16 nor avx512_bf16 instructions',
    );
  });

  it('is refused by a driver that computes in float32', async () => {
    await expect(
      createSession(graph, { driver: 'onnxruntime-node', precision: 'bf16' }),
    ).rejects.toMatchObject({
      code: 'runtime.unsupported_precision',
      message: expect.stringContaining('device.driver openvino'),
    });
  });
});

describe('a driver on a provider that it does not run on', () => {
  it.each([
    ['onnxruntime-node', 'cuda', 'cpu'],
    ['onnxruntime-node', 'webgpu', 'cpu'],
    ['openvino', 'cuda', 'cpu'],
  ] as const)('is refused: %s on %s', async (driver, provider, known) => {
    await expect(createSession(graph, { driver, provider })).rejects.toMatchObject({
      code: 'runtime.driver_unavailable',
      message: expect.stringContaining(
        `it runs on ${known}, not on provider "${provider}"; choose another device.provider, or leave device.driver out`,
      ),
    });
  });

  it('is refused with what chose it, where that was the precision', async () => {
    await expect(createSession(graph, { precision: 'bf16', provider: 'webgpu' })).rejects.toMatchObject({
      message:
        'compute in bf16: the driver "native" does not on provider "webgpu"; choose device.provider cuda, or device.precision float32',
    });
  });
});

describe('the cache folder', () => {
  it('is the one of the environment, of the XDG standard, or of the home folder', () => {
    expect(cacheFolder({ ESPALIER_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/espalier');
    expect(cacheFolder({})).toMatch(/\.cache\/espalier$/);
  });
});
