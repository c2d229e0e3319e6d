import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate, Graph, quantizedMatmul } from '@espalier/graph';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { parseModelConfig } from './families/families.js';
import { initializeWeights } from './initialize-weights.js';
import { blocksOf, quantizeRows, quantizeSamplingWeights } from './quantized-weights.js';

interface GoldenMatrix {
  rows: number;
  columns: number;
  values: number[];
  codes: number[];
  scales: number[];
  x: number[];
  product: number[];
}

const cases = JSON.parse(
  readFileSync(join(goldenFolder('quantized'), 'quantized.json'), 'utf8'),
) as GoldenMatrix[];

const quantize = (values: ArrayLike<number>, rows: number, columns: number) => {
  const codes = new Uint8Array(rows * blocksOf(columns) * 32).fill(7);
  const scales = new Float32Array(rows * blocksOf(columns));
  quantizeRows(Float32Array.from(values), columns, { codes, scales });
  return { codes, scales };
};

describe('quantizeRows', () => {
  it('rounds a row worked by hand, halves upwards, and fills the last block with zeros', () => {
    // the scale is 127 / 127 = 1
    const { codes, scales } = quantize([127, -127, 0, 1.5, -1.5, 0.49, -63.5], 1, 7);
    expect([...scales]).toEqual([1]);
    expect([...codes.subarray(0, 8)]).toEqual([255, 1, 128, 130, 127, 128, 65, 128]);
    expect(new Set(codes.subarray(7))).toEqual(new Set([128]));
  });

  it.each(cases.map((golden) => ({ golden, title: `${golden.rows} × ${golden.columns}` })))(
    'gives the codes and scales that NumPy gives: $title',
    ({ golden }) => {
      const { codes, scales } = quantize(golden.values, golden.rows, golden.columns);
      expect([...codes]).toEqual(golden.codes);
      expect([...scales]).toEqual(golden.scales);
    },
  );

  it.each(cases.map((golden) => ({ golden, title: `${golden.rows} × ${golden.columns}` })))(
    'stands for the matrix that NumPy multiplies by: $title',
    ({ golden: { rows, columns, values, x, product } }) => {
      const graph = new Graph();
      const blocks = blocksOf(columns);
      const { codes, scales } = quantize(values, rows, columns);
      const inputs = [
        graph.input('x', 'float32', [2, columns]),
        graph.input('codes', 'uint8', [rows, blocks, 32]),
        graph.input('scales', 'float32', [rows, blocks]),
      ] as const;
      graph.output('y', quantizedMatmul(...inputs));
      const { y } = evaluate(graph, {
        x: { shape: [2, columns], values: x },
        codes: { shape: [rows, blocks, 32], values: [...codes] },
        scales: { shape: [rows, blocks], values: [...scales] },
      });
      const largest = Math.max(...product.map(Math.abs));
      product.forEach((value, i) =>
        expect(Math.abs(y!.values[i]! - value)).toBeLessThanOrEqual(1e-12 * largest),
      );
    },
  );

  it('passes a weight that is no number on to its scale', () => {
    expect(quantize([1, Number.NaN], 1, 2).scales[0]).toBeNaN();
  });
});

describe('quantizeSamplingWeights', () => {
  const config = parseModelConfig({
    model_type: 'llama',
    vocab_size: 61,
    hidden_size: 40,
    num_hidden_layers: 1,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 48,
    max_position_embeddings: 64,
  });
  const weights = initializeWeights(config, 5);
  const memory = {
    allocate: (length: number) => new Float32Array(length),
    allocateBytes: (length: number) => new Uint8Array(length),
  };

  it('puts the rows of joined projections below each other, from memory or computed', async () => {
    const find = (name: string) => weights.get(name)?.data;
    const lying = await quantizeSamplingWeights(config, { find, write: () => undefined }, memory);
    const write = (name: string, target: Float32Array): void => target.set(find(name) ?? []);
    const computed = await quantizeSamplingWeights(config, { find: () => undefined, write }, memory);
    expect(computed).toEqual(lying);
    const joined = [...lying].find(([name]) => name.includes('q_proj') && name.includes('k_proj'));
    const layer = 'model.layers.0.self_attn';
    const [q, k] = ['q_proj', 'k_proj'].map((name) => find(`${layer}.${name}.weight`)!);
    const whole = quantize([...q!, ...k!], 40 + 20, 40);
    expect(joined?.[1]).toEqual(whole);
    // norms and the embedding stay as they are
    expect([...lying.keys()].filter((name) => /norm|embedding/.test(name))).toEqual([]);
  });
});
