import { Graph } from '@espalier/graph';
import { afterEach, describe, expect, it } from 'vitest';
import { createSession } from '../../session.js';
import { useCuda } from './cuda.js';
import type { Gpu } from './create-session.js';
import { openOrtApi } from './ort-api.js';
import { packagedLibrary } from './packaged-library.js';

afterEach(() => useCuda(undefined));

/** A GPU on which a call of ONNX Runtime fails. */
async function useFailing(failing: 'provider' | 'session', message: string): Promise<void> {
  const api = await openOrtApi(packagedLibrary(), 'run npm install');
  const device = { info: api.cpuMemory } as Gpu['device'];
  const fail = (): never => {
    throw new Error(message);
  };
  useCuda({
    api: {
      ...api,
      receive: (name, ...args) =>
        failing === 'session' && name === 'CreateSessionFromArray' ? fail() : api.receive(name, ...args),
    },
    device,
    addProvider: () => (failing === 'provider' ? fail() : undefined),
  });
}

function open(): Promise<unknown> {
  const graph = new Graph();
  graph.output('y', graph.input('x', 'float32', [1]));
  return createSession(graph, { provider: 'cuda' });
}

describe('opening a session on a GPU', () => {
  it.each([
    ['session', 'CUDA failure 2: out of memory ; GPU=0', 'runtime.out_of_memory'],
    ['session', 'CUDA failure 719: unspecified launch failure ; GPU=0', 'runtime.device_lost'],
    ['session', 'Node Add_1 has no kernel', 'runtime.session_failed'],
    ['provider', 'CUDA is not in this build', 'runtime.provider_unavailable'],
  ] as const)('says what failed: %s, %s', async (failing, message, code) => {
    await useFailing(failing, message);
    await expect(open()).rejects.toMatchObject({ code });
  });
});
