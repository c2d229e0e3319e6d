import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { continuedWarmStartSchema, type WarmStartSpec } from '@espalier/contracts';
import {
  createTokenizer,
  initializeWeights,
  parseModelConfig,
  saveModelFolder,
  saveTokenizer,
  trainTokenizer,
} from '@espalier/model';
import type { PluginLookup } from '@espalier/trainer';
import { afterAll, describe, expect, it } from 'vitest';
import { corridor } from '../../trainer/src/testing/corridor.js';
import { heldOutText } from './held-out-text.js';
import { describePerplexity, isPretrained, measurePerplexity } from './perplexity.js';
import { describeProgress, type WarmStartProgress } from './progress.js';
import { warmStart } from './warm-start.js';

const folder = mkdtempSync(join(tmpdir(), 'perplexity-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A model whose tokenizer knows no tags, as a pretrained one. */
function writeStudent(): string {
  const contextLength = 1024;
  const student = join(folder, 'student');
  const files = trainTokenizer({ corpus: [heldOutText], phrases: [], vocabularySize: 340, contextLength });
  saveTokenizer(student, files);
  const { endOfTurn, pad } = createTokenizer(files);
  const config = parseModelConfig({
    model_type: 'llama',
    vocab_size: 340,
    hidden_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    intermediate_size: 24,
    max_position_embeddings: contextLength,
    tie_word_embeddings: true,
    eos_token_id: endOfTurn,
    pad_token_id: pad,
  });
  saveModelFolder(student, { config, weights: initializeWeights(config, 1), dtype: 'float32' });
  return student;
}

describe('held-out perplexity', () => {
  it('is exp of the mean of -logprob over all tokens but the first', async () => {
    const score = async ([request]: readonly { readonly positions: Int32Array }[]) => [
      { logprobs: Float32Array.from(request!.positions, (_, i) => (i % 2 === 0 ? -1 : -3)) },
    ];
    const encode = () => Int32Array.from([7, 8, 9, 7, 8]);
    const policy = { score } as unknown as Parameters<typeof measurePerplexity>[0];
    expect(await measurePerplexity(policy, { encode }, 100)).toBeCloseTo(Math.exp(2), 6);
    expect(await measurePerplexity(policy, { encode }, 2)).toBeCloseTo(Math.exp(1), 6);
  });

  it('warns above the factor', () => {
    expect(describePerplexity({ before: 20, now: 21 })).toBe('held-out perplexity 20.0 → 21.0 (× 1.05)');
    expect(describePerplexity({ before: 20, now: 31 })).toMatch(/\(× 1\.55\); warning: more than × 1\.5/);
  });

  it('tells models that learned to speak from those of a warm start', () => {
    expect(isPretrained({ encode: () => Int32Array.of(5) })).toBe(false);
    expect(isPretrained({ encode: () => Int32Array.of(5, 6, 7) })).toBe(true);
  });

  it('is measured before and after the warm start of a pretrained model', async () => {
    const spec = continuedWarmStartSchema.parse({
      name: 'tiny',
      model: { path: writeStudent() },
      demonstrations: [
        {
          environment: { use: 'corridor' },
          rollout: { maxResponseTokens: 16, prompt: { preset: 'plain' } },
          noise: 0.1,
        },
      ],
      tokens: 3000,
      batchTokens: 1500,
      microBatchTokens: 600,
      optimizer: { learningRate: 0.02 },
      validation: { episodes: 2, finalEpisodes: 2 },
      device: { threads: 1 },
    }) as WarmStartSpec;
    const out = join(folder, 'out');
    const events: WarmStartProgress[] = [];
    const plugins = { get: () => corridor } as unknown as PluginLookup;
    const { perplexity } = await warmStart(spec, { plugins, out }, (event) => events.push(event));
    const started = events.find((event) => event.kind === 'started');
    expect(started?.perplexity).toBe(perplexity?.before);
    expect(started?.perplexity).toBeGreaterThan(100);
    expect(perplexity?.now).not.toBe(perplexity?.before);
    expect(events.map(describeProgress).join('\n')).toContain(describePerplexity(perplexity!));
    expect(existsSync(join(out, 'model.safetensors'))).toBe(true);
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain(
      `${perplexity!.before.toFixed(1)} before the\nwarm start, ${perplexity!.now.toFixed(1)} after it`,
    );
  }, 120_000);
});
