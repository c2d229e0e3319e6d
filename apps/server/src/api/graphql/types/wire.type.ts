/** @file Object types made from schemas of the wire: devices, needs and plugins. */
import { deviceErrors, deviceSchema, jobNeeds, pluginVersion } from '@espalier/protocol';
import { Field, type FieldMiddleware, ObjectType } from '@nestjs/graphql';
import { DeviceKindEnum } from '../enums.js';
import { typeOfSchema } from './from-schema.js';

export const PluginVersionType = typeOfSchema(
  'PluginVersion',
  'A state of a plugin: its version and the hash of its files.',
  pluginVersion,
);

export const JobNeedsType = typeOfSchema('JobNeeds', 'What a job requests of a worker.', jobNeeds, {
  kind: DeviceKindEnum,
});

const DeviceErrorsType = typeOfSchema(
  'DeviceErrors',
  'What a GPU counts and remembers of its errors; null: it does not report it.',
  deviceErrors,
);

export const DeviceType = typeOfSchema(
  'Device',
  'A device of a worker: a GPU, or a slot of its processors.',
  deviceSchema,
  { kind: DeviceKindEnum, errors: DeviceErrorsType },
);

@ObjectType({ description: 'The version of a library.' })
export class LibraryVersion {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its version.' })
  version!: string;
}

/** Versions are stored by name. */
export const listVersions: FieldMiddleware = async (_context, next) => {
  const versions = ((await next()) as Record<string, string> | null | undefined) ?? null;
  return versions === null
    ? null
    : Object.entries(versions).map(([name, version]): LibraryVersion => ({ name, version }));
};
