/** @file Episodes while they are played: what is told of them, and how much. */
import type { StopReason } from './trajectory.js';

/** What is told of episodes in flight: how much of each text, and how many episodes of a step. */
export const inFlightLimits = {
  /** characters of each text of a turn */
  text: 2000,
  /** characters of a picture; a larger one is left out */
  image: 16_384,
  /** of a step; the ones that begin later are not told of */
  episodes: 1024,
} as const;

/** What a turn in flight is at. */
export const turnPhases = {
  sampling: 'the model writes',
  acting: 'the environment acts',
  over: 'it is over',
} as const;
export type TurnPhase = keyof typeof turnPhases;

/** A turn of an episode that is being played: its state, and once it is over what came of it. Never stored. */
export interface TurnInFlight {
  readonly time: number;
  /** step that the episode is sampled for */
  readonly step: number;
  /** of the trajectory that it will be: split/step/group/index */
  readonly id: string;
  readonly environment: string;
  /** from 0 */
  readonly turn: number;
  readonly phase: TurnPhase;
  /** null: it was told before, as were `render` and `image` */
  readonly observation: string | null;
  readonly render: string | null;
  /** base64 of a PNG; null: none is drawn, or it was told before */
  readonly image: string | null;
  /** what the model wrote; null: it is still writing */
  readonly response: string | null;
  readonly actions: readonly string[];
  readonly reward: number;
  /** of the episode up to this turn, those turns included that were not told of */
  readonly totalReward: number;
  /** why the episode ended with this turn; null: it goes on */
  readonly ended: StopReason | null;
}
