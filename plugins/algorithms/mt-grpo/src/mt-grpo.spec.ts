import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import mtGrpo from './index.js';

const parse = (options: object = {}) => mtGrpo.params.parse(options);
const play = (rewards: number[]) => ({
  group: 0,
  total: rewards.reduce((sum, reward) => sum + reward, 0),
  rewards: Float64Array.from(rewards),
  lossMask: Uint8Array.from(rewards, () => 1),
  turnEnds: rewards.map((_, turn) => turn),
});
const credit = (options: object) =>
  mtGrpo.advantages([play([1, 0, 3]), play([0, 2])], parse(options)).advantages.map((own) => [...own]);

testAlgorithm(mtGrpo);
testAlgorithm(mtGrpo, { params: { spread: true, turnGamma: 0.6 } });
testAlgorithm(mtGrpo, { params: { outcome: 'last-turn', outcomeWeight: 1 } });
testAlgorithm(mtGrpo, { params: { compare: 'all', turnGamma: 0.4, outcomeWeight: 0, dualClip: 3 } });

describe('mt-grpo', () => {
  it('compares each turn with the same turn of the others, and half the outcome, by hand', () => {
    // turns 1 0, 0 2, and 3 alone; totals 4 and 2
    expect(credit({ normalization: 'none' })).toEqual([
      [0.5 + 0.5, -1 + 0.5, 0 + 0.5],
      [-0.5 - 0.5, 1 - 0.5],
    ]);
  });

  it('keeps rewards of turns and of the outcome apart if asked, by hand', () => {
    // before the last turn 1 0 and 0, of which the second is alone; outcomes 3 and 2
    expect(credit({ outcome: 'last-turn', outcomeWeight: 0.25, normalization: 'none' })).toEqual([
      [0.5 + 0.25 * 0.5, 0 + 0.25 * 0.5, 0.5],
      [-0.5 - 0.25 * 0.5, -0.5],
    ]);
  });

  it('gives the last turn its outcome divided by the deviation, and an episode of one turn nothing else', () => {
    const given = [play([3]), play([1, 0])];
    const { advantages } = mtGrpo.advantages(given, parse({ outcome: 'last-turn' }));
    const unit = 1.5 / (Math.sqrt(4.5) + 1e-6);
    expect(advantages[0]?.[0]).toBeCloseTo(unit, 12);
    // its first turn has no other to be compared with
    expect(advantages[1]?.[0]).toBeCloseTo(-0.5 * unit, 12);
    expect(advantages[1]?.[1]).toBeCloseTo(-unit, 12);
  });

  it('compares all turns and what follows them if asked', () => {
    // returns 1.75 1.5 3 and 1 2: mean 1.85
    const [first = [], second = []] = credit({
      compare: 'all',
      turnGamma: 0.5,
      outcomeWeight: 0,
      normalization: 'none',
    });
    [1.75, 1.5, 3].forEach((value, t) => expect(first[t]).toBeCloseTo(value - 1.85, 12));
    [1, 2].forEach((value, t) => expect(second[t]).toBeCloseTo(value - 1.85, 12));
  });

  it('divides rewards among turns if asked, by hand', () => {
    // 1 0 3 gives 1 + 3/7, 6/7, 12/7, and 0 2 gives 2/3, 4/3; the third turn has no other
    const [first = [], second = []] = credit({
      spread: true,
      turnGamma: 0.5,
      outcomeWeight: 0,
      normalization: 'none',
    });
    const [start, middle] = [(10 / 7 - 2 / 3) / 2, (6 / 7 - 4 / 3) / 2];
    [start, middle, 0].forEach((value, t) => expect(first[t]).toBeCloseTo(value, 12));
    [-start, -middle].forEach((value, t) => expect(second[t]).toBeCloseTo(value, 12));
  });

  it('says that it compares turns', () => {
    expect(mtGrpo.needs(parse())).toEqual({ critic: false, reference: false, turnRewards: true });
  });

  it('says that nothing is divided without a discount', () => {
    expect(mtGrpo.inert?.(parse({ spread: true }), { optimizerStepsPerStep: 2 })).toContain('spread');
    expect(mtGrpo.inert?.(parse({ spread: true, turnGamma: 1 }), { optimizerStepsPerStep: 2 })).not.toContain(
      'spread',
    );
  });

  it('divides by the deviation of the turns compared', () => {
    const [first = []] = credit({ outcomeWeight: 0 });
    expect(first[0]).toBeCloseTo(0.5 / (Math.SQRT1_2 + 1e-6), 12);
    expect(first[2]).toBe(0);
  });
});
