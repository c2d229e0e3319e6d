/** @file What a worker has to offer, as it announces it. */
import { z } from 'zod';

/** A device of a worker: one GPU, or one slot of its processors. */
export const deviceSchema = z.object({
  id: z.string().min(1).max(128).describe('unique on its worker: `cpu-0`, or the UUID of a GPU'),
  kind: z.enum(['cpu', 'gpu']),
  index: z.int().min(0).describe('of its kind, from 0; a GPU’s number for CUDA_VISIBLE_DEVICES'),
  name: z.string().max(200).describe('what a person calls it, such as NVIDIA H200'),
  threads: z.int().min(0).default(0).describe('processor threads of a CPU slot; 0 for a GPU'),
  memoryMb: z.number().min(0).describe('all its memory, MiB'),
  freeMemoryMb: z.number().min(0).describe('free memory, MiB'),
  utilisation: z.number().min(0).max(1).nullable().default(null).describe('share of time at work, 0 to 1'),
  powerWatts: z.number().min(0).nullable().default(null).describe('electric power, W'),
  temperatureCelsius: z.number().nullable().default(null),
  faults: z
    .array(z.string().max(300))
    .max(32)
    .default([])
    .describe('what speaks against using it; empty: healthy'),
});
export type Device = z.infer<typeof deviceSchema>;
