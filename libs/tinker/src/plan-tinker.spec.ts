import type { LossSpec, RunSpec } from '@espalier/contracts';
import { clippedPolicyLoss } from '@espalier/objective';
import { describe, expect, it } from 'vitest';
import { describeLosses, keyFor, validateForEngine } from './plan-tinker.js';

const loss = (dualClip: number, entropyCoefficient = 0): LossSpec =>
  clippedPolicyLoss('grpo', { clipLow: 0.2, clipHigh: 0.3, dualClip, entropyCoefficient });
const engine = { losses: 'named' } as NonNullable<RunSpec['engine']>;

describe('the plan of a run on a server', () => {
  it('refuses a critic and an entropy bonus, for this engine only', () => {
    expect(() => validateForEngine({ engine }, { critic: true }, loss(0))).toThrow(/trains no critic/);
    expect(() => validateForEngine({ engine }, { critic: false }, loss(0, 0.01))).toThrow(
      /entropyCoefficient to 0/,
    );
    expect(() => validateForEngine({ engine: undefined }, { critic: true }, loss(3, 0.01))).not.toThrow();
    expect(() => validateForEngine({ engine }, { critic: false }, loss(3))).not.toThrow();
  });

  it('says how a loss is sent, and what it costs', () => {
    expect(describeLosses(engine, loss(0), { reference: false }, true)).toEqual([
      'the loss grpo/policy is sent as ppo with ratios from 0.8 to 1.3: one forward and backward pass per optimizer step',
    ]);
    const [sentence, reference] = describeLosses(engine, loss(3), { reference: true }, false);
    expect(sentence).toMatch(/linearised.*a third more.*dualClip: 0 makes it ppo/);
    expect(reference).toMatch(/second model/);
    expect(describeLosses(engine, loss(3), { reference: false }, true)).toEqual([
      expect.stringMatching(/grpo\/policy is sent as a graph of \d+ nodes.*one request per optimizer step/),
    ]);
    expect(describeLosses({ losses: 'linear' }, loss(0), { reference: false }, true)[0]).toMatch(
      /engine.losses: linear/,
    );
  });
});

describe('keyFor', () => {
  it('gives the key to the server of the variable only, where it is set', () => {
    const env = { TINKER_API_KEY: 'tml-secret' };
    expect(keyFor('http://a:1', env)).toBe('tml-secret');
    expect(keyFor('http://a:1', { ...env, TINKER_BASE_URL: 'http://a:1/' })).toBe('tml-secret');
    expect(keyFor('http://b:1', { ...env, TINKER_BASE_URL: 'http://a:1' })).toBeUndefined();
    expect(keyFor('http://b:1', {})).toBeUndefined();
  });
});
