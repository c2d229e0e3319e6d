/** @file Where a chat begins, as it stands in the address: `chat` has the step, `chatTurn` a turn of the open trajectory. */
import type { SearchChange } from '../routing/router.js';

export interface ChatPlace {
  /** of the checkpoint, or the nearest before it; Infinity: the newest */
  readonly step: number;
  readonly trajectory: string | undefined;
  /** from 0; undefined: a new conversation */
  readonly turn: number | undefined;
  /** the recorded reply of the turn is part of it */
  readonly isAfter: boolean;
}

const whole = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

export function placeOf(search: URLSearchParams, trajectory: string | undefined): ChatPlace {
  const turn = trajectory === undefined ? undefined : whole(search.get('chatTurn'));
  return {
    step: whole(search.get('chat')) ?? Infinity,
    trajectory,
    turn: turn === undefined || turn === 0 ? undefined : turn - 1,
    isAfter: search.get('chatAfter') === '1',
  };
}

/** What opens a chat from a turn, from 0. */
export const fromTurn = (turn: number): SearchChange => ({
  chat: 'newest',
  chatTurn: String(turn + 1),
  chatAfter: undefined,
});
