/** @file A fault: injected into a cluster and reverted, with evidence that training continued meanwhile. */
import type { RandomStream } from '@espalier/random';
import type { Cluster, ClusterKind } from './cluster.js';
import type { WatchedRun } from './watched-run.js';

export interface FaultContext {
  readonly cluster: Cluster;
  /** a run that is training, and the other runs */
  readonly target: WatchedRun;
  readonly others: readonly WatchedRun[];
  readonly random: RandomStream;
}

export interface Injected {
  /** what continued during the fault */
  readonly evidence: string;
  /** performance.now() when the fault was reverted */
  readonly repairedAt: number;
  /** ms until the run went on, of a fault that is reverted only then; default: measured from `repairedAt` */
  readonly recoveryMs?: number;
  /** a variant of the fault */
  readonly note?: string;
}

export interface Fault {
  readonly name: string;
  readonly summary: string;
  /** kinds of clusters that it applies to */
  readonly clusters: readonly ClusterKind[];
  /** @returns undefined when it cannot be injected now: the run is over, or nothing else is training */
  inject(context: FaultContext): Promise<Injected | undefined>;
}
