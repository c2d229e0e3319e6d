/**
 * @file The driver of OpenVINO's CPU plugin. It reads the same ONNX bytes as ONNX Runtime, computes products in float32 or
 * bf16, reads feeds and writes outputs where they lie, and runs on threads of its own, so that the event loop turns.
 * Floating-point feeds and outputs are float32 in either precision, or bfloat16 where a graph says so. Compiled graphs are not kept on disk: read back they have
 * other last bits, and one with adapters computed NaN.
 */
import { AppError } from '@espalier/contracts';
import { startedThreads } from '@espalier/contracts/values';
import { findKnownFailure } from '../../known-failure.js';
import type { TensorPort } from '../../runtime-tensor.js';
import type { Pointer } from '../c-library.js';
import {
  choosersOf,
  type Driver,
  type DriverSession,
  type DriverSource,
  type SessionOptions,
} from '../driver.js';
import { findBf16, readCpuinfo, requireBf16 } from '../processor.js';
import { createInferRequest } from './infer-request.js';
import { type OpenVino, openOpenVino, receive, remedy } from './openvino-library.js';

export const openvino: Driver = {
  name: 'openvino',
  providers: ['cpu'],
  embedsConstants: false,
  encoding: () => ({ target: 'cpu', isRewritten: true }),
  open,
  async probe() {
    const { version } = await openOpenVino();
    const bf16 = findBf16(readCpuinfo());
    const finding =
      bf16 === undefined ? 'float32 only: the processor has no bf16 instructions' : `bf16 by ${bf16}`;
    return {
      finding: `${version}; ${finding}`,
      precisions: bf16 === undefined ? ['float32'] : ['float32', 'bf16'],
    };
  },
};

async function open(source: DriverSource, options: SessionOptions): Promise<DriverSession> {
  if (options.precision === 'bf16') requireBf16();
  const library = await openOpenVino();
  const compiled = compile(library, source.bytes, options);
  const known = (port: TensorPort): boolean => hasInput(library, compiled, port.name);
  // an input that nothing depends on may be gone
  const inputs = new Set(source.inputs.filter(known).map(({ name }) => name));
  const request = createInferRequest(library, compiled, source.outputs);
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(feeds, targets) {
      const given = Object.entries(feeds).filter(([name]) => inputs.has(name));
      const next = last.then(() =>
        request.run({ ...source.constants, ...Object.fromEntries(given) }, targets),
      );
      // a request computes one run at a time; a failed one does not hinder the next
      last = next.catch(() => undefined);
      return next;
    },
    async dispose() {
      await last;
      request.free();
      library.freeCompiled(compiled);
    },
  };
}

/** What OpenVINO says where it cannot open its plugin, which it tries with the first graph. */
const lacksPlugin = /is not registered in the OpenVINO Runtime|Cannot load library/;

function compile(library: OpenVino, bytes: Uint8Array, options: SessionOptions): Pointer {
  const { threads = startedThreads(), precision = 'float32' } = options;
  const properties: Record<string, string> = {
    INFERENCE_PRECISION_HINT: precision === 'bf16' ? 'bf16' : 'f32',
    NUM_STREAMS: '1',
    // several processes that pin their threads to the same cores wait for each other
    ENABLE_CPU_PINNING: 'NO',
    CPU_DENORMALS_OPTIMIZATION: 'YES',
    // kernels of sizes it has met: the sizes of a run hardly repeat, and memory grew by gigabytes
    CPU_RUNTIME_CACHE_CAPACITY: '0',
    ...(threads === undefined ? {} : { INFERENCE_NUM_THREADS: String(threads) }),
  };
  try {
    const { core, readModel, compileModel, check } = library;
    const model = receive(library, 'read graph', readModel, core, bytes, bytes.byteLength, null);
    try {
      const compiled: Pointer[] = [null];
      const list = Object.entries(properties).flatMap(([key, value]) => ['str', key, 'str', value]);
      check(compileModel(core, model, 'CPU', list.length / 2, compiled, ...list), 'compile graph');
      return compiled[0] ?? null;
    } finally {
      library.freeModel(model);
    }
  } catch (cause) {
    const known = findKnownFailure('create session', cause);
    if (known !== undefined) throw known;
    if (lacksPlugin.test(messageOf(cause)))
      throw new AppError(
        'runtime.driver_unavailable',
        `open driver "openvino": its plugin is missing or does not load: ${messageOf(cause)}; ${remedy}`,
        { details: { driver: 'openvino' }, cause },
      );
    throw new AppError(
      'runtime.session_failed',
      `create session: OpenVINO rejected the graph: ${messageOf(cause)}; run check on it, or leave ${choosersOf.openvino} out`,
      { cause },
    );
  }
}

function hasInput({ findInput, freePort }: OpenVino, compiled: Pointer, name: string): boolean {
  const port: Pointer[] = [null];
  if (findInput(compiled, name, port) !== 0) return false;
  freePort(port[0]);
  return true;
}

const messageOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).trim().replaceAll(/\s+/g, ' ');
