/** @file A trajectory as frames, one after another: each turn's state, what was written, what was done; then the end. Pure functions. */
import type { TrajectoryDetails } from '@espalier/client';

type Turn = TrajectoryDetails['turns'][number];

export interface Frame {
  /** index of the turn */
  readonly turn: number;
  readonly part: 'state' | 'reply' | 'actions' | 'end';
}

export function framesOf(turns: readonly Pick<Turn, 'index'>[]): Frame[] {
  const frames = turns.flatMap(({ index: turn }): Frame[] => [
    { turn, part: 'state' },
    { turn, part: 'reply' },
    { turn, part: 'actions' },
  ]);
  const last = turns.at(-1);
  return last === undefined ? [] : [...frames, { turn: last.index, part: 'end' }];
}

/** What was earned before a frame and in it. */
export const earnedAt = (turns: readonly Pick<Turn, 'index' | 'reward'>[], { turn, part }: Frame): number =>
  turns
    .filter(({ index }) => index < turn || (index === turn && (part === 'actions' || part === 'end')))
    .reduce((sum, { reward }) => sum + reward, 0);

export const speeds = [0.5, 1, 2, 4] as const;
/** How long a frame is shown at speed 1, ms. The pace is steady: it is not the recorded one. */
export const frameMs = 900;
