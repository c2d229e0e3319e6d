import { describe, expect, it } from 'vitest';
import { describeProgress } from './progress.js';

describe('describeProgress', () => {
  it.each([
    [640, '640 tokens'],
    [3_584, '4k tokens'],
    [82_400, '82k tokens'],
    [999_499, '999k tokens'],
    [999_500, '1.00M tokens'],
    [1_250_000, '1.25M tokens'],
  ])('writes %i tokens so that a short run counts too', (tokens, words) => {
    const line = describeProgress({
      kind: 'step',
      step: 1,
      steps: 2,
      tokens,
      totalTokens: 2e6,
      learningRate: 1e-3,
      gradientNorm: 1,
      losses: { sokoban: 2 },
      tokensPerSecond: 100,
      teacherShare: 0.1,
      etaSeconds: 5,
    });
    expect(line).toContain(`step 1/2  ${words}  loss sokoban 2.000`);
  });
});
