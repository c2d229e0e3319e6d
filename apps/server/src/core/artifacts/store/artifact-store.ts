/**
 * @file Stores the bytes of artifacts by key. A key contains the hash of its content, so that equal keys have equal content
 * and nothing is overwritten. The database knows the run, the size and the hash of each artifact.
 */
import type { Readable } from 'node:stream';
import { AppError, isAppError, isSafePath, safePathRule } from '@espalier/contracts';
import type { ByteRange } from '../byte-range.js';
import { type ArtifactContent, ContentMeter, ContentVerifier, verifyUpload } from './artifact-content.js';

/** A store of immutable bytes. Methods throw `artifact.unavailable` when the store cannot be reached. */
export abstract class ArtifactStore {
  /** Writes a stream under a key, all or nothing; content that is there already stays. */
  protected abstract write(key: string, content: AsyncIterable<Buffer>, bytes?: number): Promise<void>;
  /** Opens an artifact at the first byte of the range. @throws artifact.not_found */
  protected abstract read(key: string, range?: ByteRange): Promise<Readable>;
  protected abstract exists(key: string): Promise<boolean>;
  /** Lists all keys at or below a prefix. */
  protected abstract keys(prefix: string): Promise<string[]>;
  protected abstract erase(prefix: string): Promise<void>;
  protected abstract probe(): Promise<void>;
  /** Releases connections. */
  abstract close(): Promise<void>;

  /**
   * Stores a stream under a key and returns its size.
   *
   * @param announced checked before anything becomes visible
   * @throws artifact.invalid_path, artifact.mismatch, artifact.interrupted
   */
  async put(
    key: string,
    content: Readable,
    announced: Pick<ArtifactContent, 'sha256'> & Partial<ArtifactContent>,
  ): Promise<number> {
    validateKey(key);
    const meter = new ContentMeter();
    try {
      await guard(`store artifact ${key}`, () =>
        this.write(key, verifyUpload(key, content, announced, meter), announced.bytes),
      );
    } finally {
      content.destroy();
    }
    return meter.bytes;
  }

  /**
   * Opens an artifact for reading. The stream fails with `artifact.corrupt` at its end if the bytes are not those that
   * were stored.
   *
   * @param stored size and hash of the complete artifact
   * @param range reads only these bytes; only their number is checked then
   * @throws artifact.not_found
   */
  async open(key: string, stored: ArtifactContent, range?: ByteRange): Promise<Readable> {
    validateKey(key);
    const operation = `read artifact ${key}`;
    const source = await guard(operation, () => this.read(key, range));
    const expected = range === undefined ? stored : { bytes: range.end - range.start + 1 };
    const verifier = new ContentVerifier(key, expected);
    // an early failure stays in the stream until it is read
    verifier.on('error', () => undefined);
    source.once('error', (cause) => verifier.destroy(unavailable(operation, cause)));
    verifier.once('close', () => source.destroy());
    return source.pipe(verifier);
  }

  async has(key: string): Promise<boolean> {
    validateKey(key);
    return guard(`look up artifact ${key}`, () => this.exists(key));
  }

  /** Lists, in order, the keys at or below a prefix; all keys for the empty prefix. */
  async list(prefix: string): Promise<string[]> {
    if (prefix !== '') validateKey(prefix);
    const keys = await guard(`list artifacts below ${JSON.stringify(prefix)}`, () => this.keys(prefix));
    return keys.filter((key) => isBelow(key, prefix)).sort();
  }

  /** Removes everything at or below a prefix; the empty prefix is refused. */
  async remove(prefix: string): Promise<void> {
    validateKey(prefix);
    await guard(`remove artifacts at ${prefix}`, () => this.erase(prefix));
  }

  /** Throws artifact.unavailable unless the store can be used. */
  async check(): Promise<void> {
    await guard('use the artifact store', () => this.probe());
  }
}

/** The error for a key without an artifact. */
export function notFound(key: string): AppError {
  return new AppError('artifact.not_found', `artifact ${key}: nothing is stored under this key`);
}

function isBelow(key: string, prefix: string): boolean {
  return prefix === '' || key === prefix || key.startsWith(`${prefix}/`);
}

function validateKey(key: string): void {
  if (isSafePath(key)) return;
  throw new AppError(
    'artifact.invalid_path',
    `use the artifact key ${JSON.stringify(key.slice(0, 200))}: it is not a plain relative path; ${safePathRule}`,
  );
}

/** Reports what a file system or a bucket throws as `artifact.unavailable`. */
async function guard<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw unavailable(operation, cause);
  }
}

function unavailable(operation: string, cause: unknown): AppError {
  if (isAppError(cause)) return cause;
  return new AppError('artifact.unavailable', `${operation}: ${String(cause)}; try again`, { cause });
}
