/** @file Episodes while they are played, as the feed of changes tells of them. */
import type { StopReason } from '@espalier/contracts';
import type { TurnPhase } from '@espalier/contracts/in-flight';

/** A turn that is played, or was just played. */
export class TurnInFlight {
  turn!: number;
  phase!: TurnPhase;
  observation!: string;
  render!: string;
  image!: string | null;
  response!: string | null;
  actions!: readonly string[];
  reward!: number | null;
}

/** An episode that is played, or was just played. */
export class TrajectoryInFlight {
  runId!: string;
  id!: string;
  step!: number;
  environment!: string;
  startedAt!: number;
  updatedAt!: number;
  /** the newest one */
  turn!: number;
  phase!: TurnPhase;
  /** what the model wrote last, its beginning */
  preview!: string;
  reward!: number | null;
  /** the newest ones, oldest first */
  turns!: readonly TurnInFlight[];
  ended!: StopReason | null;
}
