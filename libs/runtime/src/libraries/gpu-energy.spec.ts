import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';
import { afterAll, describe, expect, it } from 'vitest';
import { findGpuCounter, openGpuCounter } from './gpu-energy.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-nvml-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasCompiler = spawnSync('cc', ['--version']).status === 0;

/** Compiles the functions that are asked for. */
function compile(name: string, source: string): string {
  const path = join(folder, name);
  writeFileSync(`${path}.c`, `#include <string.h>\n#include <stdint.h>\n${source}`);
  const built = spawnSync('cc', ['-shared', '-fPIC', '-o', path, `${path}.c`]);
  expect(built.stderr.toString()).toBe('');
  return path;
}

const cudaSource = (init = 0): string => `
int cuInit(unsigned flags) { return ${init}; }
int cuDeviceGet(int *d, int i) { *d = 7 + i; return 0; }
int cuDeviceGetPCIBusId(char *text, int size, int d) {
  if (d != 7) return 1;
  strncpy(text, "0000:65:00.0", size);
  return 0;
}`;

/** A counter with these readings in mJ; a negative one is the status NVML_ERROR_GPU_IS_LOST instead. */
const nvmlSource = (...readings: readonly number[]): string => `
static int64_t readings[] = { ${readings.map((value) => `${value}LL`).join(', ')} };
static int next = 0, device = 0, started = 0;
int nvmlInit_v2() { started = 1; return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **out) {
  if (!started || strcmp(bus, "0000:65:00.0")) return 2;
  *out = &device;
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void *of, uint64_t *out) {
  int64_t value = readings[next++];
  if (of != &device || value < 0) return 15;
  *out = (uint64_t)value;
  return 0;
}`;

describe('the energy counter of a GPU', () => {
  it.runIf(hasCompiler)(
    'is that of the device at the bus address of CUDA’s first, in joules from its opening',
    () => {
      // beyond 32 bits, as after 50 days at 1 W
      const readings = [5_000_000_000, 5_000_001_500, 5_000_251_500];
      const read = findGpuCounter(koffi, {
        cuda: compile('libcuda-a.so', cudaSource()),
        nvml: compile('libnvml-a.so', nvmlSource(...readings)),
      });
      expect(read?.()).toBe(1.5);
      expect(read?.()).toBe(251.5);
    },
  );

  it.runIf(hasCompiler)('has no reading while the driver fails, and goes on after', () => {
    const read = findGpuCounter(koffi, {
      cuda: compile('libcuda-b.so', cudaSource()),
      nvml: compile('libnvml-b.so', nvmlSource(1000, -1, 4000)),
    });
    expect(read?.()).toBeUndefined();
    expect(read?.()).toBe(3);
  });

  it.runIf(hasCompiler)(
    'is absent where it is not supported, or CUDA has no device, or a library is missing',
    () => {
      const cuda = compile('libcuda-c.so', cudaSource());
      const nvml = compile('libnvml-c.so', nvmlSource(-1));
      expect(findGpuCounter(koffi, { cuda, nvml })).toBeUndefined();
      const broken = compile('libcuda-d.so', cudaSource(100));
      expect(findGpuCounter(koffi, { cuda: broken, nvml })).toBeUndefined();
      expect(findGpuCounter(koffi, { cuda, nvml: join(folder, 'missing.so') })).toBeUndefined();
      expect(findGpuCounter(koffi, { cuda: join(folder, 'missing.so'), nvml })).toBeUndefined();
    },
  );

  it('is not asked for where graphs are computed elsewhere', async () => {
    expect(await openGpuCounter('cpu')).toBeUndefined();
    expect(await openGpuCounter('webgpu')).toBeUndefined();
  });
});
