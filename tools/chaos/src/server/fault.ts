/** @file What a fault is: something done to a stage, undone again, with proof that work went on meanwhile. */
import type { RandomStream } from '@espalier/random';
import type { Stage, StageKind } from './stage.js';
import type { WatchedRun } from './watched-run.js';

export interface Scene {
  readonly stage: Stage;
  /** a run that trains now, and those beside it */
  readonly target: WatchedRun;
  readonly others: readonly WatchedRun[];
  readonly random: RandomStream;
}

export interface Injected {
  /** what went on while the fault was there */
  readonly wentOn: string;
  /** performance.now() when the cause was gone */
  readonly repairedAt: number;
  /** what was special about it */
  readonly note?: string;
}

export interface Fault {
  readonly name: string;
  readonly summary: string;
  /** stages on which it can be done */
  readonly stages: readonly StageKind[];
  /** @returns undefined when it cannot be done now: the run is over, or nothing is left that could go on meanwhile */
  inject(scene: Scene): Promise<Injected | undefined>;
}
