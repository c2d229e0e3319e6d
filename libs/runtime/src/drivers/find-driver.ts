/** @file Finds the driver of a session and refuses options that it cannot honour. Each is loaded when it is first asked for. */
import type { DeviceMemory } from '../mirrored-array.js';
import { AppError, isAppError } from '@espalier/contracts';
import type { Driver, DriverName, Precision, SessionOptions } from './driver.js';
import { requireBf16 } from './processor.js';
import type { Provider } from './provider.js';
import { onnxruntimeNode } from './onnxruntime-node.js';

const drivers: Readonly<Record<DriverName, () => Promise<Driver>>> = {
  'onnxruntime-node': async () => onnxruntimeNode,
  native: async () => (await import('./native/native.js')).native,
  openvino: async () => (await import('./openvino/openvino.js')).openvino,
};

/** @throws runtime.unsupported_precision, runtime.driver_unavailable for what a driver does not compute in, or on */
export async function findDriver(options: SessionOptions): Promise<Driver> {
  const { precision = 'float32', provider = 'cpu' } = options;
  const driver = resolveDriver(options);
  if (!precisionsOf(driver, provider).includes(precision))
    throw new AppError(
      'runtime.unsupported_precision',
      `compute in ${precision}: the driver "${driver}" does not on provider "${provider}"; choose ${precision === 'bf16' && provider === 'cpu' ? 'device.driver openvino, ' : ''}device.provider cuda${driver === 'native' || options.driver === undefined ? '' : ' without device.driver'}, or device.precision float32`,
      { details: { precision, driver } },
    );
  const found = await drivers[driver]();
  if (!found.providers.includes(provider))
    throw new AppError(
      'runtime.driver_unavailable',
      `open driver "${driver}": it runs on ${found.providers.join(' and ')}, not on provider "${provider}"; choose another device.provider, or ${options.driver === undefined ? 'device.precision float32' : 'leave device.driver out'}`,
      { details: { driver, provider } },
    );
  return found;
}

/** What a driver computes in on a provider, where the processor can. */
export function precisionsOf(driver: DriverName, provider: Provider): readonly Precision[] {
  if (driver === 'openvino') return ['float32', 'bf16'];
  return driver === 'native' && provider === 'cuda' ? ['float32', 'tf32', 'bf16'] : ['float32'];
}

/** The driver that was chosen, or the one that a precision asks for. */
export function resolveDriver({ driver, precision, provider }: DriverChoice): DriverName {
  if (driver !== undefined) return driver;
  if (provider === 'cuda' || provider === 'webgpu') return 'native';
  return precision === 'bf16' ? 'openvino' : 'onnxruntime-node';
}

/** A choice of a driver, as a spec makes it. */
interface DriverChoice {
  readonly driver?: DriverName | undefined;
  readonly precision?: Precision | undefined;
  readonly provider?: Provider | undefined;
}

/**
 * Makes sure that sessions can be opened with these options, before anything large is loaded.
 *
 * @throws runtime.driver_unavailable, runtime.unsupported_precision
 */
export async function requireDriver(options: SessionOptions): Promise<void> {
  const { name, probe } = await findDriver(options);
  if (name === 'onnxruntime-node') return;
  await probe();
  if (options.precision === 'bf16' && name === 'openvino') requireBf16();
}

/** The memory of the device that sessions with these options compute on; undefined: that of this process. */
export async function openDeviceMemory(options: SessionOptions): Promise<DeviceMemory | undefined> {
  const driver = await findDriver(options);
  return driver.openMemory?.(options.provider ?? 'cpu');
}

/** What a driver can do on this machine. */
export interface DriverReport {
  readonly name: DriverName;
  readonly isAvailable: boolean;
  /** what was found; where it is missing, also what to do */
  readonly finding: string;
  readonly precisions: readonly Precision[];
}

/** Opens the library of a driver and says what came of it. */
export async function probeDriver(name: DriverName): Promise<DriverReport> {
  try {
    const { probe } = await drivers[name]();
    return { name, isAvailable: true, ...(await probe()) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { name, isAvailable: false, finding: error.message, precisions: [] };
  }
}
