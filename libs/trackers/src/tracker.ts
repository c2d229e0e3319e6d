/** @file An experiment tracker: another program that shows the metrics of a run. What it is sent is read from the run's folder. */
import type { RunOutcome, RunSpec } from '@espalier/contracts';
import type { HealthSummary } from '@espalier/contracts/health';
import type { MetricRow, StoredTrajectory } from '@espalier/recorder';

/** The run that a tracker is told of. */
export interface TrackedRun {
  /** absolute path of its folder */
  readonly folder: string;
  /** name of the folder; unique among the runs of a machine */
  readonly name: string;
  readonly spec: RunSpec;
}

/** How an attempt of a run ended. */
export interface TrackedEnd {
  readonly outcome: RunOutcome;
  readonly message: string;
  readonly health: HealthSummary | undefined;
  /** ms since the epoch */
  readonly time: number;
}

/** JSON that a tracker keeps in the run's folder, so that a later process goes on with the same run there. */
export type TrackerState = Readonly<Record<string, string | number>>;

/**
 * A run in one tracker. What resolves is kept there; what throws is sent again later.
 *
 * Methods throw `tracker.unavailable` when a later try may succeed, `tracker.refused` when it will not.
 */
export interface Tracker {
  /** what the next process needs */
  readonly state: TrackerState;
  /** Sends rows in the order of the run's metrics file. */
  log(rows: readonly MetricRow[]): Promise<void>;
  /** Sends the trajectories of a completed step; absent: the tracker takes none. */
  trajectories?(step: number, trajectories: readonly StoredTrajectory[], time: number): Promise<void>;
  /** Tells how the attempt ended; a resumed run logs on. */
  end(end: TrackedEnd): Promise<void>;
}

/** Opens a run in a tracker: a new one, or with `state` the one that it was. */
export type OpenTracker = (run: TrackedRun, state: TrackerState | undefined) => Promise<Tracker>;
