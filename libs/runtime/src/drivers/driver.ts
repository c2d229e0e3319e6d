/**
 * @file What a driver is: a library that opens sessions for graphs. `session.ts` checks every feed before a driver sees
 * it and counts the time, so a driver only computes.
 */
import type { EncodeOptions } from '@espalier/graph';
import type { DeviceMemory } from '../mirrored-array.js';
import type { RuntimeTensor, TensorPort } from '../runtime-tensor.js';
import type { Provider } from './provider.js';

/** The libraries that run graphs. */
export const driverNames = ['onnxruntime-node', 'native', 'openvino'] as const;
export type DriverName = (typeof driverNames)[number];

/** The options that may have chosen a driver, to be left out by whoever would do without it. */
export const choosersOf: Readonly<Record<DriverName, string>> = {
  'onnxruntime-node': 'device.driver',
  native: 'device.driver and device.provider',
  openvino: 'device.driver and device.precision',
};

/** What matrix products are computed in; it does not change the types of feeds and results. */
export type Precision = 'float32' | 'tf32' | 'bf16';

/** Options of a session. */
export interface SessionOptions {
  /** Default: native on cuda and webgpu, openvino for bf16, else onnxruntime-node. */
  readonly driver?: DriverName;
  /** Default float32; tf32 needs a GPU, bf16 a GPU or the driver openvino and a processor that computes in it. */
  readonly precision?: Precision;
  /** Default cpu. */
  readonly provider?: Provider;
  /** Threads inside one operator; default: OMP_NUM_THREADS, else one for each core, or for each processor that this process may run on where that is not all. */
  readonly threads?: number;
  /** Writes a profile of every operator to files with this prefix; openvino does not. */
  readonly profilePrefix?: string;
}

/** Feeds and results by name. */
export type RuntimeTensors = Readonly<Record<string, RuntimeTensor>>;

/** What a session is opened for. */
export interface DriverSource {
  /** the ONNX model, without the constants */
  readonly bytes: Uint8Array;
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
  /** inputs that are constants; the driver may read them until the session is disposed */
  readonly constants: RuntimeTensors;
}

/** A library that opens sessions. */
export interface Driver {
  readonly name: DriverName;
  /** What it runs on. */
  readonly providers: readonly Provider[];
  /** Which operators the model may use, and what its products are computed in. */
  encoding(options: SessionOptions): Pick<EncodeOptions, 'target' | 'products' | 'isRewritten'>;
  /** False: constants stay inputs of the bytes, and the driver feeds them. */
  readonly embedsConstants: boolean;
  /** @throws runtime.driver_unavailable, provider_unavailable, unsupported_precision, session_failed */
  open(source: DriverSource, options: SessionOptions): Promise<DriverSession>;
  /** The memory of a provider's device, where feeds and results may stay; default: the host's alone. */
  openMemory?(provider: Provider): Promise<DeviceMemory | undefined>;
  /** Opens the library; what it is, and what it computes in here. @throws runtime.driver_unavailable */
  probe(): Promise<{ readonly finding: string; readonly precisions: readonly Precision[] }>;
}

/** A loaded graph. */
export interface DriverSession {
  /**
   * Runs the graph on checked feeds: one per input.
   *
   * @param targets outputs to write in place; may alias feeds
   * @returns       the other outputs
   * @throws        whatever the library reports; session.ts makes it a typed error
   */
  run(feeds: RuntimeTensors, targets: RuntimeTensors): Promise<RuntimeTensors>;
  dispose(): Promise<void>;
  /** Ends profiling and completes the profile file. */
  endProfiling?(): void;
}
