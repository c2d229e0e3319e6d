/**
 * @file Where the bytes of artifacts are kept, by key: the strategy, its rules for keys, and what both drivers share.
 * A key is written once and never overwritten. Which run an artifact belongs to is known to the database, not here.
 */
import { createHash, type Hash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { AppError, isAppError, isSafePath, safePathRule } from '@espalier/contracts';
import type { ByteRange } from '../byte-range.js';

/** What is known about stored bytes. */
export interface StoredContent {
  readonly bytes: number;
  /** SHA-256 of the bytes, 64 lower-case hexadecimal digits */
  readonly sha256: string;
}

export interface StoredArtifact extends StoredContent {
  readonly key: string;
}

/** A store of immutable bytes. Methods throw `artifact.unavailable` when the store cannot be reached. */
export interface ArtifactStore {
  /**
   * Stores a stream under a key, all or nothing. The same content again is accepted and changes nothing.
   *
   * @param expected what the content was announced to be; checked before anything becomes visible
   * @throws artifact.invalid_key, artifact.mismatch, artifact.conflict (other content there), artifact.interrupted
   */
  put(key: string, content: Readable, expected?: Partial<StoredContent>): Promise<StoredContent>;
  /**
   * Opens an artifact for reading; the stream fails with `artifact.corrupt` at its end if its hash is not the stored one.
   *
   * @param range reads only these bytes, from the first of them on; only their number is checked then
   */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** Looks up an artifact; throws artifact.not_found. */
  stat(key: string): Promise<StoredArtifact>;
  /** Lists, by key, what lies at or below a key; everything for the empty prefix. */
  list(prefix: string): Promise<readonly StoredArtifact[]>;
  /** Deletes what lies at or below a key and returns how many artifacts that were; the empty prefix is refused. */
  remove(prefix: string): Promise<number>;
  /** Throws artifact.unavailable unless the store can be used. */
  check(): Promise<void>;
  /** Releases connections. */
  close(): Promise<void>;
}

/** Checks that a key is a safe relative path with forward slashes; throws `artifact.invalid_key`. */
export function checkKey(key: string): void {
  if (isSafePath(key)) return;
  throw new AppError(
    'artifact.invalid_key',
    `use the artifact key ${JSON.stringify(key.slice(0, 200))}: it is not a plain relative path; ${safePathRule}`,
  );
}

/** Tells whether a key is a prefix itself or lies below it. */
export function isBelow(key: string, prefix: string): boolean {
  return prefix === '' || key === prefix || key.startsWith(`${prefix}/`);
}

/** Counts and hashes what passes through. */
export class Meter extends Transform {
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: null, chunk: Buffer) => void,
  ): void {
    this.add(chunk);
    done(null, chunk);
  }

  /** Counts a piece without passing it on. */
  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** What has passed; to be asked once, at the end. */
  total(): StoredContent {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/** A {@link Meter} that fails at the end unless exactly the expected content has passed. */
export class Verifier extends Meter {
  /** @param expected without a hash, only the number of bytes is checked */
  constructor(
    private readonly key: string,
    private readonly expected: Partial<StoredContent> & Pick<StoredContent, 'bytes'>,
  ) {
    super();
  }

  override _flush(done: (error?: Error | null) => void): void {
    const [found, { bytes, sha256 }] = [this.total(), this.expected];
    const isRight = sha256 === undefined ? found.bytes === bytes : found.sha256 === sha256;
    const finding =
      sha256 === undefined
        ? `${found.bytes} bytes of a range are there, expected were ${bytes}`
        : `its ${found.bytes} bytes hash to ${found.sha256}, stored were ${bytes} bytes of ${sha256}`;
    done(
      isRight
        ? null
        : new AppError(
            'artifact.corrupt',
            `read artifact ${this.key}: ${finding}; the store has damaged or cut it`,
          ),
    );
  }
}

/** Refuses content that is not what was announced. */
export function checkAnnounced(key: string, found: StoredContent, expected: Partial<StoredContent>): void {
  for (const field of ['bytes', 'sha256'] as const) {
    const announced = expected[field];
    if (announced !== undefined && announced !== found[field])
      throw new AppError(
        'artifact.mismatch',
        `store artifact ${key}: ${field} is ${found[field]}, announced was ${announced}; nothing was kept`,
        { details: { key, found, expected } },
      );
  }
}

/** Refuses other content under a key that is taken. */
export function checkSame(key: string, found: StoredContent, present: StoredContent): void {
  if (found.sha256 !== present.sha256)
    throw new AppError(
      'artifact.conflict',
      `store artifact ${key}: it already holds ${present.sha256}, not ${found.sha256}; artifacts are never overwritten`,
    );
}

/** The refusal for a key without an artifact. */
export function notFound(key: string): AppError {
  return new AppError('artifact.not_found', `artifact ${key}: nothing is stored under this key`);
}

/** Wraps what a file system or a bucket threw. */
export function unavailable(attempt: string, cause: unknown): AppError {
  return isAppError(cause)
    ? cause
    : new AppError('artifact.unavailable', `${attempt}: ${String(cause)}; the call can be tried again`, {
        cause,
      });
}

/** Reads the source of an upload to its end; what it throws is told as `artifact.interrupted`. */
export async function* fromSource(key: string, content: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of content) yield Buffer.from(chunk as Uint8Array);
  } catch (cause) {
    if (isAppError(cause)) throw cause;
    throw new AppError(
      'artifact.interrupted',
      `store artifact ${key}: the content broke off (${String(cause)}); nothing was kept`,
      { cause },
    );
  }
}
