/**
 * @file Moments of death, drawn from a seed. A moment drawn evenly over the clock would rarely meet a checkpoint,
 * which takes milliseconds; so the stretch is dealt from a shuffled deck first, and the moment drawn evenly over
 * the time that the stretch takes in an uninterrupted run.
 */
import type { RandomStream } from '@espalier/random';
import type { Life, Moment, Stretch } from './life.js';

/** The stretches that must have been met for the experiment to mean something. */
export const wholeLife: readonly Stretch[] = ['start-up', 'rollout', 'update', 'checkpoint', 'validation'];

export interface Moments {
  /** @param isFirst of a run; later lives are shorter, so only their first stretches are aimed at */
  next(isFirst: boolean): Moment;
  /** Lays a stretch on top of the deck. */
  insist(stretch: Stretch): void;
}

/** Creates an endless source of moments for lives like `usual`. */
export function createMoments(stream: RandomStream, usual: Life, deck: readonly Stretch[]): Moments {
  let cards: Stretch[] = [];
  const timesOf = (stretch: Stretch): number[] =>
    usual.stretches.filter((told) => told.stretch === stretch).map(({ ms }) => ms);
  return {
    insist: (stretch) => void cards.push(stretch),
    next(isFirst) {
      if (cards.length === 0) cards = stream.shuffle(deck);
      const stretch = cards.pop() ?? 'rollout';
      const times = timesOf(stretch);
      const occurrence = 1 + stream.int(Math.max(1, isFirst ? times.length : Math.min(2, times.length)));
      const ms = times[occurrence - 1] ?? 0;
      return { stretch, occurrence, delayMs: stream.next() * ms };
    },
  };
}
