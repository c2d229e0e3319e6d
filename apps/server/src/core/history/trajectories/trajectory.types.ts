/** @file What queries about trajectories give. */
import type { TrajectoryEntity } from '../../database/entities/trajectory.js';

export class TrajectoryCounts {
  steps!: readonly number[];

  matching!: readonly number[];

  all!: readonly number[];
}

export class TrajectorySpan {
  kind!: string;

  start!: number;

  end!: number;

  turn!: number;
}

export class TrajectoryTurn {
  index!: number;

  observation!: string;

  render!: string;

  response!: string;

  think!: string;

  answer!: string;

  formatValid!: boolean;

  parsedActions!: readonly string[];

  actions!: readonly unknown[];

  reward!: number;

  formatPenalty!: number;

  sampleStop!: string;

  sampled!: Readonly<Record<string, number>>;

  facts!: Readonly<Record<string, unknown>>;

  timings!: Readonly<Record<string, number>>;
}

export class TrajectoryScore {
  environment!: number;

  formatPenalty!: number;

  rewards!: Readonly<Record<string, unknown>>;

  perTurn!: readonly number[];

  total!: number;
}

export class TrajectoryDetail {
  id!: string;

  row!: TrajectoryEntity;

  tokens!: readonly number[];

  logprobs!: readonly (number | null)[];

  entropies!: readonly (number | null)[];

  spans!: readonly TrajectorySpan[];

  turns!: readonly TrajectoryTurn[];

  score!: TrajectoryScore;

  seeds!: unknown;

  totalMs!: number;
}
