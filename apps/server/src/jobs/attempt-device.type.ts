/** @file What an attempt ran on, kept with it: its worker may be forgotten, or have other devices by then. */
import { type Device } from '@espalier/protocol';
import { count, text } from '@espalier/protocol/bounds';
import { Field, Float, Int, ObjectType } from '@nestjs/graphql';
import { z } from 'zod';

@ObjectType({ description: 'A device of an attempt, as it was when the attempt was placed.' })
export class AttemptDevice {
  @Field(() => String, { description: 'Unique on its host: `cpu-0`, or the UUID of a GPU.' })
  id!: string;

  @Field(() => String, { description: '`cpu` or `gpu`.' })
  kind!: string;

  @Field(() => String, { description: 'What a person calls it, such as NVIDIA H200.' })
  name!: string;

  @Field(() => Int, { description: 'Processor threads; 0 for a GPU.' })
  threads!: number;

  @Field(() => Float, { description: 'All its memory, MiB.' })
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
