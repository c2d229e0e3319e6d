/** @file What a worker has to offer, as it announces it. */
import { z } from 'zod';
import { count, text } from './bounds.js';

const counter = z.number().min(0).nullable().default(null);
const flag = z.boolean().nullable().default(null);

/** Error counters of a GPU; null: not reported. */
export const deviceErrors = z.object({
  corrected: counter.describe('memory errors corrected since the driver was loaded'),
  uncorrected: counter.describe('memory errors not corrected since the driver was loaded'),
  uncorrectedEver: counter.describe('memory errors not corrected in its life'),
  retiredPages: counter.describe('memory pages retired for uncorrected errors, before Ampere'),
  remappedRows: counter.describe('memory rows replaced for uncorrected errors, from Ampere on'),
  repairPending: flag.describe('a page or row is replaced with the next reset; it can be used until then'),
  repairFailed: flag.describe('there is no spare row left: the GPU has to be replaced'),
  recoveryAction: text(60)
    .nullable()
    .default(null)
    .describe(
      'what the driver asks for after a fault (XID): None, Reset, Reboot, Drain P2P, Drain and Reset',
    ),
});
export type DeviceErrors = z.infer<typeof deviceErrors>;

/** A device of a worker: one GPU, or one slot of its processors. */
export const deviceSchema = z.object({
  id: text(128, { least: 1 }).describe('unique on its worker: `cpu-0`, or the UUID of a GPU'),
  kind: z.enum(['cpu', 'gpu']).describe('what it is'),
  index: count.describe('of its kind, from 0; a GPU’s number for CUDA_VISIBLE_DEVICES'),
  name: text(200).describe('what a person calls it, such as NVIDIA H200'),
  threads: count.default(0).describe('processor threads of a CPU slot; 0 for a GPU'),
  memoryMb: count.describe('all its memory, MiB'),
  freeMemoryMb: count.describe('free memory, MiB'),
  utilisation: z.number().min(0).max(1).nullable().default(null).describe('share of time at work, 0 to 1'),
  powerWatts: z.number().min(0).nullable().default(null).describe('electric power, W'),
  temperatureCelsius: z.number().nullable().default(null).describe('temperature, °C'),
  errors: deviceErrors
    .nullable()
    .default(null)
    .describe('error counters of a GPU, as far as it reports them'),
  faults: z.array(text(300)).max(32).default([]).describe('what speaks against using it; empty: healthy'),
});
export type Device = z.infer<typeof deviceSchema>;
