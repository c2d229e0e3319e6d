import { runSpecSchema } from '@espalier/contracts';
import type { PromptChoice } from '@espalier/contracts/prompt-format';
import { completeSamplerCorrection } from '@espalier/contracts/sampler-correction';
import { describe, expect, it } from 'vitest';
import { forgetDerived } from './forget-derived.js';
import { applyOverrides } from './overrides.js';
import { asConfigInput } from './problems.js';

const specOf = (change: Record<string, unknown>) =>
  runSpecSchema.parse({
    model: { path: 'm' },
    environment: { use: 'e' },
    algorithm: { use: 'a' },
    steps: 1,
    ...change,
  });

/** A resolved spec with changes, as a fork has it. */
function changed(spec: Record<string, unknown>, ...overrides: string[]) {
  const { value } = applyOverrides(asConfigInput(forgetDerived(spec)), overrides);
  return runSpecSchema.parse(value);
}

const promptOf = (prompt: PromptChoice) => specOf({ rollout: { prompt } });

describe('a resolved spec', () => {
  it('stays the same without changes', () => {
    const prompt = { preset: 'plain', system: 'Mine.', actionLimit: { one: 'One.' }, thinking: 'required' };
    for (const spec of [specOf({}), specOf({ lora: { rank: 4 }, rollout: { prompt } })])
      expect(changed(spec)).toEqual(spec);
  });

  it('gets the correction of a new precision, unless it was set', () => {
    const of = (samplerCorrection: Record<string, unknown>, ...overrides: string[]) =>
      completeSamplerCorrection(changed(specOf({ update: { samplerCorrection } }), ...overrides));
    const int8 = 'device.sampling=int8';
    expect(of({ use: 'off' }, int8)).toEqual({ use: 'truncated', maxRatio: 2 });
    expect(of({ use: 'mask', maxRatio: 2 }, int8)).toEqual({ use: 'mask', maxRatio: 2 });
    const icepop = 'update.samplerCorrection.use=icepop';
    expect(of({ use: 'truncated', maxRatio: 2 }, icepop)).toEqual({
      use: 'icepop',
      maxRatio: 5,
      minRatio: 0.5,
    });
    expect(of({ use: 'truncated', maxRatio: 9 }, icepop)).toMatchObject({ maxRatio: 9 });
    const engine = { use: 'tinker', url: 'http://localhost:8000', model: 'small' };
    const device = { sampling: 'int8' };
    const served = specOf({ engine, device, update: { samplerCorrection: { use: 'truncated' } } });
    expect(completeSamplerCorrection(changed(served))).toEqual({ use: 'truncated', maxRatio: 2 });
  });

  it('gets the alpha of a new rank, unless it was set', () => {
    expect(changed(specOf({ lora: { rank: 8 } }), 'lora.rank=32').lora).toMatchObject({
      rank: 32,
      alpha: 64,
    });
    const own = specOf({ lora: { rank: 8, alpha: 5 } });
    expect(changed(own, 'lora.rank=32').lora).toMatchObject({ rank: 32, alpha: 5 });
    expect(changed(specOf({ lora: { rank: 8 } }), 'lora.rank=32', 'lora.alpha=7').lora?.alpha).toBe(7);
  });

  it('gets the texts of a new preset, except those that were set', () => {
    const spec = promptOf({ preset: 'plain', system: 'Mine.', actionLimit: { one: 'One.' } });
    const { prompt } = changed(spec, 'rollout.prompt.preset=ragen').rollout;
    const expected = promptOf({ preset: 'ragen', system: 'Mine.', actionLimit: { one: 'One.' } });
    expect(prompt).toEqual(expected.rollout.prompt);
    expect(prompt.thinking).toBe('required');
  });

  it('gets the demand of another way of thinking', () => {
    const spec = promptOf({ preset: 'plain' });
    const { prompt } = changed(spec, 'rollout.prompt.thinking=required').rollout;
    expect(prompt).toEqual(promptOf({ preset: 'plain', thinking: 'required' }).rollout.prompt);
    expect(prompt.formatDemand).not.toBe(spec.rollout.prompt.formatDemand);
  });

  it('gets the demand of other parts of the think block', () => {
    for (const preset of ['plain', 'seedling'] as const) {
      const spec = promptOf({ preset, thinkStyle: 'world-modelling' });
      expect(changed(spec)).toEqual(spec);
      const { prompt } = changed(spec, 'rollout.prompt.thinkStyle=state-estimation').rollout;
      expect(prompt).toEqual(promptOf({ preset, thinkStyle: 'state-estimation' }).rollout.prompt);
    }
  });
});
