/** @file What a plan says of the driver of a run: which bits are promised, and how far memory is predicted. */
import { isAppError, type RunSpec } from '@espalier/contracts';
import type { ModelConfig } from '@espalier/model';
import { resolveDriver } from '@espalier/runtime';
import { requireDevice } from '../local/require-device.js';
import { formatBytes } from '../view/numbers.js';
import type { RunEstimate } from './estimate-run.js';
import type { MachineLimits } from './plan-warnings.js';
import { asTyped } from '../typed-commands.js';

type Device = Pick<RunSpec['device'], 'provider' | 'precision' | 'driver' | 'memoryMb'>;

/** Whether the same seed gives the same bits, as tests hold for each driver. */
export interface PromisedBits {
  readonly isPromised: boolean;
  /** driver and precision that it is said of */
  readonly by: string;
  /** what they depend on besides the seed, where that is known */
  readonly dependsOn?: string;
}

/**
 * Numbers that OpenVINO adds up in bf16 with the same bits for any number of rows and threads. Of more it rounds sums on the
 * way in some shapes: 960 never differed in 1,024 rows on one thread or two, 1,000 did (docs/log/2026-11.md).
 */
const EXACT_TERMS = 960;

export function promiseBits(device: Device, { shape }: Pick<ModelConfig, 'shape'>): PromisedBits {
  const { provider, precision } = device;
  const driver = resolveDriver(device);
  const by = `${driver} in ${precision}${provider === 'cpu' ? '' : ` on ${provider}`}`;
  if (provider !== 'cpu') return { isPromised: false, by };
  const { vocabularySize, hiddenSize, intermediateSize, headCount, headSize } = shape;
  const most = Math.max(vocabularySize, hiddenSize, intermediateSize, headCount * headSize);
  if (driver !== 'openvino' || precision !== 'bf16' || most <= EXACT_TERMS) return { isPromised: true, by };
  return {
    isPromised: false,
    by,
    dependsOn: `device.threads and, where device.sampling is bf16, on what is sampled together (sums of ${most} numbers, of which it rounds parts)`,
  };
}

export function describeBits({ isPromised, by, dependsOn }: PromisedBits): string {
  if (dependsOn !== undefined) return `not promised by ${by}: they depend on ${dependsOn}`;
  return isPromised
    ? `the same for the same seed, on any number of threads, resumed or not, by ${by}; another driver, precision or kind of processor has others`
    : `not promised by ${by}: the same seed may end with others`;
}

/**
 * How much more than predicted a run may take: memory is predicted for ONNX Runtime. Runs of 2 and 13 M parameters took 2.7 and 2.9 times
 * as much by OpenVINO in float32 and 1.7 and 2.0 times in bf16 (docs/log/2026-11.md, "what a step keeps").
 */
const mostMemory = (device: Device): number =>
  resolveDriver(device) === 'openvino' ? (device.precision === 'bf16' ? 2 : 2.9) : 1;

/** @param gpuBytes memory of the GPU that computes, where it is known */
export function describeMemory(device: Device, peakBytes: number, gpuBytes?: number): string {
  const most = mostMemory(device);
  const bytes = formatBytes(peakBytes);
  if (device.provider === 'cuda') {
    const given = device.memoryMb === undefined ? '' : ', but with device.memoryMb';
    return gpuBytes === undefined
      ? `about ${bytes} at its peak on the GPU, not compared with its memory${given}: no NVIDIA GPU is found here (see espalier doctor)`
      : `about ${bytes} at its peak on the GPU, which has ${formatBytes(gpuBytes)}`;
  }
  if (device.provider === 'webgpu')
    return `about ${bytes} at its peak on the GPU, whose memory WebGPU does not tell; compared with that of this machine, which many GPUs share`;
  return most === 1
    ? `about ${bytes} at its peak`
    : `about ${bytes} at its peak if ONNX Runtime trained; OpenVINO is not predicted and took up to ${most} times as much, ${formatBytes(most * peakBytes)}, where it was measured`;
}

/** What a run is predicted to hold at its peak. */
export interface PeakBytes {
  /** with episodes as long as a teacher's */
  readonly expected: number;
  /** with all turns, and all tokens of every reply */
  readonly most: number;
}

/** What longer episodes may add, where it is worth a word. */
export const describeMost = (device: Device, { expected, most }: PeakBytes): string =>
  most < 1.05 * expected
    ? ''
    : `, ${formatBytes(mostMemory(device) * most)} if all replies are as long as they may be`;

/** Warns where what fits as predicted may not fit as measured, or with longer replies. */
export function listMemoryWarnings(
  device: Device,
  { expected, most }: PeakBytes,
  { memoryBytes, gpuBytes = Infinity }: Pick<MachineLimits, 'memoryBytes' | 'gpuBytes'>,
): string[] {
  const there = device.provider === 'cuda' ? gpuBytes : memoryBytes;
  const limit = Math.min(there, (device.memoryMb ?? Infinity) * 2 ** 20);
  if (expected > limit) return [];
  const limits = `of which there are ${formatBytes(limit)}`;
  const measured = mostMemory(device) * expected;
  if (measured > limit)
    return [
      `memory: OpenVINO may take ${formatBytes(measured)}, ${limits}; lower update.microBatchTokens, or choose device.precision float32 without device.driver`,
    ];
  const longest = mostMemory(device) * most;
  if (longest <= limit) return [];
  return [
    `memory: ${formatBytes(longest)} if all replies are as long as they may be, ${limits}; lower rollout.maxResponseTokens, rollout.contextTokens, or rollout.promptsPerStep and validation.episodes`,
  ];
}

/** Warns where the context ends a good part of a teacher's episodes. */
export function listCutWarnings(
  { rollout: { contextTokens = 0 } }: Pick<RunSpec, 'rollout'>,
  { expected: { cutShare, wholeTokens } }: { readonly expected: RunEstimate['expected'] },
): string[] {
  if (cutShare < 0.1) return [];
  return [
    `rollout.contextTokens ${contextTokens}: ${Math.round(100 * cutShare)} % of the episodes of a teacher do not fit, and end early; the longest takes ${wholeTokens} tokens, replies of the model may take more`,
  ];
}

/** Warns where this machine does not compute as the device asks; the one that trains may. */
export async function listDeviceWarnings(device: Device, require = requireDevice): Promise<string[]> {
  try {
    await require(device);
    return [];
  } catch (error) {
    if (!isAppError(error)) throw error;
    return [`device: ${asTyped(error.message)}; a run on this machine ends at its start`];
  }
}
