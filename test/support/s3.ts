/** @file A real S3-compatible server in this process, with one bucket in a temporary folder. */
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';

interface S3Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type S3ServerClass = new (options: {
  address: string;
  port: number;
  silent: boolean;
  directory: string;
  configureBuckets: readonly { name: string }[];
}) => S3Server;

export interface S3Service {
  readonly endpoint: string;
  readonly bucket: string;
  /** where the server keeps its objects */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Starts the server and sets the credentials it accepts in this process's environment. */
export async function startS3(): Promise<S3Service> {
  const S3rver = createRequire(import.meta.url)('s3rver') as S3ServerClass;
  const folder = mkdtempSync(join(tmpdir(), 'espalier-s3-'));
  const bucket = 'artifacts';
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  process.env['AWS_ACCESS_KEY_ID'] = 'S3RVER';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'S3RVER';
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    folder,
    stop: async () => {
      await server.close();
      removeFolder(folder);
    },
  };
}
