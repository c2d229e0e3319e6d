/** @file The rules on policies that stay as they are: chance alone moves success, and the deviation within groups with it. */
import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { assessHealth, type Health, startHealth } from './health.js';

const stream = createStream(7);

/** A step of groups whose states are more and less difficult around a share of success. */
function play(share: number, groups: number, size: number): { success: number; rewardDeviation: number } {
  let won = 0;
  let deviations = 0;
  for (let group = 0; group < groups; group++) {
    const ofState = Math.min(1, Math.max(0, share * (0.25 + 1.5 * stream.next())));
    let ofGroup = 0;
    for (let n = 0; n < size; n++) if (stream.next() < ofState) ofGroup += 1;
    won += ofGroup;
    deviations += Math.sqrt((ofGroup * (size - ofGroup)) / (size * (size - 1)));
  }
  return { success: won / (groups * size), rewardDeviation: deviations / groups };
}

/** Share of the checks of 60 runs at which health is not good. */
function shareOfWarnings(share: number, checks: number): number {
  const runs = 60;
  let bad = 0;
  for (let run = 0; run < runs; run++) {
    let health: Health = startHealth;
    for (let step = 1; step <= checks; step++) {
      const values = {
        ...play(share, 8, 8),
        entropy: 0.5,
        gradientNorm: 0.5,
        replyLength: 30,
        validFormat: 1,
      };
      ({ health } = assessHealth(health, { step, values }, { patience: 2, recovery: 3, rules: {} }));
      if (health.state !== 'healthy') bad += 1;
    }
  }
  return bad / (runs * checks);
}

describe('a policy that neither learns nor loses anything', () => {
  it.each([
    [0.2, 40, 0.14],
    [0.2, 100, 0.14],
    [0.5, 40, 0.08],
    [0.5, 100, 0.08],
  ])('of success %f is warned of in few of %i checks', (share, checks, most) => {
    expect(shareOfWarnings(share, checks)).toBeLessThan(most);
  });
});
