import type { StopReason, Turn } from '@espalier/contracts';

/** A turn as it is played: what the model is shown, then also what it wrote, and at last what came of it. */
export interface WatchedTurn extends Pick<Turn, 'index' | 'observation' | 'render' | 'image'> {
  /** id of the environment */
  readonly environment: string;
  /** what the model wrote, once it has */
  readonly response?: string;
  readonly played?: Turn;
  /** how the episode ended with it */
  readonly ended?: StopReason;
}
