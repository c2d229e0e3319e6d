/** @file The results of queries about trajectories. */
import type { FailureLabel } from '@espalier/contracts/failure-labels';
import type { UpdateOutcome } from '@espalier/contracts/update-record';
import type { StoredTrajectory } from '@espalier/recorder';
import type { TrajectoryEntity } from '../../database/entities/trajectory.js';

export class TrajectoryCounts {
  steps!: readonly number[];

  matching!: readonly number[];

  all!: readonly number[];
}

export class DroppedGroup {
  reason!: string;

  numbers!: Readonly<Record<string, number | null>>;
}

export class TrajectorySpan {
  kind!: string;

  start!: number;

  end!: number;

  turn!: number;
}

export class TokenWindow {
  start!: number;

  firstTurn!: number;
}

export class TrajectoryAction {
  text!: string;

  valid!: boolean;

  effective!: boolean;

  slipped!: boolean | null;

  reward!: number;

  metrics!: Readonly<Record<string, number>>;
}

export class TokenRange {
  start!: number;

  end!: number;
}

export class TurnTimings {
  sampleMs!: number;

  environmentMs!: number;
}

export class RolloutSeeds {
  state!: number;

  noise!: number;

  sampling!: number;
}

export class RewardScore {
  name!: string;

  value!: number;

  weight!: number;
}

export class RewardEvidence {
  reward!: string;

  turn!: number;

  start!: number;

  end!: number;

  value!: number;

  note!: string;
}

export class TrajectoryTurn {
  index!: number;

  observation!: string;

  stateKey!: string;

  render!: string;

  image!: string | null;

  plan!: readonly string[] | null;

  response!: string;

  think!: string;

  answer!: string;

  formatValid!: boolean;

  parsedActions!: readonly string[];

  actions!: readonly TrajectoryAction[];

  reward!: number;

  formatPenalty!: number;

  sampleStop!: string;

  sampled!: TokenRange;

  policyVersion!: number | null;

  facts!: Readonly<Record<string, unknown>>;

  timings!: TurnTimings;
}

export class TrajectoryLabel {
  name!: FailureLabel;

  turn!: number;
}

export class TrajectoryScore {
  environment!: number;

  formatPenalty!: number;

  rewards!: readonly RewardScore[];

  perTurn!: readonly number[];

  evidence!: readonly RewardEvidence[];

  total!: number;
}

export class TrajectoryUpdate {
  outcome!: UpdateOutcome;

  lossTokens!: number;

  clippedTokens!: number | null;

  share!: number | null;

  policyVersion!: number | null;

  hasTokens!: boolean;

  firstPassSteps!: number | null;

  lastPassSteps!: number | null;
}

export class TrajectoryDetail {
  id!: string;

  row!: TrajectoryEntity;

  previousId!: string | null;

  nextId!: string | null;

  level!: number | null;

  tokens!: readonly number[];

  logprobs!: readonly (number | null)[];

  entropies!: readonly (number | null)[];

  textEnds!: readonly number[] | null;

  spans!: readonly TrajectorySpan[];

  windows!: readonly TokenWindow[];

  turns!: readonly TrajectoryTurn[];

  labels!: readonly TrajectoryLabel[];

  score!: TrajectoryScore;

  seeds!: RolloutSeeds;

  totalMs!: number;

  update!: TrajectoryUpdate | null;
}

/** A trajectory, and what was stored of it, for pages of its tokens. */
export interface ReadTrajectory extends TrajectoryDetail {
  readonly stored: StoredTrajectory;
}
