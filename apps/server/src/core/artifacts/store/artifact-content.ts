/** @file Counts, hashes and checks the bytes of artifacts as they pass through. */
import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { AppError, isAppError } from '@espalier/contracts';

export interface ArtifactContent {
  readonly bytes: number;
  /** SHA-256 of the bytes, 64 lower-case hexadecimal digits */
  readonly sha256: string;
}

/** Counts and hashes what passes through. */
export class ContentMeter extends Transform {
  readonly #hash = createHash('sha256');
  bytes = 0;

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: null, chunk: Buffer) => void,
  ): void {
    this.add(chunk);
    done(null, chunk);
  }

  /** Counts a chunk without passing it on. */
  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
  }

  /** Returns what has passed; call it once, at the end. */
  total(): ArtifactContent {
    return { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }
}

/** A {@link ContentMeter} that fails at the end unless exactly the expected content has passed. */
export class ContentVerifier extends ContentMeter {
  /** @param expected without a hash, only the number of bytes is checked */
  constructor(
    private readonly key: string,
    private readonly expected: Partial<ArtifactContent> & Pick<ArtifactContent, 'bytes'>,
  ) {
    super();
  }

  override _flush(done: (error?: Error | null) => void): void {
    const [found, { bytes, sha256 }] = [this.total(), this.expected];
    if (sha256 === undefined ? found.bytes === bytes : found.sha256 === sha256) return done(null);
    const finding =
      sha256 === undefined
        ? `${found.bytes} bytes of a range are there, expected were ${bytes}`
        : `its ${found.bytes} bytes hash to ${found.sha256}, stored were ${bytes} bytes of ${sha256}`;
    done(
      new AppError(
        'artifact.corrupt',
        `read artifact ${this.key}: ${finding}; the store has damaged or truncated it`,
      ),
    );
  }
}

/**
 * Passes an upload on, and fails before its end if it is not what was announced.
 *
 * @throws artifact.mismatch; artifact.interrupted when its source fails
 */
export async function* verifyUpload(
  key: string,
  source: Readable,
  announced: Partial<ArtifactContent>,
  meter: ContentMeter,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) {
      const bytes = Buffer.from(chunk as Uint8Array);
      meter.add(bytes);
      yield bytes;
    }
  } catch (cause) {
    if (isAppError(cause)) throw cause;
    throw new AppError(
      'artifact.interrupted',
      `store artifact ${key}: the upload was interrupted (${String(cause)}); nothing was stored, send it again`,
      { cause },
    );
  }
  const found = meter.total();
  for (const field of ['bytes', 'sha256'] as const)
    if (announced[field] !== undefined && announced[field] !== found[field])
      throw new AppError(
        'artifact.mismatch',
        `store artifact ${key}: ${field} is ${found[field]}, announced was ${announced[field]}; nothing was stored, send it again`,
        { details: { key, found, expected: announced } },
      );
}
