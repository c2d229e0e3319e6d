/**
 * @file What a launcher does: it starts, observes and stops workers somewhere, and knows nothing of jobs. One conformance
 * suite holds for all (testing/launcher.suite.ts).
 */

/** A worker to start. */
export interface LaunchOrder {
  /** unique for ever; a second start under one name starts nothing more */
  readonly name: string;
  /** variables of its environment; they hold its key, so they never appear on a command line */
  readonly environment: Readonly<Record<string, string>>;
  /** empty: the launcher's default */
  readonly command: readonly string[];
}

/** A worker that was started, or whose start was interrupted. */
export interface LaunchedRef {
  readonly name: string;
  /** what the launcher calls it, such as the id of a Slurm job; null: its start was interrupted */
  readonly handle: string | null;
}

/** What a launcher sees of a worker. */
export interface Observation {
  /**
   * `refused`: it exists, and the cluster will not run it; `unknown`: where it runs cannot be reached; a worker that is not
   * observed at all does not exist (any more)
   */
  readonly phase: 'pending' | 'refused' | 'running' | 'ended' | 'unknown';
  readonly handle: string;
  /** why it waits, is refused, ended or is unknown, in the words of the cluster; may be empty */
  readonly reason: string;
  /** why the cluster ends it, while it still runs to save */
  readonly ending?: string;
}

/** Starts workers somewhere. Every call throws when the cluster or host refuses it or does not answer in time. */
export interface Launcher {
  /** Starts a worker; resolves with its handle as soon as the cluster has accepted it. */
  start(order: LaunchOrder): Promise<string>;
  /** Observes workers, by name. */
  observe(known: readonly LaunchedRef[]): Promise<ReadonlyMap<string, Observation>>;
  /**
   * Asks a worker to save and stop, or withdraws it if it waits; no error if it does not exist.
   *
   * @param isForced ends it at once
   */
  stop(ref: LaunchedRef, isForced?: boolean): Promise<void>;
  /** Removes what an ended worker has left behind. */
  cleanUp(ref: LaunchedRef): Promise<void>;
}

/** A name that is safe in paths, shell words, and names of jobs and resources. */
export function assertPlainName(name: string): void {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) throw new Error(`"${name}" is no name of a launched worker`);
}
