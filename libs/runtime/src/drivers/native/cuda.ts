/** @file Opens ONNX Runtime with its CUDA provider, and the memory of the GPU. */
import { copyFileSync, existsSync, renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hasCode } from '@espalier/contracts';
import { findLibrary } from '../../libraries/find-library.js';
import { requireSameBuild } from '../../libraries/probe-cuda.js';
import { type CLibrary, openLibrary, type Pointer } from '../c-library.js';
import type { Precision } from '../driver.js';
import { runtimeMessage, unavailable } from '../provider.js';
import { createCudaMemory } from './cuda-memory.js';
import type { Gpu } from './create-session.js';
import { openOrtApi, type OrtApi } from './ort-api.js';
import { packagedLibrary } from './packaged-library.js';

const remedy = 'run espalier doctor, which says what is missing, or choose device.provider cpu';

let opened: Promise<Gpu> | undefined;

/** Opens the libraries once for this process. @throws runtime.driver_unavailable, provider_unavailable */
export function openCuda(): Promise<Gpu> {
  opened ??= openInstalled().catch((error: unknown) => {
    opened = undefined;
    throw hasCode(error, 'runtime.driver_unavailable')
      ? error
      : unavailable('cuda', runtimeMessage(error), error);
  });
  return opened;
}

/** Takes another device for the GPU, or the GPU again; for tests. */
export function useCuda(gpu: Gpu | undefined): void {
  opened = gpu === undefined ? undefined : Promise.resolve(gpu);
}

async function openInstalled(): Promise<Gpu> {
  const { folder, paths } = findLibrary('cuda');
  requireSameBuild(packagedLibrary());
  const held = new Map<string, CLibrary>();
  for (const path of paths) {
    const name = basename(path);
    // ONNX Runtime opens its providers itself: their constructors call it
    if (name.startsWith('libonnxruntime_')) continue;
    held.set(name.split('.')[0] ?? name, await openLibrary('native', path, remedy, { isGlobal: true }));
  }
  const memory = createCudaMemory(held.get('libcudart') as CLibrary);
  const api = await openOrtApi(placeLibrary(folder), remedy);
  const info = api.receive('CreateMemoryInfo', 'Cuda', 0, 0, 0);
  return {
    held: [...held.values()],
    api,
    device: { memory, info },
    addProvider: (settings, precision) => addCuda(api, settings, precision),
  };
}

/** The runtime's library must lie beside its provider; a link would be taken for the original. */
function placeLibrary(folder: string): string {
  const from = packagedLibrary();
  const path = join(folder, basename(from));
  if (!existsSync(path) || statSync(path).size !== statSync(from).size) {
    const part = `${path}.${process.pid}.part`;
    copyFileSync(from, part);
    renameSync(part, path);
  }
  return path;
}

function addCuda(api: OrtApi, settings: Pointer, precision: Precision): void {
  const options: Record<string, string> = {
    device_id: '0',
    // float32 is float32: the tensor cores' TF32 keeps 10 bits of 23
    use_tf32: precision === 'tf32' ? '1' : '0',
    arena_extend_strategy: 'kSameAsRequested',
    do_copy_in_default_stream: '1',
  };
  const cuda = api.receive('CreateCUDAProviderOptions');
  try {
    api.call(
      'UpdateCUDAProviderOptions',
      cuda,
      Object.keys(options),
      Object.values(options),
      Object.keys(options).length,
    );
    api.call('SessionOptionsAppendExecutionProvider_CUDA_V2', settings, cuda);
  } finally {
    api.free('ReleaseCUDAProviderOptions', cuda);
  }
}
