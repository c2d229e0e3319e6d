import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyEngine } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { comparePaired } from './compare-paired.js';
import { evaluateModel } from './evaluate.js';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer } from './testing/tiny-run.js';
import { loadEvaluation, saveEvaluation } from './validate.js';

const request = {
  spec: tinySpec(),
  registry: tinyRegistry,
  folder: 'nowhere',
  tokenizer: tinyTokenizer,
  episodes: 40,
};
const knowing = () => tinyEngine({ say: (draw) => `${draw < 0.9 ? 'Left' : 'Right'}</answer><end>` });

describe('evaluateModel', () => {
  it('plays each fixed state once and gives the interval of the success rate', async () => {
    const evaluation = await evaluateModel({ ...request, engine: tinyEngine() });
    expect(evaluation.episodes).toBe(40);
    expect(new Set(evaluation.outcomes.map(({ stateSeed }) => stateSeed)).size).toBe(40);
    const successes = evaluation.outcomes.filter(({ success }) => success).length;
    expect(evaluation.successRate).toBe(successes / 40);
    expect(evaluation.successLow).toBeLessThan(evaluation.successRate);
    expect(evaluation.successHigh).toBeGreaterThan(evaluation.successRate);
    const { metrics } = evaluation;
    expect(metrics['validation/success_rate']).toBe(evaluation.successRate);
    // a mean of 40 totals lies within ± 1.96 standard errors, which a bootstrap comes close to
    const totals = evaluation.outcomes.map(({ total }) => total);
    const mean = totals.reduce((sum, total) => sum + total, 0) / 40;
    const error = Math.sqrt(totals.reduce((sum, total) => sum + (total - mean) ** 2, 0)) / 40;
    expect(metrics['validation/reward_mean']).toBeCloseTo(mean, 9);
    expect(Math.abs(metrics['validation/reward_low']! - (mean - 1.96 * error))).toBeLessThan(0.2 * error);
    expect(Math.abs(metrics['validation/reward_high']! - (mean + 1.96 * error))).toBeLessThan(0.2 * error);
    expect(error).toBeGreaterThan(0);
  });

  it('draws no pictures, which nobody would see', async () => {
    const spec = tinySpec();
    const seeing = { ...spec, rollout: { ...spec.rollout, images: true } };
    const evaluation = await evaluateModel({ ...request, spec: seeing, engine: tinyEngine() });
    expect(evaluation.episodes).toBe(40); // an episode fails whose environment draws none
  });

  it('gives the same outcomes twice, and other states for the test split', async () => {
    const first = await evaluateModel({ ...request, engine: tinyEngine() });
    expect(await evaluateModel({ ...request, engine: tinyEngine() })).toEqual(first);
    const test = await evaluateModel({ ...request, engine: tinyEngine(), split: 'test' });
    const seeds = new Set(first.outcomes.map(({ stateSeed }) => stateSeed));
    expect(test.outcomes.some(({ stateSeed }) => seeds.has(stateSeed))).toBe(false);
  });

  it('gives the same outcomes and metrics however many episodes are under way at once', async () => {
    const atOnce = async (most: number) => {
      let underWay = 0;
      let peak = 0;
      const engine = tinyEngine();
      const policy: PolicyEngine['policy'] = {
        ...engine.policy,
        sample: async (...asked) => {
          peak = Math.max(peak, (underWay += 1));
          return engine.policy.sample(...asked).finally(() => (underWay -= 1));
        },
      };
      const evaluation = await evaluateModel({ ...request, engine: { ...engine, policy }, atOnce: most });
      return { evaluation, peak };
    };
    const few = await atOnce(3);
    const many = await atOnce(40);
    expect([few.peak, many.peak]).toEqual([3, 40]);
    expect(few.evaluation).toEqual(many.evaluation);
    expect(few.evaluation.metrics['validation/entropy']).toBeGreaterThan(0);
  });

  it('refuses a tokenizer that changes texts before anything is played', async () => {
    const encode = (text: string): Int32Array => tinyTokenizer.encode(text.toLowerCase());
    const evaluation = evaluateModel({
      ...request,
      tokenizer: { ...tinyTokenizer, encode },
      engine: tinyEngine(),
    });
    await expect(evaluation).rejects.toMatchObject({ code: 'rollout.unsupported_template' });
  });

  it('can be compared state by state after a trip to disk', async () => {
    const first = await evaluateModel({ ...request, engine: tinyEngine() });
    const second = await evaluateModel({ ...request, engine: knowing() });
    const file = join(mkdtempSync(join(tmpdir(), 'espalier-evaluate-')), 'validation', 'step-000000.json');
    saveEvaluation(file, first);
    const compared = comparePaired(loadEvaluation(file).outcomes, second.outcomes);
    expect(compared.states).toBe(40);
    expect(compared.difference).toBeCloseTo(second.successRate - first.successRate, 12);
  });

  it('refuses a file that is no evaluation', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'espalier-evaluate-')), 'a.json');
    writeFileSync(file, '{}');
    expect(() => loadEvaluation(file)).toThrow(
      expect.objectContaining({
        code: 'trainer.corrupt_run',
        message: expect.stringContaining('no outcomes in it'),
      }),
    );
  });
});
