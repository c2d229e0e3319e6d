import { sampleTrajectory, sampleTurn, testReward } from '@espalier/plugin-kit/testing';
import { createStream, type RewardResult } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import formatShaping from './index.js';

testReward(formatShaping);
testReward(formatShaping, { params: { weights: { alone: 0, action: 0 } } });

const legal = [{ text: 'Down', valid: true, effective: true, reward: 0, metrics: {} }];

/** The reward of an episode of these replies; `acts`: the answer names an action that exists. */
function scoreOf(replies: readonly string[], acts = false, weights: Record<string, number> = {}): number {
  const turns = replies.map((response, index) => sampleTurn(index, { response, actions: acts ? legal : [] }));
  const params = formatShaping.params.parse({ weights });
  const { perTurn } = formatShaping.score(sampleTrajectory(turns), params) as { perTurn: readonly number[] };
  return perTurn.reduce((sum, value) => sum + value, 0);
}

const whole = '<think>goal 1 down.</think><answer>Down</answer>';

describe('partial credit', () => {
  it('rises with each part of the format, up to 0', () => {
    const steps = [
      scoreOf(['<think>']),
      scoreOf(['<think>I go down']),
      scoreOf(['<think>I go down</think>']),
      scoreOf(['<think>I go down</think> so <answer>go']),
      scoreOf(['<think>I go down</think> so <answer>go</answer> now']),
      scoreOf(['<think>I go down</think> <answer>go</answer>']),
      scoreOf(['<think>I go down</think> so <answer>Down</answer>'], true),
      scoreOf([whole], true),
    ];
    for (const [index, value] of steps.entries())
      if (index > 0) expect(value, `step ${index}`).toBeGreaterThan(steps[index - 1] ?? 0);
    expect([steps[0], steps.at(-1)]).toEqual([-1, 0]);
  });

  it('is the weighted share of what is there', () => {
    // present and closed half, nothing else; 8 in all
    expect(scoreOf(['<think>I go down</think>'])).toBeCloseTo(-(0.5 + 0.5 + 1 + 1 + 4) / 8);
    expect(scoreOf(['<think>I go down</think>'], false, { action: 0, order: 0, alone: 0 })).toBeCloseTo(-0.5);
  });

  it('demands the answer alone where the prompt opened it', () => {
    expect(scoreOf(['<answer>Down</answer>'], true)).toBe(0);
    expect(scoreOf(['<answer>Down'], true)).toBeCloseTo(-3 / 8);
  });

  it('is the same for one turn as for many', () => {
    expect(scoreOf([whole, whole, whole], true)).toBe(0);
    const half = '<think>I go down</think>';
    expect(scoreOf([half, half, half, half])).toBeCloseTo(scoreOf([half]));
  });
});

describe('where the prompt demands parts of the think block', () => {
  const thinkParts = ['observation', 'reasoning', 'prediction'] as const;
  const score = (response: string, acts = false): number => {
    const turn = sampleTurn(0, { response, actions: acts ? legal : [] });
    const trajectory = sampleTrajectory([turn], { thinkParts });
    return (
      (formatShaping.score(trajectory, formatShaping.params.parse({})) as RewardResult).perTurn[0] ?? NaN
    );
  };
  const all =
    '<think><observation>goal below</observation><reasoning>down</reasoning><prediction>at the goal</prediction></think><answer>Down</answer>';

  it('rises with each of them, up to 0', () => {
    const steps = [
      score('<think>'),
      score('<think><observation>goal below'),
      score('<think><observation>goal below</observation>'),
      score('<think><observation>goal below</observation><reasoning>down</reasoning>'),
      score('<think><observation>goal below</observation><reasoning>down</reasoning></think>'),
      score(all.replace('<prediction>at the goal</prediction>', '')),
      score(all.replace('</prediction>', '')),
      score(all.replace('</reasoning>', '</reasoning> so ')),
      score(all),
      score(all, true),
    ];
    for (const [index, value] of steps.entries())
      if (index > 0) expect(value, `step ${index}`).toBeGreaterThan(steps[index - 1] ?? 0);
    expect([steps[0], steps.at(-1)]).toEqual([-1, 0]);
  });

  it.each([
    ['tags alone', all.replaceAll(/>[^<]+</g, '><')],
    ['an echo of the demand', all.replaceAll(/>[^<]+</g, '>...<')],
    ['placeholders', all.replaceAll(/>[^<]+</g, '>[your thoughts]<')],
  ])('gives nothing for %s', (_, response) => {
    expect(score(response)).toBe(-1);
  });

  it('gives the answer and no more for free thoughts', () => {
    // the answer is one of five blocks, present and closed
    expect(score('<think>free</think><answer>Down</answer>', true)).toBeCloseTo(-(0.8 + 0.8 + 1 + 1) / 8);
  });
});

describe('a policy that games it', () => {
  const honest = '<think>I think that the goal is below';
  it.each([
    ['nothing', '<think>'],
    ['blanks', `<think>${' \n'.repeat(50)}`],
    ['empty blocks', '<think></think><answer></answer>'],
    ['an echo of the demand', '<think>...</think><answer>...</answer>'],
    ['an echo of the demand of RAGEN', '<think> [Your thoughts] </think> <answer> [your answer] </answer>'],
    ['placeholders of other kinds', '<think>{thoughts}</think><answer><action></answer>'],
    ['tags alone', '<think></think><answer></answer>'.repeat(20)],
    ['signs alone', '<think>!?</think><answer>||</answer>'],
  ])('gets nothing for %s', (_, response) => {
    expect(scoreOf([response])).toBe(-1);
  });

  it.each([
    ['the whole reply twice', whole + whole],
    ['the demand inside the thought', `<think>Always reply ${whole} and nothing else.`],
    ['an answer inside the thought', '<think>go <answer>Down</answer></think>'],
    ['the wrong order', '<think><answer>Down</answer>so</think>'],
  ])('gets no more than honest text for %s', (_, response) => {
    expect(scoreOf([response])).toBeLessThanOrEqual(scoreOf([honest]) + 1 / 8);
    expect(scoreOf([response])).toBeLessThan(-0.75);
  });

  it('gets at most half for blocks whose answer is no action, such as the state', () => {
    expect(scoreOf(['<think>_P G_</think><answer>_P G_</answer>'])).toBeCloseTo(-0.5);
  });

  it('stays within -1 and 0 in linear time, whatever it writes', () => {
    const stream = createStream(3);
    const parts = [
      '<think>',
      '</think>',
      '<answer>',
      '</answer>',
      'Down',
      ' ',
      '<|im_end|>',
      '[',
      ']',
      '😀',
      '||',
    ];
    for (let round = 0; round < 3000; round++) {
      const response = Array.from({ length: stream.int(12) }, () => stream.pick(parts)).join('');
      const value = scoreOf([response, whole], stream.int(2) === 0);
      expect(value).toBeGreaterThanOrEqual(-1);
      expect(value).toBeLessThanOrEqual(0);
    }
    const begin = process.cpuUsage();
    for (const part of parts) scoreOf([`<think>${part.repeat(100_000)}`]);
    const { user, system } = process.cpuUsage(begin);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

it('refuses weights that are all 0', () => {
  const zero = { present: 0, closed: 0, order: 0, alone: 0, action: 0 };
  expect(() => formatShaping.params.parse({ weights: zero })).toThrow(/at least one/);
});
