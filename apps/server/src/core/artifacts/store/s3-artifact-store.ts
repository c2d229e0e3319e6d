/**
 * @file Artifacts in an S3-compatible bucket. An object appears only when its upload is complete. Credentials come from the
 * SDK's own chain (environment, profile, instance); they are never part of our settings.
 */
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ArtifactStoreOptions } from '../../../config/storage-options.js';
import type { ByteRange } from '../byte-range.js';
import { ArtifactStore, notFound } from './artifact-store.js';

type S3Options = Extract<ArtifactStoreOptions, { driver: 's3' }>;

/** Size of one part, bytes; S3 takes 10,000 parts of at least 5 MiB. */
const partBytes = 8 * 1024 * 1024;
const maxParts = 10_000;
const deletesAtOnce = 16;

/** Artifacts in a bucket. */
export class S3ArtifactStore extends ArtifactStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  /** precedes every key: empty, or ends with a slash */
  readonly #prefix: string;

  constructor({ bucket, prefix, endpoint, ...options }: S3Options) {
    super();
    this.#bucket = bucket;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.#client = new S3Client({
      region: options.region,
      forcePathStyle: options.forcePathStyle,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: options.tries,
      requestHandler: {
        connectionTimeout: options.connectSeconds * 1000,
        requestTimeout: options.requestSeconds * 1000,
        throwOnRequestTimeout: true,
        socketTimeout: 2 * options.requestSeconds * 1000,
      },
      ...(endpoint === '' ? {} : { endpoint }),
    });
  }

  /** A part at a time, so that many uploads take little memory. */
  protected override async write(key: string, content: AsyncIterable<Buffer>, bytes = 0): Promise<void> {
    const body = Readable.from(content, { objectMode: false });
    const params = { ...this.#object(key), Body: body };
    const partSize = Math.max(partBytes, Math.ceil(bytes / maxParts));
    try {
      await new Upload({ client: this.#client, params, partSize, queueSize: 1 }).done();
    } catch (cause) {
      // the SDK reports a failed abort instead of the failure that led to it
      throw body.errored ?? cause;
    }
  }

  protected override async read(key: string, range?: ByteRange): Promise<Readable> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ ...this.#object(key), ...part }));
      return Body as Readable;
    } catch (cause) {
      throw isMissing(cause) ? notFound(key) : cause;
    }
  }

  protected override async exists(key: string): Promise<boolean> {
    try {
      await this.#client.send(new HeadObjectCommand(this.#object(key)));
      return true;
    } catch (cause) {
      if (isMissing(cause)) return false;
      throw cause;
    }
  }

  protected override async keys(prefix: string): Promise<string[]> {
    const where = { Bucket: this.#bucket, Prefix: `${this.#prefix}${prefix}` };
    const keys: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, where))
      keys.push(...Contents.map(({ Key = '' }) => Key.slice(this.#prefix.length)));
    return keys;
  }

  protected override async erase(prefix: string): Promise<void> {
    const keys = await this.list(prefix);
    for (let from = 0; from < keys.length; from += deletesAtOnce) {
      const deletes = keys
        .slice(from, from + deletesAtOnce)
        .map((key) => this.#client.send(new DeleteObjectCommand(this.#object(key))));
      await Promise.all(deletes);
    }
  }

  protected override async probe(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
  }

  close(): Promise<void> {
    this.#client.destroy();
    return Promise.resolve();
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && ['NotFound', 'NoSuchKey'].includes(cause.name);
}
