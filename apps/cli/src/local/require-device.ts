/**
 * @file Whether this machine computes as a device asks, found before anything is written, in a process of its own that a
 * broken library may end. The default driver on the CPU is not asked: without it no command gets here.
 */
import { AppError, isAppError, type RunSpec } from '@espalier/contracts';
import { resolveDriver } from '@espalier/runtime';
import { samplingDevice } from '@espalier/trainer';
import { requireAnswer } from './ask-probe.js';

type Device = Pick<RunSpec['device'], 'provider' | 'precision' | 'driver'>;

/** @throws runtime.driver_unavailable, runtime.provider_unavailable, runtime.unsupported_precision */
export async function requireDevice({ provider, precision, driver: chosen }: Device): Promise<void> {
  const driver = resolveDriver({ provider, precision, driver: chosen });
  if (driver === 'onnxruntime-node' && provider === 'cpu') return;
  if (driver === 'native' && provider === 'cuda') return requireCuda();
  await requireAnswer('product', { provider, precision, driver });
}

/**
 * The same of what a policy of the device samples on; the error names how to play all the same.
 *
 * @throws as requireDevice
 */
export async function requireSamplingDevice(device: RunSpec['device']): Promise<void> {
  await requireDevice(samplingDevice(device)).catch((error: unknown) => {
    if (!isAppError(error)) throw error;
    const sets = Object.entries(plain).filter(
      ([name, value]) => (device[name as keyof typeof plain] ?? value) !== value,
    );
    const words = sets.map(([name, value]) => `--set device.${name}=${value}`).join(' ');
    throw new AppError(error.code, `${error.message}; or play in float32 on the CPU: ${words}`, {
      cause: error,
    });
  });
}

/** What every machine has. */
const plain = {
  provider: 'cpu',
  driver: 'onnxruntime-node',
  precision: 'float32',
  sampling: 'float32',
} as const;

/** Nothing is allocated on the GPU, which others may be using. A driver that is missing is named before files to fetch. */
async function requireCuda(): Promise<void> {
  const { files, driver } = await requireAnswer('cuda');
  const then = files.state === 'absent' ? ', then run espalier setup cuda' : '';
  if (driver.state !== 'ready')
    throw new AppError(
      'runtime.provider_unavailable',
      `compute on cuda: ${driver.finding}${then}; or leave device.provider out`,
    );
  if (files.state !== 'ready') throw new AppError('runtime.driver_unavailable', files.finding);
}
