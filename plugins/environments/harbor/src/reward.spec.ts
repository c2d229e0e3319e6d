import { describe, expect, it } from 'vitest';
import { chooseReward, parseRewards } from './reward.js';

describe('rewards', () => {
  it('are read from reward.json before reward.txt', () => {
    expect(parseRewards('{"reward": 0.5, "style": true}', '1')).toEqual({ reward: 0.5, style: 1 });
    expect(parseRewards(undefined, ' -2.5e-1\n')).toEqual({ reward: -0.25 });
  });

  it.each([
    [undefined, undefined, 'neither'],
    ['', '1', 'reward.json is empty'],
    ['{"reward": ', undefined, 'no JSON'],
    ['{"reward": 1e999}', undefined, 'reward is no finite number'],
    ['{"reward": "1"}', undefined, 'reward is no finite number'],
    ['[1]', undefined, 'no object'],
    [undefined, '', 'empty'],
    [undefined, 'nan', 'no finite number'],
    [undefined, '0x10', 'no finite number'],
  ])('are none in %j and %j', (json, text, finding) => {
    expect(parseRewards(json, text)).toContain(finding);
  });

  it('are chosen by name, or because there is one', () => {
    expect(chooseReward({ reward: 1, style: 0 }, 'style')).toBe(0);
    expect(chooseReward({ passed: 0.25 }, 'reward')).toBe(0.25);
    expect(chooseReward({ passed: 1, style: 0 }, 'reward')).toContain('the rewards passed, style');
  });
});
