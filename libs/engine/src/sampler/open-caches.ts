/** @file Where keys and values are: in the memory of this process, or of a device with addresses, or with buffers. */
import { copiesBlocks, type DeviceMemory, type SessionOptions } from '@espalier/runtime';
import { BufferCache } from './buffer-cache.js';
import { CacheMover } from './cache-mover.js';
import { type CacheMemory, CacheSlab, type CacheSlabShape } from './cache-slab.js';
import { DeviceCache } from './device-cache.js';
import type { SamplingPrecision } from './sampling-sessions.js';
import { StepWriter } from './step-writer.js';

export interface Caches {
  create(): CacheMemory;
  dispose(): Promise<void>;
}

/** @param memory of the device that computes; undefined: this process computes */
export function openCaches(
  shape: CacheSlabShape,
  options: {
    readonly session: SessionOptions;
    readonly precision?: SamplingPrecision | undefined;
    readonly memory?: DeviceMemory | undefined;
  },
): Caches {
  const { memory, session, precision } = options;
  if (memory === undefined) {
    const dtype = precision === 'bf16' ? 'bfloat16' : 'float32';
    return { create: () => new CacheSlab(shape, dtype), dispose: async () => undefined };
  }
  if (!copiesBlocks(memory)) {
    const mover = new CacheMover(shape, session);
    return { create: () => new BufferCache(shape, mover), dispose: () => mover.dispose() };
  }
  const writer = new StepWriter(shape, session);
  return {
    create: () => new DeviceCache(shape, memory, writer),
    dispose: () => writer.dispose(),
  };
}
