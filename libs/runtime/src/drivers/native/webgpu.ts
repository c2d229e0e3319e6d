/** @file Opens ONNX Runtime with its WebGPU provider, and the memory of the GPU. */
import { hasCode } from '@espalier/contracts';
import { cast, encode, Graph, greater } from '@espalier/graph';
import { packagedLibrary } from './packaged-library.js';
import { runtimeMessage, unavailable } from '../provider.js';
import type { Pointer } from '../c-library.js';
import { createSession, type Gpu } from './create-session.js';
import { openOrtApi, type OrtApi } from './ort-api.js';
import { WebgpuMemory } from './webgpu-memory.js';

let opened: Promise<Gpu> | undefined;

/** Opens the GPU once for this process. @throws runtime.driver_unavailable, provider_unavailable */
export function openWebgpu(): Promise<Gpu> {
  opened ??= openInstalled().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function openInstalled(): Promise<Gpu> {
  const api = await openOrtApi(packagedLibrary(), 'run npm install onnxruntime-node again');
  const info = api.receive('CreateMemoryInfo', 'WebGPU_Buffer', 0, 0, 0);
  return createWebgpu(api, info, (settings) =>
    api.call('SessionOptionsAppendExecutionProvider', settings, 'WebGPU', [], [], 0),
  );
}

/** @param info the runtime's description of the memory */
export function createWebgpu(api: OrtApi, info: Pointer, addProvider: Gpu['addProvider']): Gpu {
  // the first session finds the GPU; as long as it is open, all others compute on the same one
  const memory = new WebgpuMemory({ api, info, zeros: openZeros(api, addProvider) });
  return { api, device: { memory, info, buffers: memory }, addProvider };
}

/** The session that gives zeros for any x [n], also where it is not a number. */
function openZeros(api: OrtApi, addProvider: Gpu['addProvider']): Pointer {
  const graph = new Graph();
  const x = graph.input('x', 'float32', ['n']);
  graph.output('y', cast(greater(x, x), 'float32'));
  const bytes = encode(graph, { target: 'webgpu' });
  try {
    return createSession(api, { bytes, constants: {} }, { provider: 'webgpu', threads: 1 }, addProvider);
  } catch (cause) {
    if (hasCode(cause, 'runtime.provider_unavailable')) throw cause;
    throw unavailable('webgpu', runtimeMessage((cause as Error).cause ?? cause), cause);
  }
}
