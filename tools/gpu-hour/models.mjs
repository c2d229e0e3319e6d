/** @file Random models of the shapes in shapes.json, and what they are trained on. */
import { readFileSync } from 'node:fs';
import { parameterShapes, parseModelConfig } from '@espalier/model';
import { createStream } from '@espalier/random';

const stream = createStream(7);

/** The cases that are measured. */
export function readShapes(isTiny) {
  const file = new URL(isTiny ? 'tiny-shapes.json' : 'shapes.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The configuration of a shape. */
export function configOf(shape) {
  return parseModelConfig({
    model_type: shape.family,
    vocab_size: shape.vocabulary,
    hidden_size: shape.width,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.keyValueHeads,
    intermediate_size: shape.feedForward,
    max_position_embeddings: 2048,
    tie_word_embeddings: shape.tied,
    rms_norm_eps: shape.normEpsilon,
    rope_theta: shape.ropeTheta,
  });
}

const pool = Float32Array.from({ length: 1_000_003 }, () => (stream.next() - 0.5) * 0.07);

/** Small random weights, norms about one; a million numbers again and again, because drawing 500 million takes minutes. */
export function weightsOf(config) {
  let at = 0;
  return new Map(
    [...parameterShapes(config)].map(([name, shape]) => {
      const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
      for (let start = 0; start < data.length;) {
        const part = pool.subarray(at, at + data.length - start);
        data.set(part, start);
        start += part.length;
        at = (at + part.length) % pool.length;
      }
      if (name.includes('norm')) data.forEach((value, i) => (data[i] = 1 + value));
      return [name, { shape, data }];
    }),
  );
}

/** Random token ids. */
export const drawTokens = ({ shape }, length) =>
  Int32Array.from({ length }, () => stream.int(shape.vocabularySize));

/** A sequence of which every token but the first is learned. */
export function drawDatum(config, length) {
  return {
    tokens: drawTokens(config, length),
    positions: Int32Array.from({ length: length - 1 }, (_, i) => i + 1),
    weights: new Float32Array(length - 1).fill(1 / length),
    columns: {},
  };
}

/** How replies are drawn. */
export const samplingOf = (maxTokens, temperature = 1) => ({
  temperature,
  topP: 1,
  topK: 0,
  maxTokens,
  stopTokens: [],
  stopSequences: [],
});

export const adamW = {
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};
