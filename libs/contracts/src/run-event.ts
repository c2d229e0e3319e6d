import type { Trajectory } from './trajectory.js';

/** Everything a run can say, in the order it happens. Each event also carries `time` (ms since epoch). */
export type RunEvent =
  | {
      readonly kind: 'run-started';
      readonly time: number;
      readonly runId: string;
      readonly attempt: number;
      readonly step: number;
      readonly steps: number;
    }
  | {
      readonly kind: 'phase';
      readonly time: number;
      readonly step: number;
      readonly phase: Phase;
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly kind: 'metrics';
      readonly time: number;
      readonly step: number;
      readonly values: Readonly<Record<string, number>>;
    }
  | {
      readonly kind: 'trajectory';
      readonly time: number;
      readonly step: number;
      readonly trajectory: Trajectory;
      readonly kept: boolean;
    }
  | { readonly kind: 'checkpoint'; readonly time: number; readonly step: number; readonly folder: string }
  | {
      readonly kind: 'warning';
      readonly time: number;
      readonly step: number;
      readonly code: string;
      readonly message: string;
    }
  | {
      readonly kind: 'run-ended';
      readonly time: number;
      readonly step: number;
      readonly outcome: RunOutcome;
      readonly message: string;
    };

export const phases = ['collect', 'score', 'select', 'credit', 'update', 'validate', 'save'] as const;
/** A stretch of an iteration. */
export type Phase = (typeof phases)[number];

/** `no-signal`: ended early, because nothing was left to learn from. */
export type RunOutcome = 'finished' | 'no-signal' | 'interrupted' | 'failed';

/** How far a file that only grows was written at some moment. */
export interface FileMark {
  readonly bytes: number;
  /** of these bytes, in hexadecimal */
  readonly sha256: string;
}

/** Takes what a run says; never throws back into the run. */
export interface EventSink {
  emit(event: RunEvent): void;
  /** Resolves when everything emitted so far is safe. */
  flush(): Promise<void>;
  /** How far each file that a resumed run is cut back to is written after `flush`; by absolute path. */
  marks?(): Readonly<Record<string, FileMark>>;
}
