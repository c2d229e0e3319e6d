/**
 * @file A session: one graph, loaded once and run many times. Feeds are views of typed arrays; on the CPU they are not
 * copied. The binding copies every output once, so keep large tensors out of the outputs. Subnormal numbers are flushed
 * to zero (softmax and products are up to 100 times slower with them): the runtime sets this for its threads and, with
 * the first session of a process, for the JavaScript thread, so every session must request it. A run blocks the
 * JavaScript thread; sampling and training therefore have their own process.
 */
import { AppError } from '@espalier/contracts';
import { requestedThreads } from '@espalier/contracts/values';
import { type DType, encode, type FixedValues, Graph } from '@espalier/graph';
import ort from 'onnxruntime-node';
import { runtimeMessage, type Provider, validateProvider, unavailable } from './provider.js';
import type { EntryArray, RuntimeTensor, TensorPort } from './runtime-tensor.js';
import { runClock } from './run-clock.js';
import { checkTensor, type SizeBindings } from './tensor-check.js';

/** Options of a session. */
export interface SessionOptions {
  /** Default cpu. */
  readonly provider?: Provider;
  /** Threads inside one operator; default: OMP_NUM_THREADS, else the number of physical cores. Does not affect results. */
  readonly threads?: number;
  /** Graph optimization by the runtime. Default disabled: merging equal nodes would undo recomputation. */
  readonly optimization?: 'disabled' | 'basic' | 'extended' | 'all';
  /** Plans memory per set of input shapes; default false, because it holds a second copy of the arena. */
  readonly memoryPattern?: boolean;
  /** Keeps freed memory for the next run; default true. */
  readonly memoryArena?: boolean;
  /** Lets idle threads spin: faster between operators, but costs CPU time. Default true. */
  readonly spinning?: boolean;
  /** Writes a profile of every operator to files with this prefix. */
  readonly profilePrefix?: string;
}

/** Feeds and results by name. */
export type RuntimeTensors = Readonly<Record<string, RuntimeTensor>>;

type OrtFeeds = Record<string, ort.Tensor>;

/**
 * Loads a graph, or ONNX bytes. Dispose it when done.
 *
 * @param constants inputs of the graph that become constants; the session may read these arrays until it is disposed
 * @throws runtime.provider_unavailable, runtime.session_failed
 */
export async function createSession(
  source: Graph | Uint8Array,
  options: SessionOptions = {},
  constants: ReadonlyMap<string, FixedValues> = new Map(),
): Promise<Session> {
  const provider = options.provider ?? 'cpu';
  validateProvider(provider);
  // errors are thrown; the runtime would repeat them on stderr
  ort.env.logLevel = 'fatal';
  const bytes =
    source instanceof Graph
      ? encode(source, { target: provider === 'webgpu' ? 'webgpu' : 'cpu', fixed: constants })
      : source;
  const externalData = [...constants].map(([path, { buffer, byteOffset, byteLength }]) => ({
    path,
    data: new Uint8Array(buffer, byteOffset, byteLength),
  }));
  try {
    const native = await ort.InferenceSession.create(bytes, {
      ...ortOptions(provider, options),
      ...(externalData.length === 0 ? {} : { externalData }),
    });
    return new Session(native, provider, constants);
  } catch (cause) {
    const finding = runtimeMessage(cause);
    if (provider !== 'cpu') throw unavailable(provider, finding, cause);
    throw new AppError(
      'runtime.session_failed',
      `create session: the runtime rejected the graph: ${finding}; run check on it`,
      { cause },
    );
  }
}

function ortOptions(provider: Provider, options: SessionOptions): ort.InferenceSession.SessionOptions {
  const {
    threads = requestedThreads(process.env),
    profilePrefix,
    optimization = 'disabled',
    memoryPattern = false,
    memoryArena = true,
    spinning = true,
  } = options;
  return {
    executionProviders: [provider],
    graphOptimizationLevel: optimization,
    enableMemPattern: memoryPattern,
    enableCpuMemArena: memoryArena,
    executionMode: 'sequential',
    logSeverityLevel: 3,
    ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
    ...(profilePrefix === undefined ? {} : { enableProfiling: true, profileFilePrefix: profilePrefix }),
    extra: { session: { set_denormal_as_zero: '1', intra_op: { allow_spinning: spinning ? '1' : '0' } } },
  };
}

/** A loaded graph; created by {@link createSession}. */
export class Session {
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
  readonly #ports: Readonly<Record<'input' | 'output', ReadonlyMap<string, TensorPort>>>;
  #native: ort.InferenceSession | undefined;

  constructor(
    native: ort.InferenceSession,
    readonly provider: Provider,
    /** held so that their memory stays */
    readonly constants: ReadonlyMap<string, FixedValues> = new Map(),
  ) {
    this.#native = native;
    this.inputs = native.inputMetadata.map(portOf);
    this.outputs = native.outputMetadata.map(portOf);
    this.#ports = { input: byName(this.inputs), output: byName(this.outputs) };
  }

  /**
   * Runs the graph.
   *
   * @param feeds   one tensor per input
   * @param targets preallocated outputs, written in place; may alias feeds of elementwise operators. Other outputs get
   *                new arrays.
   * @returns       all outputs by name; those preallocated are the given tensors
   * @throws        runtime.unknown_input, missing_feed, shape_mismatch, dtype_mismatch, run_failed, out_of_memory, disposed
   */
  async run(feeds: RuntimeTensors, targets: RuntimeTensors = {}): Promise<Record<string, RuntimeTensor>> {
    const native = this.#native;
    if (native === undefined)
      throw new AppError('runtime.disposed', 'run session: it was disposed; create a new one');
    const sizes: SizeBindings = new Map();
    const ortFeeds = this.#convert('input', feeds, sizes);
    for (const { name } of this.inputs) {
      if (feeds[name] === undefined)
        throw new AppError(
          'runtime.missing_feed',
          `run session: input "${name}" has no feed; every input needs one`,
        );
    }
    const ortTargets = this.#convert('output', targets, sizes);
    const fetches = Object.fromEntries(this.outputs.map(({ name }) => [name, ortTargets[name] ?? null]));
    const results = await runNative(native, ortFeeds, fetches);
    return Object.fromEntries(
      this.outputs.map(({ name }) => [name, targets[name] ?? fromOrt(results[name] as ort.Tensor)]),
    );
  }

  /** Frees the session; may be called twice. */
  async dispose(): Promise<void> {
    const native = this.#native;
    this.#native = undefined;
    await native?.release();
  }

  /** Ends profiling and completes the profile file. */
  endProfiling(): void {
    this.#native?.endProfiling();
  }

  #convert(kind: 'input' | 'output', tensors: RuntimeTensors, sizes: SizeBindings): OrtFeeds {
    const converted: OrtFeeds = {};
    const ports = this.#ports[kind];
    for (const [name, tensor] of Object.entries(tensors)) {
      const port = ports.get(name);
      if (port === undefined) {
        throw new AppError(
          'runtime.unknown_input',
          `run session: no ${kind} "${name}"; expected one of ${[...ports.keys()].join(', ')}`,
        );
      }
      checkTensor(kind, port, tensor, sizes);
      converted[name] = toOrt(tensor);
    }
    return converted;
  }
}

/** How ONNX Runtime and the C++ library report a failed allocation. */
const outOfMemory = /failed to allocate memory|bad_alloc|bad allocation|out of memory/i;

async function runNative(
  native: ort.InferenceSession,
  feeds: OrtFeeds,
  fetches: Record<string, ort.Tensor | null>,
): Promise<ort.InferenceSession.ReturnType> {
  const begin = performance.now();
  try {
    return await native.run(feeds, fetches);
  } catch (cause) {
    const finding = runtimeMessage(cause);
    if (outOfMemory.test(finding)) {
      throw new AppError(
        'runtime.out_of_memory',
        `run session: ${finding}; lower update.microBatchTokens, or free memory`,
        { cause },
      );
    }
    throw new AppError(
      'runtime.run_failed',
      `run session: ${finding}; the feeds match the inputs, so check the graph`,
      { cause },
    );
  } finally {
    runClock.add((performance.now() - begin) / 1000);
  }
}

function toOrt({ dtype, shape, values }: RuntimeTensor): ort.Tensor {
  return new ort.Tensor(dtype as 'float32', values as Float32Array, shape as number[]);
}

function fromOrt(tensor: ort.Tensor): RuntimeTensor {
  return { dtype: tensor.type as DType, shape: tensor.dims, values: tensor.data as EntryArray };
}

function byName(ports: readonly TensorPort[]): Map<string, TensorPort> {
  return new Map(ports.map((port) => [port.name, port]));
}

function portOf(metadata: ort.InferenceSession.ValueMetadata): TensorPort {
  if (!metadata.isTensor)
    throw new AppError(
      'runtime.session_failed',
      `create session: "${metadata.name}" is not a tensor; only tensors are supported`,
    );
  return { name: metadata.name, dtype: metadata.type as DType, shape: metadata.shape };
}
