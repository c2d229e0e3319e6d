import { describe, expect, it } from 'vitest';
import { createPhaseClock } from './phase-clock.js';

describe('createPhaseClock', () => {
  it('gives each phase its time on the wall and on the processor, without gaps', async () => {
    const wall = [0, 1000, 3000, 3500];
    const processor = [100, 2100, 2200, 3200];
    const clock = createPhaseClock(
      undefined,
      () => wall.shift() ?? 0,
      () => processor.shift() ?? 0,
    );
    await clock.time('collect', () => undefined);
    await clock.time('update', () => undefined);
    await clock.time('collect', () => undefined);
    expect([clock.seconds('collect'), clock.seconds('update'), clock.elapsedSeconds()]).toEqual([
      1.5, 2, 3.5,
    ]);
    expect([clock.processorSeconds('collect'), clock.processorSeconds('update')]).toEqual([3, 0.1]);
    expect([clock.seconds('save'), clock.processorSeconds('save')]).toEqual([0, 0]);
  });
});
