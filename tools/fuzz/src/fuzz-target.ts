import type { RandomStream } from '@espalier/random';

/** Something that reads untrusted bytes. */
export interface FuzzTarget {
  readonly name: string;
  /** valid inputs to start from */
  readonly corpus: readonly Uint8Array[];
  /** Changes an input in ways that know its format; absent = bytes only. */
  readonly mutate?: (stream: RandomStream, input: Uint8Array) => Uint8Array;
  /** words that mean something in the format, inserted now and then */
  readonly words: readonly string[];
  /** longest input that is tried, in bytes; default 8192 */
  readonly maxBytes?: number;
  /** Reads the input; may throw AppError and nothing else. */
  readonly read: (input: Uint8Array) => void;
}
