/**
 * @file What one tracker has of a run, and the sending of what it lacks. The run's own files are the source: they hold
 * everything, whether the tracker answers or not, and a tracker that was away gets what it missed.
 *
 * `trackers/<name>-<hash>.json` in the run's folder counts the rows that were sent. A run that resumes writes the rows after
 * its checkpoint again, the same ones; they are not sent twice.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, runLayout } from '@espalier/contracts';
import { createFolder, createLock, describeOwner, saveWholeFile, writeFailed } from '@espalier/files';
import { listTrajectorySteps, readTrajectories } from '@espalier/recorder';
import { createMetricFollower } from './metric-follower.js';
import type { TrackedEnd, TrackedRun, Tracker, TrackerState } from './tracker.js';
import type { NamedTracker } from './tracker-target.js';

/** Rows in one call of a tracker: some hundred values each. */
const rowsPerCall = 50;

interface Sent {
  /** rows of the metrics file */
  readonly rows: number;
  /** newest step whose trajectories were sent */
  readonly trajectoryStep: number;
  /** time of the end that was told, ms since the epoch; absent: none, or the run has gone on since */
  readonly end?: number | undefined;
  readonly state?: TrackerState | undefined;
}

export interface Shipment {
  /**
   * Sends what the tracker lacks; with `end` also the trajectories of the newest step, and the end.
   *
   * @throws tracker.unavailable, tracker.refused, recorder.corrupt_log, recorder.write_failed
   */
  send(end?: TrackedEnd): Promise<void>;
  /** Rows of the run that the tracker has, and those that it lacks. */
  count(): { readonly sent: number; readonly waiting: number };
  /** Lets another process send. */
  release(): void;
}

/**
 * Prepares to send a run to a tracker; nothing is sent yet.
 *
 * @throws tracker.in_use when another process sends this run there
 */
export function createShipment(run: TrackedRun, { name, shown, open }: NamedTracker): Shipment {
  const hash = createHash('sha256').update(shown).digest('hex').slice(0, 8);
  const folder = join(run.folder, runLayout.trackers);
  const file = join(folder, `${name}-${hash}.json`);
  createFolder(folder, `report to ${name}`);
  const lock = createLock(
    `${file}.lock`,
    (owner) =>
      new AppError(
        'tracker.in_use',
        `send ${run.folder} to ${name} (${shown}): ${describeOwner(owner)} does so already; wait for it`,
      ),
  );
  const follower = createMetricFollower(join(run.folder, runLayout.metrics));
  let sent = loadSent(file);
  let tracker: Tracker | undefined;
  /** step → when its newest row was written, for steps whose trajectories are still to be sent */
  const times = new Map<number, number>();
  const keep = (change: Partial<Sent>): void => {
    sent = { ...sent, ...change };
    try {
      saveWholeFile(file, `${JSON.stringify({ to: shown, ...sent }, null, 2)}\n`);
    } catch (error) {
      throw writeFailed(file, error);
    }
  };
  /** Opened by the first thing to send, so that a run without rows makes none there. */
  const opened = async (): Promise<Tracker> => {
    if (tracker === undefined) {
      tracker = await open(run, sent.state);
      keep({ state: tracker.state, end: undefined });
    }
    return tracker;
  };
  const sendTrajectories = async (upTo: number, time: number): Promise<void> => {
    const path = join(run.folder, runLayout.trajectories);
    const steps = listTrajectorySteps(path).filter((step) => step > sent.trajectoryStep && step <= upTo);
    for (const step of steps) {
      const to = await opened();
      if (to.trajectories === undefined) return;
      await to.trajectories(step, readTrajectories(path, { step }), times.get(step) ?? time);
      times.delete(step);
      keep({ trajectoryStep: step });
    }
  };
  return {
    async send(end) {
      for (let rows = follower.read(sent.rows); rows.length > 0; rows = follower.read(sent.rows)) {
        const part = rows.slice(0, rowsPerCall);
        const to = await opened();
        await to.log(part);
        keep({ rows: sent.rows + part.length });
        for (const { step, time } of part) times.set(step, time);
        const newest = part.at(-1);
        // those of the newest step may still be written
        if (newest !== undefined) await sendTrajectories(newest.step - 1, newest.time);
      }
      if (end === undefined || end.time === sent.end) return;
      await sendTrajectories(Number.POSITIVE_INFINITY, end.time);
      await (await opened()).end(end);
      keep({ end: end.time });
    },
    count: () => ({ sent: sent.rows, waiting: follower.read(sent.rows).length }),
    release: () => lock.release(),
  };
}

function loadSent(file: string): Sent {
  const none: Sent = { rows: 0, trajectoryStep: -1 };
  if (!existsSync(file)) return none;
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Sent>;
    if (Number.isSafeInteger(value.rows) && Number.isSafeInteger(value.trajectoryStep))
      return { ...none, ...value };
  } catch {
    // said below
  }
  throw new AppError(
    'trainer.corrupt_run',
    `read "${file}": it does not say what was sent; delete it to send the whole run again, to a new run of the tracker`,
  );
}
