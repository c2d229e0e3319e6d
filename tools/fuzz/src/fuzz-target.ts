import type { RandomStream } from '@espalier/random';

/** Something that reads untrusted bytes. */
export interface FuzzTarget {
  readonly name: string;
  /** valid inputs to start from */
  readonly corpus: readonly Uint8Array[];
  /** Mutates an input with knowledge of its format; absent: bytes only. */
  readonly mutate?: (stream: RandomStream, input: Uint8Array) => Uint8Array;
  /** keywords of the format, inserted at random */
  readonly words: readonly string[];
  /** maximum input length in bytes; default 8192 */
  readonly maxBytes?: number;
  /** Reads the input; may throw AppError and nothing else. */
  readonly read: (input: Uint8Array) => void;
}
