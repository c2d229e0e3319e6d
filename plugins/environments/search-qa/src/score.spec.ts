import { describe, expect, it } from 'vitest';
import { rewardOf, scoreAnswer, wordsOf } from './score.js';

describe('the words of an answer', () => {
  it.each([
    ['The Eiffel Tower!', ['eiffel', 'tower']],
    ['  an  apple, a pear ', ['apple', 'pear']],
    ['U.S.', ['us']],
    ['3.14', ['314']],
    ['theatre another', ['theatre', 'another']],
    ['“Łódź” – café', ['“łódź”', '–', 'café']],
    // nothing would be left of it
    ['A', ['a']],
    ['...', []],
  ])('%j', (text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });
});

describe('a score', () => {
  it.each([
    ['Torburg', ['Torburg'], true, 1],
    ['the torburg.', ['Torburg'], true, 1],
    ['Torburg', ['Elsewhere', 'TORBURG'], true, 1],
    // 2 common of 3 and 2: 2·2 ÷ 5
    ['town of Torburg', ['Torburg town'], false, 0.8],
    // 1 common of 5 and 1
    ['it was in old Torburg', ['Torburg'], false, 2 / 6],
    // a word counts as often as the right answer has it
    ['new new new', ['new york'], false, 2 / 5],
    ['', ['Torburg'], false, 0],
    ['the', ['Torburg'], false, 0],
    ['the', ['A'], false, 0],
    ['a', ['A'], true, 1],
    ['...', ['!'], false, 0],
    // half of a pair of yes and no earns nothing
    ['yes no', ['yes'], false, 0],
    ['no', ['yes no'], false, 0],
    ['Yes.', ['yes'], true, 1],
    ['2,000', ['2000'], true, 1],
    ['constructor', ['__proto__'], false, 0],
  ] as const)('of %j for %j', (answer, expected, isExact, f1) => {
    const score = scoreAnswer(answer, expected);
    expect(score.isExact).toBe(isExact);
    expect(score.f1).toBeCloseTo(f1, 12);
  });

  it('earns 1 for an exact match, else F1 from 0.3 upwards', () => {
    expect(rewardOf({ isExact: true, f1: 1 }, 0.3)).toBe(1);
    expect(rewardOf({ isExact: false, f1: 0.3 }, 0.3)).toBe(0.3);
    expect(rewardOf({ isExact: false, f1: 0.29 }, 0.3)).toBe(0);
    // the words of an exact match in another order
    expect(rewardOf(scoreAnswer('town Torburg', ['Torburg town']), 0.3)).toBe(1);
    expect(rewardOf(scoreAnswer('town Torburg', ['Torburg town']), 1)).toBe(0);
    expect(rewardOf({ isExact: true, f1: 1 }, 1)).toBe(1);
  });
});
