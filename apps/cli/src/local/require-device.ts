/**
 * @file Whether this machine computes as a device asks, found before anything is written, in a process of its own that a
 * broken library may end. The default driver on the CPU is not asked: without it no command gets here.
 */
import { AppError, type RunSpec } from '@espalier/contracts';
import { resolveDriver } from '@espalier/runtime';
import { askProbe } from './ask-probe.js';

type Device = Pick<RunSpec['device'], 'provider' | 'precision' | 'driver'>;

/** @throws runtime.driver_unavailable, runtime.provider_unavailable, runtime.unsupported_precision */
export async function requireDevice({ provider, precision, driver: chosen }: Device): Promise<void> {
  const driver = resolveDriver({ provider, precision, driver: chosen });
  if (driver === 'onnxruntime-node' && provider === 'cpu') return;
  if (driver === 'native' && provider === 'cuda') return requireCuda();
  const probed = await askProbe('product', { provider, precision, driver });
  if ('finding' in probed) throw new AppError(probed.code, probed.finding);
}

/** Nothing is allocated on the GPU, which others may be using. A driver that is missing is named before files to fetch. */
async function requireCuda(): Promise<void> {
  const probed = await askProbe('cuda');
  if ('finding' in probed) throw new AppError(probed.code, probed.finding);
  const { files, driver } = probed.answer;
  const then = files.state === 'absent' ? ', then run espalier setup cuda' : '';
  if (driver.state !== 'ready')
    throw new AppError(
      'runtime.provider_unavailable',
      `compute on cuda: ${driver.finding}${then}; or leave device.provider out`,
    );
  if (files.state !== 'ready') throw new AppError('runtime.driver_unavailable', files.finding);
}
