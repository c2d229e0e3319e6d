/**
 * @file Reads little-endian numbers and strings one after another from a file of known size. Every length is compared
 * with what is left of the file before anything is read or allocated.
 */
import { AppError } from '@espalier/contracts';

/** Gives bytes of a file, end exclusive; asked only for ranges inside it. */
export type TakeBytes = (begin: number, end: number) => Uint8Array;

/** Bytes that are fetched at once. */
const windowBytes = 1 << 18;

/** The error of bytes that are not a whole GGUF file. */
export function malformedGguf(source: string, finding: string, cause?: unknown): AppError {
  return new AppError('model.malformed_gguf', `${source}: ${finding}`, { details: { source }, cause });
}

export class ByteCursor {
  position = 0;
  #window: DataView = new DataView(new ArrayBuffer(0));
  #windowStart = 0;
  readonly #text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  /** @param limit reading past this place is refused */
  constructor(
    private readonly take: TakeBytes,
    private readonly size: number,
    private readonly limit: number,
    private readonly source: string,
  ) {}

  /** Bytes that are left of the file. */
  get left(): number {
    return this.size - this.position;
  }

  /** Refuses the file. @throws model.malformed_gguf */
  fail(finding: string, cause?: unknown): never {
    throw malformedGguf(this.source, `${finding}; copy or download the file again`, cause);
  }

  uint8(): number {
    return this.#next(1, 'a number').getUint8(0);
  }

  int8(): number {
    return this.#next(1, 'a number').getInt8(0);
  }

  uint16(): number {
    return this.#next(2, 'a number').getUint16(0, true);
  }

  int16(): number {
    return this.#next(2, 'a number').getInt16(0, true);
  }

  uint32(): number {
    return this.#next(4, 'a number').getUint32(0, true);
  }

  int32(): number {
    return this.#next(4, 'a number').getInt32(0, true);
  }

  float32(): number {
    return this.#next(4, 'a number').getFloat32(0, true);
  }

  float64(): number {
    return this.#next(8, 'a number').getFloat64(0, true);
  }

  /** Reads 64 bits; beyond 2^53 the nearest number. */
  uint64(): number {
    return Number(this.#next(8, 'a number').getBigUint64(0, true));
  }

  int64(): number {
    return Number(this.#next(8, 'a number').getBigInt64(0, true));
  }

  /**
   * Reads how many things follow.
   *
   * @param leastBytes that one of them takes in the file
   */
  count(what: string, leastBytes: number): number {
    const count = this.uint64();
    if (count * leastBytes > this.left)
      this.fail(
        `at byte ${this.position} ${count} ${what} are announced, but only ${this.left} bytes follow; the file is cut short or corrupt`,
      );
    return count;
  }

  string(what: string): string {
    const length = this.count(`bytes of ${what}`, 1);
    const { buffer, byteOffset } = this.#next(length, what);
    try {
      return this.#text.decode(new Uint8Array(buffer, byteOffset, length));
    } catch (cause) {
      return this.fail(`${what} at byte ${this.position - length} is not UTF-8`, cause);
    }
  }

  #next(length: number, what: string): DataView {
    const begin = this.position;
    if (length > this.left)
      this.fail(`the file ends at byte ${this.size}, within ${what} at byte ${begin}; it is cut short`);
    if (begin + length > this.limit) this.fail(`the header is longer than ${this.limit} bytes`);
    const offset = begin - this.#windowStart;
    this.position += length;
    if (offset + length <= this.#window.byteLength)
      return new DataView(this.#window.buffer, this.#window.byteOffset + offset, length);
    const bytes = this.take(begin, Math.min(this.size, begin + Math.max(length, windowBytes)));
    this.#window = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#windowStart = begin;
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }
}
