/** @file The settings of the artifact store. */
import { z } from 'zod';

export const artifactStoreOptions = z.discriminatedUnion('driver', [
  z.strictObject({
    driver: z.literal('directory').describe('a folder on the server’s disk'),
    folder: z
      .string()
      .min(1)
      .default('artifacts')
      .describe('folder; a relative path is resolved in the data folder'),
  }),
  z.strictObject({
    driver: z
      .literal('s3')
      .describe('an S3-compatible bucket; credentials come from the environment, as the AWS SDK finds them'),
    bucket: z.string().min(1).describe('name of the bucket, which has to exist'),
    prefix: z
      .string()
      .regex(/^([^/\\]+(\/[^/\\]+)*)?$/, 'neither begins nor ends with a slash')
      .default('')
      .describe('folder within the bucket; empty: its root'),
    region: z.string().min(1).default('us-east-1').describe('region of the bucket'),
    endpoint: z.string().default('').describe('address of an S3-compatible server; empty: AWS'),
    forcePathStyle: z
      .boolean()
      .default(false)
      .describe('bucket in the path instead of the host name, as most servers other than AWS want it'),
    connectSeconds: z.number().min(0.1).max(600).default(5).describe('how long a connection to it may take'),
    requestSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(60)
      .describe('how long it may take to answer a request, of at most 8 MiB, and be silent while it answers'),
    tries: z.int().min(1).max(20).default(3).describe('tries of a request that it does not answer'),
  }),
]);
export type ArtifactStoreOptions = z.infer<typeof artifactStoreOptions>;
