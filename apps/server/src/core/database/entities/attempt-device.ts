/** @file The devices of an attempt, stored with it: its worker may be deleted or have other devices later. */
import { type Device } from '@espalier/protocol';
import { count, text } from '@espalier/protocol/bounds';
import { z } from 'zod';

export class AttemptDevice {
  id!: string;

  kind!: string;

  name!: string;

  threads!: number;

  /** null: unknown */
  memoryMb!: number | null;
}

/** A device of an imported attempt. */
export const importedDevice = z.strictObject({
  id: text(128, { least: 1 }),
  kind: z.enum(['cpu', 'gpu']),
  name: text(200),
  threads: count,
  memoryMb: count.nullable(),
});

/** Selects what does not change while devices are used. */
export function describeDevices(devices: readonly Device[]): AttemptDevice[] {
  return devices.map(({ id, kind, name, threads, memoryMb }) => ({ id, kind, name, threads, memoryMb }));
}
