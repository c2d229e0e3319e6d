/**
 * @file Artifacts in an S3-compatible bucket. Small content goes up in one request, larger in parts; an object appears
 * only when its upload is completed. The hash is kept in the object's metadata, which has to be given before the bytes:
 * content without an announced hash is therefore spooled to a temporary file first.
 * Two servers that store different content under one key at the same moment are not told apart; keys hold the attempt.
 * Credentials come from the SDK's own chain (environment, profile, instance); they are never part of our settings.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { ByteRange } from '../byte-range.js';
import {
  checkAnnounced,
  checkSame,
  fromSource,
  isBelow,
  Meter,
  notFound,
  type StoredContent,
  unavailable,
} from './artifact-store.js';
import { KeyedArtifactStore, type OpenedContent } from './keyed-artifact-store.js';

/** Where the bucket is. */
export interface S3Place {
  readonly bucket: string;
  /** prepended to every key, with a slash between; empty for none */
  readonly prefix: string;
  readonly region: string;
  /** address of an S3-compatible server; empty for AWS */
  readonly endpoint: string;
  readonly forcePathStyle: boolean;
  readonly connectSeconds: number;
  readonly requestSeconds: number;
  readonly tries: number;
}

/** Size of one part, bytes; S3 takes 10,000 parts of at least 5 MiB. */
const partBytes = 8 * 1024 * 1024;
const mostParts = 10_000;

/** Artifacts in a bucket. */
export class S3ArtifactStore extends KeyedArtifactStore {
  /** A listing does not carry metadata; a few questions at a time do. */
  protected readonly atOnce = 16;
  readonly #client: S3Client;
  readonly #place: S3Place;

  constructor(place: S3Place) {
    super();
    this.#place = place;
    this.#client = new S3Client({
      region: place.region,
      forcePathStyle: place.forcePathStyle,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: place.tries,
      requestHandler: {
        connectionTimeout: place.connectSeconds * 1000,
        requestTimeout: place.requestSeconds * 1000,
        throwOnRequestTimeout: true,
        socketTimeout: 2 * place.requestSeconds * 1000,
      },
      ...(place.endpoint === '' ? {} : { endpoint: place.endpoint }),
    });
  }

  protected override async receive(
    key: string,
    content: Readable,
    expected: Partial<StoredContent>,
  ): Promise<StoredContent> {
    const present = await this.look(key);
    if (present !== undefined) return await compare(key, content, expected, present);
    if (expected.sha256 !== undefined)
      return await this.#upload(key, fromSource(key, content), expected.sha256, expected);
    return await this.#spool(key, content, expected);
  }

  protected override async read(key: string, range: ByteRange | undefined): Promise<OpenedContent> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    try {
      const answer = await this.#client.send(new GetObjectCommand({ ...this.#object(key), ...part }));
      return { source: answer.Body as Readable, stored: contentOf(answer) };
    } catch (cause) {
      throw isMissing(cause) ? notFound(key) : cause;
    }
  }

  protected override async look(key: string): Promise<StoredContent | undefined> {
    try {
      return contentOf(await this.#client.send(new HeadObjectCommand(this.#object(key))));
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      throw unavailable(`look up artifact ${key}`, cause);
    }
  }

  protected override async erase(_prefix: string, keys: readonly string[]): Promise<void> {
    await this.inTurns(keys, (part) =>
      Promise.all(part.map((key) => this.#client.send(new DeleteObjectCommand(this.#object(key))))),
    );
  }

  async check(): Promise<void> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#place.bucket }));
    } catch (cause) {
      throw unavailable(`use the bucket ${this.#place.bucket}`, cause);
    }
  }

  close(): Promise<void> {
    this.#client.destroy();
    return Promise.resolve();
  }

  #object(key: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#place;
    return { Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` };
  }

  protected override async keys(prefix: string): Promise<readonly string[]> {
    const { Bucket, Key } = this.#object(prefix);
    const cut = this.#place.prefix === '' ? 0 : this.#place.prefix.length + 1;
    const keys: string[] = [];
    try {
      let from: string | undefined;
      do {
        const page = await this.#client.send(
          new ListObjectsV2Command({
            Bucket,
            Prefix: Key,
            ...(from === undefined ? {} : { ContinuationToken: from }),
          }),
        );
        keys.push(...(page.Contents ?? []).map((entry) => (entry.Key ?? '').slice(cut)));
        from = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (from !== undefined);
    } catch (cause) {
      throw unavailable(`list artifacts below ${JSON.stringify(prefix)}`, cause);
    }
    return keys.filter((key) => isBelow(key, prefix)).sort();
  }

  /** Learns hash and size from a temporary file, then uploads that. */
  async #spool(key: string, content: Readable, expected: Partial<StoredContent>): Promise<StoredContent> {
    const folder = await mkdtemp(join(tmpdir(), 'espalier-artifact-'));
    try {
      const file = join(folder, 'content');
      const meter = new Meter();
      await pipeline(fromSource(key, content), meter, createWriteStream(file));
      const found = meter.total();
      checkAnnounced(key, found, expected);
      return await this.#upload(key, createReadStream(file), found.sha256, found);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Sends a stream whose hash is announced; what does not keep the promise is never completed. */
  async #upload(
    key: string,
    content: AsyncIterable<Buffer>,
    sha256: string,
    expected: Partial<StoredContent>,
  ): Promise<StoredContent> {
    const size = Math.max(partBytes, Math.ceil((expected.bytes ?? 0) / mostParts));
    const meter = new Meter();
    const parts = cut(content, size, meter);
    const first = await parts.next();
    const second = first.done === true ? first : await parts.next();
    const target = { ...this.#object(key), Metadata: { sha256 } };
    if (second.done === true) {
      const found = meter.total();
      checkAnnounced(key, found, expected);
      await this.#client.send(
        new PutObjectCommand({ ...target, Body: first.value ?? Buffer.alloc(0), ContentLength: found.bytes }),
      );
      return found;
    }
    return await this.#uploadParts(target, [first.value as Buffer, second.value as Buffer], parts, () => {
      const found = meter.total();
      checkAnnounced(key, found, expected);
      return found;
    });
  }

  async #uploadParts(
    target: { Bucket: string; Key: string; Metadata: { sha256: string } },
    begun: readonly Buffer[],
    rest: AsyncIterable<Buffer>,
    verify: () => StoredContent,
  ): Promise<StoredContent> {
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(target));
    const upload = { Bucket: target.Bucket, Key: target.Key, UploadId };
    try {
      const done: { ETag: string | undefined; PartNumber: number }[] = [];
      const send = async (Body: Buffer) => {
        const PartNumber = done.length + 1;
        const { ETag } = await this.#client.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
        done.push({ ETag, PartNumber });
      };
      for (const part of begun) await send(part);
      for await (const part of rest) await send(part);
      const found = verify();
      await this.#client.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: done } }),
      );
      return found;
    } catch (cause) {
      // The first failure is the one to tell; parts of an upload that cannot even be aborted expire by the bucket's rules.
      await this.#client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
      throw cause;
    }
  }
}

/** Cuts a stream into pieces of one size, the last one smaller. */
async function* cut(
  content: AsyncIterable<Buffer>,
  size: number,
  meter: Meter,
): AsyncGenerator<Buffer, undefined> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    meter.add(chunk);
    held.push(chunk);
    bytes += chunk.length;
    while (bytes >= size) {
      const all = Buffer.concat(held);
      yield all.subarray(0, size);
      held = [all.subarray(size)];
      bytes -= size;
    }
  }
  if (bytes > 0) yield Buffer.concat(held);
  return undefined;
}

/** Reads content for a key that is taken, and accepts it only if it is the same. */
async function compare(
  key: string,
  content: Readable,
  expected: Partial<StoredContent>,
  present: StoredContent,
): Promise<StoredContent> {
  const meter = new Meter();
  for await (const chunk of fromSource(key, content)) meter.add(chunk);
  const found = meter.total();
  checkAnnounced(key, found, expected);
  checkSame(key, found, present);
  return found;
}

/** What an answer of the bucket tells of an object. */
function contentOf(answer: {
  readonly ContentLength?: number | undefined;
  readonly Metadata?: Readonly<Record<string, string>> | undefined;
}): StoredContent {
  return { bytes: answer.ContentLength ?? 0, sha256: answer.Metadata?.['sha256'] ?? '' };
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && ['NotFound', 'NoSuchKey'].includes(cause.name);
}
