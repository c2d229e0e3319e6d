import { parseModelConfig } from '@espalier/model';
import { lora } from '../../../../libs/contracts/src/run-options.js';
import { describe, expect, it } from 'vitest';
import { cachedBytes, countWeights, type HeldWeights } from './held-weights.js';

const json = {
  model_type: 'llama',
  vocab_size: 100,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 32,
  max_position_embeddings: 64,
  tie_word_embeddings: true,
};
const config = parseModelConfig(json);
// per layer q, o 16×16, k, v 8×16, gate, up, down 32×16 and two norms; embedding and final norm
const all = 2 * (2 * 256 + 2 * 128 + 3 * 512 + 32) + 1600 + 16;
// rank 2: the sum of both sides of every matrix, twice
const adapters = 2 * 2 * (2 * 32 + 2 * 24 + 3 * 48);
const both = { critics: 1, reference: true };

describe('countWeights', () => {
  it('counts policy, critic and reference as whole models', () => {
    expect(countWeights({ lora: undefined }, config, both)).toEqual({
      trainedParameters: all,
      weightBytes: 16 * 2 * all + 4 * all,
      mergedBytes: 0,
      checkpointBytes: 12 * 2 * all,
    });
  });

  it.each([
    ['adapter', adapters],
    ['head', 16],
    ['model', all],
  ] as const)('counts frozen weights once, and a critic of the kind %s', (critic, trained) => {
    const spec = { lora: lora.parse({ rank: 2, critic }) };
    expect(countWeights(spec, config, both)).toEqual({
      trainedParameters: adapters,
      weightBytes: 16 * (adapters + trained) + 4 * all,
      mergedBytes: 4 * 2 * (2 * 256 + 2 * 128 + 3 * 512),
      checkpointBytes: 12 * (adapters + trained),
    });
  });

  it.each(['adapter', 'head', 'model'] as const)(
    'counts each of several critics of the kind %s, and the base they share once',
    (critic) => {
      const spec = { lora: lora.parse({ rank: 2, critic }) };
      const [none, one, three] = [0, 1, 3].map((critics) =>
        countWeights(spec, config, { critics, reference: false }),
      );
      const times = (read: (held: HeldWeights) => number): number =>
        (read(three!) - read(none!)) / (read(one!) - read(none!));
      expect(times(({ weightBytes }) => weightBytes)).toBe(3);
      expect(times(({ checkpointBytes }) => checkpointBytes)).toBe(3);
    },
  );

  it.each([
    // codes, and one scale for each of 128 rows of a layer
    ['bfloat16', 2 * 2 * 2304 + 4 * 2 * 128],
    ['int8', 2 * 2304 + 4 * 2 * 128],
    ['int4', 2304 + 4 * 2 * 128],
  ] as const)('counts a base in %s, of which sampling widens the embeddings too', (baseDtype, ofMatrices) => {
    const spec = { lora: lora.parse({ rank: 2, critic: 'head', baseDtype }) };
    const { weightBytes, mergedBytes } = countWeights(spec, config, { critics: 0, reference: true });
    const ofEmbeddings = 2 * 1600 + 4 * 100;
    expect(weightBytes).toBe(16 * adapters + ofMatrices + ofEmbeddings + 4 * (2 * 32 + 16));
    expect(mergedBytes).toBe(4 * (2 * 2304 + 1600));
  });

  it('counts tables and matrices that are rounded for sampling in bf16, a tied head once', () => {
    const device = { sampling: 'bf16' } as const;
    const count = (isTied: boolean, spec: object = {}) =>
      countWeights(
        { lora: undefined, device, ...spec },
        parseModelConfig({ ...json, tie_word_embeddings: isTied }),
        { critics: 0, reference: false },
      ).mergedBytes;
    expect(count(true)).toBe(2 * (2 * 2304 + 1600));
    expect(count(false)).toBe(2 * (2 * 2304 + 2 * 1600));
    // adapters are merged into memory of one part at a time; sampling ahead has weights of its own
    expect(count(true, { lora: lora.parse({ rank: 2 }) })).toBe(count(true));
    expect(count(true, { rollout: { ahead: 1 } })).toBe(2 * count(true));
  });

  it('counts matrices and head that are rounded for sampling in int8, with a scale for every 32', () => {
    const count = (loraOptions: Record<string, unknown> | undefined) =>
      countWeights(
        {
          lora: loraOptions === undefined ? undefined : lora.parse(loraOptions),
          device: { sampling: 'int8' },
        },
        config,
        { critics: 0, reference: false },
      ).mergedBytes;
    const { hidden_size: D, intermediate_size: F, num_hidden_layers: layers, vocab_size: V } = json;
    const row = (columns: number): number => 36 * Math.ceil(columns / 32);
    // q, k and v have 16 + 2 · 8 rows of D, o has D, gate and up have F; down has D rows of F; the head is tied
    const ofLayer = (D + 16 + D + 2 * F) * row(D) + D * row(F);
    expect(count(undefined)).toBe(layers * ofLayer + V * row(D));
    expect(count({ rank: 2 })).toBe(count(undefined));
    expect(count({ rank: 2, baseDtype: 'int8' })).toBe(layers * ofLayer + V * row(D) + 4 * V * D);
  });

  it('counts an adapted output head for the policy and its samples, not for a critic', () => {
    const untied = parseModelConfig({ ...json, tie_word_embeddings: false });
    const count = (targets: readonly string[]) =>
      countWeights({ lora: lora.parse({ rank: 2, targets }) }, untied, both);
    const [without, withHead] = [count(['q_proj']), count(['q_proj', 'lm_head'])];
    const ofHead = 2 * (100 + 16);
    expect(withHead.trainedParameters - without.trainedParameters).toBe(ofHead);
    expect(withHead.weightBytes - without.weightBytes).toBe(16 * ofHead);
    expect(withHead.mergedBytes - without.mergedBytes).toBe(4 * 1600);
  });

  it('counts the weights of the copy that samples ahead', () => {
    const none = { critics: 0, reference: false };
    const bytes = (ahead: number) =>
      countWeights({ lora: undefined, rollout: { ahead } }, config, none).weightBytes;
    const { trainedParameters } = countWeights({ lora: undefined }, config, none);
    expect(bytes(1) - bytes(0)).toBe(4 * trainedParameters);
  });
});

it('counts the cache twice on WebGPU, which copies it in each step of sampling', () => {
  expect(cachedBytes({ sampling: 'float32', provider: 'webgpu' })).toBe(8);
  expect(cachedBytes({ sampling: 'float32', provider: 'cuda' })).toBe(4);
  expect(cachedBytes({ sampling: 'bf16', provider: 'cpu' })).toBe(2);
});
