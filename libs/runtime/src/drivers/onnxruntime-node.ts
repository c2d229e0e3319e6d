/**
 * @file The default driver: the package onnxruntime-node, with nothing to set up. Feeds are not copied on the CPU; the
 * binding copies every output once, so keep large tensors out of the outputs. A run blocks the JavaScript thread;
 * sampling and training therefore have their own process.
 */
import { AppError } from '@espalier/contracts';
import { startedThreads } from '@espalier/contracts/values';
import type { DType } from '@espalier/graph';
import ort from 'onnxruntime-node';
import { discardArray } from '../discard-result.js';
import { findKnownFailure } from '../known-failure.js';
import { type EntryArray, type RuntimeTensor, writable } from '../runtime-tensor.js';
import type { Driver, DriverSession, DriverSource, RuntimeTensors, SessionOptions } from './driver.js';
import { runtimeMessage } from './provider.js';

export const onnxruntimeNode: Driver = {
  name: 'onnxruntime-node',
  providers: ['cpu'],
  embedsConstants: true,
  encoding: () => ({ target: 'cpu' }),
  open,
  async probe() {
    const version = ort.env.versions.node ?? ort.env.versions.common;
    return { finding: `${version}; on the CPU`, precisions: ['float32'] };
  },
};

async function open(
  { bytes, constants, outputs }: DriverSource,
  options: SessionOptions,
): Promise<DriverSession> {
  // errors are thrown; the runtime would repeat them on stderr
  ort.env.logLevel = 'fatal';
  const externalData = Object.entries(constants).map(([path, { values }]) => ({
    path,
    data: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  }));
  try {
    const native = await ort.InferenceSession.create(bytes, {
      ...ortOptions(options),
      ...(externalData.length === 0 ? {} : { externalData }),
    });
    const names = outputs.map(({ name }) => name);
    return {
      run: (feeds, targets) => run(native, names, feeds, targets),
      dispose: () => native.release(),
      endProfiling: () => native.endProfiling(),
    };
  } catch (cause) {
    const known = findKnownFailure('create session', cause);
    if (known !== undefined) throw known;
    throw new AppError(
      'runtime.session_failed',
      `create session: the runtime rejected the graph: ${runtimeMessage(cause)}; run check on it`,
      { cause },
    );
  }
}

function ortOptions(options: SessionOptions): ort.InferenceSession.SessionOptions {
  const { threads = startedThreads(), profilePrefix } = options;
  return {
    executionProviders: ['cpu'],
    // merging equal nodes would undo recomputation
    graphOptimizationLevel: 'disabled',
    // a plan per set of shapes would hold a second copy of the arena
    enableMemPattern: false,
    enableCpuMemArena: true,
    executionMode: 'sequential',
    logSeverityLevel: 3,
    ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
    ...(profilePrefix === undefined ? {} : { enableProfiling: true, profileFilePrefix: profilePrefix }),
    extra: { session: { set_denormal_as_zero: '1', intra_op: { allow_spinning: '1' } } },
  };
}

async function run(
  native: ort.InferenceSession,
  names: readonly string[],
  feeds: RuntimeTensors,
  targets: RuntimeTensors,
): Promise<RuntimeTensors> {
  const fetches = Object.fromEntries(
    names.map((name) => [
      name,
      targets[name] === undefined ? null : toOrt(targets[name], writable(targets[name])),
    ]),
  );
  const ortFeeds = Object.fromEntries(
    Object.entries(feeds).map(([name, tensor]) => [name, toOrt(tensor, tensor.values)]),
  );
  const results = await native.run(ortFeeds, fetches);
  discardCopies(results, targets);
  return Object.fromEntries(
    names
      .filter((name) => targets[name] === undefined)
      .map((name) => [name, fromOrt(results[name] as ort.Tensor)]),
  );
}

/** The binding copies also what it wrote in place. */
function discardCopies(results: ort.InferenceSession.OnnxValueMapType, targets: RuntimeTensors): void {
  for (const [name, target] of Object.entries(targets)) {
    const copy = (results[name] as ort.Tensor).data as EntryArray;
    if (copy.buffer !== target.values.buffer) discardArray(copy);
  }
}

function toOrt({ dtype, shape }: RuntimeTensor, values: EntryArray): ort.Tensor {
  return new ort.Tensor(dtype as 'float32', values as Float32Array, shape as number[]);
}

function fromOrt(tensor: ort.Tensor): RuntimeTensor {
  return { dtype: tensor.type as DType, shape: tensor.dims, values: tensor.data as EntryArray };
}
