import type { DroppedGroup } from './group-filter.js';
import type { ChangedSetting, HealthFinding, HealthState, HealthSummary, MonitorAction } from './health.js';
import type { TurnInFlight } from './in-flight.js';
import type { runOutcomes } from './run-outcomes.js';
import type { Trajectory } from './trajectory.js';
import type { UpdateRecord } from './update-record.js';

/** An event of a run, in order of occurrence. `time` is in ms since the epoch. */
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
      /** why its group was dropped */
      readonly dropped?: DroppedGroup | undefined;
      /** what the update did to it; absent: validation */
      readonly update?: UpdateRecord | undefined;
    }
  | {
      /** a curriculum was promoted, or demoted, after a step */
      readonly kind: 'level';
      readonly time: number;
      readonly step: number;
      /** in a run of several environments */
      readonly environmentTag?: string;
      /** levels, from 1 */
      readonly from: number;
      readonly to: number;
      readonly levels: number;
      /** over the newest groups at the level `from` */
      readonly successRate: number;
      readonly groups: number;
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
      readonly kind: 'monitor';
      readonly time: number;
      readonly step: number;
      /** the health of the run from now on */
      readonly state: HealthState;
      readonly previous: HealthState;
      /** what is done about it; null: nothing, as health got better */
      readonly action: MonitorAction | null;
      /** step of the checkpoint that a roll-back returned to; null: there was none */
      readonly restored: number | null;
      /** settings that a roll-back has changed */
      readonly changes: readonly ChangedSetting[];
      /** the rules that fire, the worst first */
      readonly findings: readonly HealthFinding[];
      /** what was found, in a sentence or a few */
      readonly message: string;
    }
  | {
      readonly kind: 'run-ended';
      readonly time: number;
      readonly step: number;
      readonly outcome: RunOutcome;
      readonly message: string;
      /** what the run has come to; absent: the monitor has checked nothing */
      readonly health?: HealthSummary | undefined;
    };

export const phases = ['collect', 'credit', 'update', 'validate', 'save'] as const;
/** A part of an iteration, or validation or saving, as reported in progress. */
export type Phase = (typeof phases)[number];

/** How a run ended. */
export type RunOutcome = (typeof runOutcomes)[number];

/** The length of an append-only file at some moment. */
export interface FileMark {
  readonly bytes: number;
  /** of these bytes, hexadecimal */
  readonly sha256: string;
}

/** Receives the events of a run; never throws into the run. */
export interface EventSink {
  emit(event: RunEvent): void;
  /** Follows episodes while they are played: those turns that changed; absent: nobody does. */
  follow?(turns: readonly TurnInFlight[]): void;
  /** Resolves when everything emitted so far is durable. */
  flush(): Promise<void>;
  /** Lengths, after `flush`, of the files that a resumed run truncates, by absolute path. */
  marks?(): Readonly<Record<string, FileMark>>;
}
