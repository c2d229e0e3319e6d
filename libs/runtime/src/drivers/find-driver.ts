/** @file Finds the driver of a session and refuses options that it cannot honour. Each is loaded when it is first asked for. */
import { AppError, isAppError } from '@espalier/contracts';
import type { Driver, DriverName, Precision, SessionOptions } from './driver.js';
import { requireBf16 } from './processor.js';
import { onnxruntimeNode } from './onnxruntime-node.js';

const drivers: Readonly<Record<DriverName, () => Promise<Driver>>> = {
  'onnxruntime-node': async () => onnxruntimeNode,
  openvino: async () => (await import('./openvino/openvino.js')).openvino,
};

/** @throws runtime.unsupported_precision for a driver that computes in float32 only */
export async function findDriver(options: SessionOptions): Promise<Driver> {
  const { precision } = options;
  const driver = resolveDriver(options);
  if (precision === 'bf16' && driver !== 'openvino')
    throw new AppError(
      'runtime.unsupported_precision',
      `compute in bf16: the driver "${driver}" computes in float32; choose device.driver openvino, or device.precision float32`,
      { details: { precision, driver } },
    );
  return drivers[driver]();
}

/** The driver that was chosen, or the one that a precision asks for. */
export const resolveDriver = ({ driver, precision }: DriverChoice): DriverName =>
  driver ?? (precision === 'bf16' ? 'openvino' : 'onnxruntime-node');

/** A choice of a driver, as a spec makes it. */
interface DriverChoice {
  readonly driver?: DriverName | undefined;
  readonly precision?: Precision | undefined;
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
  if (options.precision === 'bf16') requireBf16();
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
