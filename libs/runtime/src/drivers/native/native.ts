/**
 * @file The driver that speaks ONNX Runtime's C API: outputs are written where they belong, without copies, and on a GPU
 * weights, gradients, moments and caches stay in its memory. The library is that of onnxruntime-node; on CUDA a copy of
 * it beside the provider, because it looks for the provider where it lies itself.
 */
import type { Driver, DriverSession, DriverSource, SessionOptions } from '../driver.js';
import type { Provider } from '../provider.js';
import { openCuda } from './cuda.js';
import { createSession, type Gpu } from './create-session.js';
import { createIoBinding } from './io-binding.js';
import { openOrtApi, type OrtApi } from './ort-api.js';
import { packagedLibrary } from './packaged-library.js';
import { openWebgpu } from './webgpu.js';

export const native: Driver = {
  name: 'native',
  providers: ['cpu', 'cuda', 'webgpu'],
  embedsConstants: true,
  encoding: ({ provider, precision }) => ({
    target: provider === 'webgpu' ? 'webgpu' : 'cpu',
    products: precision === 'bf16' ? 'bf16' : 'float32',
  }),
  open,
  openMemory: async (provider) => (await openGpu(provider))?.device.memory,
  async probe() {
    const { version } = await openCpu();
    return { finding: `ONNX Runtime ${version} by its C API; on the CPU`, precisions: ['float32'] };
  },
};

async function openGpu(provider: Provider): Promise<Gpu | undefined> {
  if (provider === 'cpu') return undefined;
  return provider === 'cuda' ? openCuda() : openWebgpu();
}

let opened: Promise<OrtApi> | undefined;

/** Opens the library once for this process. @throws runtime.driver_unavailable */
function openCpu(): Promise<OrtApi> {
  opened ??= openOrtApi(packagedLibrary(), 'run npm install onnxruntime-node again').catch(
    (error: unknown) => {
      opened = undefined;
      throw error;
    },
  );
  return opened;
}

async function open(source: DriverSource, options: SessionOptions): Promise<DriverSession> {
  const { provider = 'cpu' } = options;
  const gpu = await openGpu(provider);
  const api = gpu?.api ?? (await openCpu());
  const session = createSession(api, source, options, gpu?.addProvider);
  const binding = createIoBinding(api, session, source.outputs, gpu?.device);
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(feeds, targets) {
      const next = last.then(() => binding.run(feeds, targets));
      // a binding serves one run at a time; a failed one does not hinder the next
      last = next.catch(() => undefined);
      return next;
    },
    async dispose() {
      await last;
      binding.free();
      api.free('ReleaseSession', session);
    },
    endProfiling: () => void api.receive('SessionEndProfiling', session, api.allocator),
  };
}
