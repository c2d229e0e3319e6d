/** @file What the NVIDIA driver says through its own library: its version and the devices. Nothing is allocated on one. */
import { AppError } from '@espalier/contracts';
import type koffi from 'koffi';

export interface CudaDevice {
  readonly name: string;
  readonly bytes: number;
  /** such as 9.0 */
  readonly computeCapability: number;
}

export interface CudaDriver {
  /** 1000 × major + 10 × minor of the newest CUDA that it runs */
  readonly version: number;
  /** those that CUDA_VISIBLE_DEVICES leaves */
  readonly devices: readonly CudaDevice[];
  /** why there are no devices, in CUDA's words */
  readonly failure?: string;
}

const computeCapabilityMajor = 75;
const computeCapabilityMinor = 76;

/** The GPUs that CUDA_VISIBLE_DEVICES leaves; none where the driver or koffi, which opens its library, is missing. */
export async function listCudaDevices(): Promise<readonly CudaDevice[]> {
  const opener = await import('koffi').catch(() => undefined);
  return opener === undefined ? [] : (askCudaDriver(opener.default)?.devices ?? []);
}

/** Asks the driver; undefined where its library is missing. */
export function askCudaDriver(
  { load }: Pick<typeof koffi, 'load'>,
  file = 'libcuda.so.1',
): CudaDriver | undefined {
  let library: ReturnType<typeof load>;
  try {
    library = load(file);
  } catch {
    return undefined;
  }
  const find = (prototype: string) => library.func(prototype) as (...args: readonly unknown[]) => number;
  const getError = find('int cuGetErrorString(int status, _Out_ const char **text)');
  const check = (status: number): void => {
    if (status === 0) return;
    const text = [''];
    getError(status, text);
    const finding = text[0] === '' ? `status ${status}` : (text[0] ?? '');
    throw new AppError('runtime.provider_unavailable', finding, { details: { status } });
  };
  const number = (call: (...args: readonly unknown[]) => number, ...args: readonly unknown[]): number => {
    const out: (number | bigint)[] = [0];
    check(call(out, ...args));
    return Number(out[0]);
  };
  let version = 0;
  try {
    version = number(find('int cuDriverGetVersion(_Out_ int *version)'));
    check(find('int cuInit(unsigned int flags)')(0));
    const count = number(find('int cuDeviceGetCount(_Out_ int *count)'));
    const getName = find('int cuDeviceGetName(uint8_t *name, int size, int device)');
    const getMemory = find('int cuDeviceTotalMem_v2(_Out_ size_t *bytes, int device)');
    const getAttribute = find('int cuDeviceGetAttribute(_Out_ int *value, int attribute, int device)');
    const getDevice = find('int cuDeviceGet(_Out_ int *device, int ordinal)');
    const devices = Array.from({ length: count }, (_, ordinal): CudaDevice => {
      const device = number(getDevice, ordinal);
      const text = Buffer.alloc(256);
      check(getName(text, text.length, device));
      const major = number(getAttribute, computeCapabilityMajor, device);
      const minor = number(getAttribute, computeCapabilityMinor, device);
      return {
        name: text.toString('utf8').split('\0')[0] ?? '',
        bytes: number(getMemory, device),
        computeCapability: major + minor / 10,
      };
    });
    return { version, devices };
  } catch (cause) {
    return { version, devices: [], failure: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** 13000 is 13.0. */
export const printCudaVersion = (version: number): string =>
  `${Math.trunc(version / 1000)}.${Math.trunc((version % 1000) / 10)}`;
