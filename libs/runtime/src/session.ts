/**
 * @file A session: one graph, loaded once by a driver and run many times. Feeds are views of typed arrays. Subnormal
 * numbers are flushed to zero (softmax and products are up to 100 times slower with them): ONNX Runtime sets this for its
 * threads and, with the first session of a process, for the JavaScript thread, so every session must request it.
 */
import { AppError } from '@espalier/contracts';
import { encode, type FixedValues, type Graph, type Tensor } from '@espalier/graph';
import type { DriverSession, RuntimeTensors, SessionOptions } from './drivers/driver.js';
import { findDriver } from './drivers/find-driver.js';
import { checkIndices, findLookups, type Lookup } from './index-check.js';
import { runtimeMessage } from './drivers/provider.js';
import { findKnownFailure } from './known-failure.js';
import type { RuntimeTensor, TensorPort } from './runtime-tensor.js';
import { runClock } from './run-clock.js';
import { checkTensor, type SizeBindings } from './tensor-check.js';

/**
 * Loads a graph. Dispose the session when done.
 *
 * @param constants inputs of the graph that become constants; the session may read these arrays until it is disposed
 * @throws runtime.driver_unavailable, provider_unavailable, unsupported_precision, session_failed
 */
export async function createSession(
  graph: Graph,
  options: SessionOptions = {},
  constants: ReadonlyMap<string, FixedValues> = new Map(),
): Promise<Session> {
  const driver = await findDriver(options);
  const encoding = driver.encoding(options);
  const bytes = encode(graph, driver.embedsConstants ? { ...encoding, fixed: constants } : encoding);
  const inputs = [...graph.inputs].filter(([name]) => !constants.has(name)).map(portOf);
  const outputs = [...graph.outputs].map(portOf);
  const fixed = Object.fromEntries(
    [...constants].map(([name, values]): [string, RuntimeTensor] => {
      const { dtype = 'float32', shape = [] } = graph.inputs.get(name) ?? {};
      return [name, { dtype, shape: shape as readonly number[], values }];
    }),
  );
  const loaded = await driver.open({ bytes, inputs, outputs, constants: fixed }, options);
  return new Session(loaded, inputs, outputs, fixed, findLookups(graph));
}

function portOf([name, { dtype, shape }]: readonly [string, Tensor]): TensorPort {
  return { name, dtype, shape: shape.map((size) => (typeof size === 'number' ? size : size.key)) };
}

/** A loaded graph; created by {@link createSession}. */
export class Session {
  readonly #ports: Readonly<Record<'input' | 'output', ReadonlyMap<string, TensorPort>>>;
  #loaded: DriverSession | undefined;

  constructor(
    loaded: DriverSession,
    readonly inputs: readonly TensorPort[],
    readonly outputs: readonly TensorPort[],
    /** held so that their memory stays */
    readonly constants: RuntimeTensors = {},
    /** inputs that are indices */
    readonly lookups: readonly Lookup[] = [],
  ) {
    this.#loaded = loaded;
    this.#ports = { input: byName(inputs), output: byName(outputs) };
  }

  /**
   * Runs the graph.
   *
   * @param feeds   one tensor per input
   * @param targets preallocated outputs, written in place; may alias feeds of elementwise operators. Other outputs get
   *                new arrays.
   * @returns       all outputs by name; those preallocated are the given tensors
   * @throws        runtime.unknown_input, missing_feed, shape_mismatch, dtype_mismatch, index_out_of_range, run_failed,
   *                out_of_memory, device_lost, disposed
   */
  async run(feeds: RuntimeTensors, targets: RuntimeTensors = {}): Promise<Record<string, RuntimeTensor>> {
    const loaded = this.#loaded;
    if (loaded === undefined)
      throw new AppError('runtime.disposed', 'run session: it was disposed; create a new one');
    const sizes: SizeBindings = new Map();
    this.#check('input', feeds, sizes);
    for (const { name } of this.inputs) {
      if (feeds[name] === undefined)
        throw new AppError(
          'runtime.missing_feed',
          `run session: input "${name}" has no feed; every input needs one`,
        );
    }
    this.#check('output', targets, sizes);
    checkIndices(this.lookups, feeds, sizes);
    const results = await timed(loaded, feeds, targets);
    return Object.fromEntries(
      this.outputs.map(({ name }) => [name, targets[name] ?? (results[name] as RuntimeTensor)]),
    );
  }

  /** Frees the session; may be called twice. */
  async dispose(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    await loaded?.dispose();
  }

  /** Ends profiling and completes the profile file. */
  endProfiling(): void {
    this.#loaded?.endProfiling?.();
  }

  #check(kind: 'input' | 'output', tensors: RuntimeTensors, sizes: SizeBindings): void {
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
    }
  }
}

async function timed(
  loaded: DriverSession,
  feeds: RuntimeTensors,
  targets: RuntimeTensors,
): Promise<RuntimeTensors> {
  const begin = performance.now();
  try {
    return await loaded.run(feeds, targets);
  } catch (cause) {
    throw (
      findKnownFailure('run session', cause) ??
      new AppError(
        'runtime.run_failed',
        `run session: ${runtimeMessage(cause)}; the feeds match the inputs, so check the graph`,
        { cause },
      )
    );
  } finally {
    runClock.add((performance.now() - begin) / 1000);
  }
}

const byName = (ports: readonly TensorPort[]): ReadonlyMap<string, TensorPort> =>
  new Map(ports.map((port) => [port.name, port]));
