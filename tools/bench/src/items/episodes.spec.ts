import { defineEnvironment } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { playRecorded } from './episodes.js';

/** An environment that moves a clock by itself: a reset takes 3 ms, a step as long as is said, a reading of the clock 1. */
async function ratesOf(stepMs: number, steps: number) {
  let now = 0;
  const timed = defineEnvironment({
    id: 'timed',
    summary: 'Takes time.',
    params: z.unknown(),
    create: () => ({
      reset: () => {
        now += 3;
        return 'begin';
      },
      step: () => {
        now += stepMs;
        return { observation: 'on', reward: 0, done: false };
      },
    }),
  });
  const actions = new Array<string>(steps).fill('go');
  const recording = { episodes: [{ seed: 1, actions }], steps };
  return playRecorded(timed, {}, recording, 20, () => (now += 1));
}

describe('rates of recorded episodes', () => {
  it('leave out readings of the clock, and resets from steps alone', async () => {
    const rates = await ratesOf(100, 5);
    expect(rates.wholes).toBeCloseTo(1000 / 503, 2);
    expect(rates.steps).toBeCloseTo(1000 / 100, 2);
  });

  it('find steps that are shorter than a reading of the clock by what resets take', async () => {
    const rates = await ratesOf(0.25, 4);
    expect(rates.wholes).toBeCloseTo(1000 / 4, 0);
    expect(rates.episodes).toBeCloseTo(4000 / 4, 0);
    expect(rates.steps).toBeCloseTo(1000 / 0.25, -1);
  });
});
