/**
 * @file The energy counter of an NVIDIA GPU: the driver's management library (NVML) has one on Volta and newer. It counts
 * the whole board, whatever uses it.
 */
import type koffi from 'koffi';
import type { Provider } from '../drivers/provider.js';

/** Joules since the counter was opened; undefined while it cannot be read. */
export type ReadJoules = () => number | undefined;

interface Files {
  readonly cuda?: string;
  readonly nvml?: string;
}

/** Opens the counter of the GPU that graphs are computed on; undefined where there is none that can be read. */
export async function openGpuCounter(provider: Provider): Promise<ReadJoules | undefined> {
  if (provider !== 'cuda') return undefined;
  const opener = await import('koffi').catch(() => undefined);
  return opener && findGpuCounter(opener.default);
}

/** The counter of the first device that CUDA lists. CUDA and NVML number devices differently, so its bus address names it. */
export function findGpuCounter(
  { load }: Pick<typeof koffi, 'load'>,
  { cuda = 'libcuda.so.1', nvml = 'libnvidia-ml.so.1' }: Files = {},
): ReadJoules | undefined {
  try {
    const address = addressOfFirst(load(cuda));
    const library = load(nvml);
    requireSuccess(library.func('int nvmlInit_v2()')());
    const device: (bigint | null)[] = [null];
    const findDevice = library.func(
      'int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, _Out_ void **device)',
    );
    requireSuccess(findDevice(address, device));
    const ask = library.func(
      'int nvmlDeviceGetTotalEnergyConsumption(void *device, _Out_ uint64_t *millijoules)',
    );
    const readTotal = (): number => {
      const total: (number | bigint)[] = [0];
      requireSuccess(ask(device[0], total));
      return Number(total[0]);
    };
    const first = readTotal();
    return () => {
      try {
        return (readTotal() - first) / 1000;
      } catch {
        return undefined;
      }
    };
  } catch {
    return undefined;
  }
}

function addressOfFirst(library: ReturnType<typeof koffi.load>): string {
  requireSuccess(library.func('int cuInit(unsigned int flags)')(0));
  const device: (number | bigint)[] = [0];
  requireSuccess(library.func('int cuDeviceGet(_Out_ int *device, int ordinal)')(device, 0));
  const text = Buffer.alloc(32);
  const getAddress = library.func('int cuDeviceGetPCIBusId(uint8_t *address, int size, int device)');
  requireSuccess(getAddress(text, text.length, device[0]));
  return text.toString('latin1').split('\0')[0] ?? '';
}

function requireSuccess(status: unknown): void {
  if (status !== 0) throw new RangeError(`status ${String(status)}`);
}
