/** @file A run as a report reads it, wherever it is stored. Adapters for run folders and servers are in the apps. */
import type { DroppedGroup } from '@espalier/contracts/group-filter';
import type { UpdateRecord } from '@espalier/contracts/update-record';
import type { RunEvent, Trajectory } from '@espalier/contracts';
import type { StateOutcome } from '@espalier/rollout/estimates';

/** A value of a metric; NaN: it was not finite. */
export type Point = readonly [step: number, value: number];

/** What came of an initial state in a validation. */
export interface ValidatedState extends StateOutcome {
  /** the run learns from this environment */
  readonly trained: boolean;
}

export type ReportEvent = Extract<RunEvent, { kind: 'monitor' | 'warning' | 'run-ended' }>;

export interface ReportedTrajectory extends Trajectory {
  readonly kept: boolean;
  readonly dropped?: DroppedGroup | undefined;
  readonly update?: Pick<UpdateRecord, 'outcome'> | undefined;
}

/** What a later reader needs to repeat the run; null: not known. */
export interface Origin {
  readonly host: string | null;
  readonly gitRevision: string | null;
  readonly versions: Readonly<Record<string, string>> | null;
  readonly plugins:
    | readonly {
        readonly kind: string;
        readonly id: string;
        readonly version: string;
        readonly sha256: string;
      }[]
    | null;
}

export interface ReportRun {
  /** what citations call it; unique within a report */
  readonly key: string;
  /** the folder, or the id on a server */
  readonly address: string;
  readonly spec: Readonly<Record<string, unknown>>;
  /** an outcome of the trainer, a state of the server, or `killed`: its newest attempt has not ended, and its process is gone */
  readonly state: string;
  readonly message: string;
  /** steps it has completed */
  readonly step: number;
  readonly steps: number;
  readonly series: Readonly<Record<string, readonly Point[]>>;
  readonly events: readonly ReportEvent[];
  readonly validations: ReadonlyMap<number, readonly ValidatedState[]>;
  readonly origin: Origin;
  /** steps whose trajectories are stored, ascending */
  readonly trajectorySteps: readonly number[];
  /** @throws AppError when they cannot be read */
  readTrajectories(step: number): Promise<readonly ReportedTrajectory[]>;
}

/** States after which nothing is added to a run. */
const ended = new Set(['finished', 'no-signal', 'collapsed', 'failed', 'cancelled']);

export const hasEnded = ({ state }: Pick<ReportRun, 'state'>): boolean => ended.has(state);

/** The last step of which nothing is missing: a run that goes on may add to its newest. */
export const wholeStep = (run: Pick<ReportRun, 'state' | 'step'>): number =>
  hasEnded(run) ? run.step : run.step - 1;

/** The values of a metric that are finite. */
export function finitePoints({ series }: Pick<ReportRun, 'series'>, metric: string): readonly Point[] {
  return (series[metric] ?? []).filter(([, value]) => Number.isFinite(value));
}

/** Gives names to runs: without the signs that citations use, and each its own. */
export function nameRuns(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name.replaceAll(/[^\p{L}\p{N}._+-]+/gu, '-').replace(/^-{1,9}|-{1,9}$/g, '') || 'run';
    let key = plain;
    for (let number = 2; taken.has(key); number++) key = `${plain}-${number}`;
    taken.add(key);
    return key;
  });
}
