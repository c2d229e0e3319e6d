import type { JobState } from '@espalier/protocol';

/** By which an attempt of an imported run is written to. */
export interface ImportHandle {
  readonly runId: string;
  readonly attemptId: string;
  readonly token: number;
  /** last sequence of the attempt that is stored */
  readonly acked: number;
}

/** What the announcement of a run is answered with; the handle is that of its newest attempt. */
export interface ImportAnswer extends ImportHandle {
  readonly name: string;
  /** `importing` until its end was told; in any other state there is nothing to do */
  readonly state: JobState;
  /** it was made just now; false: it is one that was announced before */
  readonly isNew: boolean;
  /** the run held something else when it was announced */
  readonly isChanged: boolean;
  /** what has arrived already, by attempt */
  readonly attempts: readonly { readonly attempt: number; readonly acked: number }[];
}
