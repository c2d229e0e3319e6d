/** @file What an attempt ran on, kept with it: its worker may be forgotten, or have other devices by then. */
import { type Device } from '@espalier/protocol';
import { count, text } from '@espalier/protocol/bounds';
import { z } from 'zod';

export class AttemptDevice {
  id!: string;

  kind!: string;

  name!: string;

  threads!: number;

  memoryMb!: number;
}

/** The same in what is imported. */
export const importedDevice = z.strictObject({
  id: text(128, { least: 1 }),
  kind: z.enum(['cpu', 'gpu']),
  name: text(200),
  threads: count,
  memoryMb: z.number().min(0),
});

/** Keeps of devices what does not change while they are used. */
export function describeDevices(devices: readonly Device[]): AttemptDevice[] {
  return devices.map(({ id, kind, name, threads, memoryMb }) => ({ id, kind, name, threads, memoryMb }));
}
