/** @file What is read from a line of somebody else's records, before a tokenizer makes a trajectory of it. */
import type { RecordedReply } from '@espalier/endpoint';

export interface RecordedEpisode {
  /** the same for episodes of one task */
  readonly task: string;
  /** name of the environment there */
  readonly environment: string;
  readonly replies: readonly RecordedReply[];
  /** by name, unweighted, with its weight */
  readonly rewards: Readonly<Record<string, { readonly value: number; readonly weight: number }>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly error: string | undefined;
  readonly totalMs: number;
}
