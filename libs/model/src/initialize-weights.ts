/** @file Fresh weights for training from nothing. */
import { createStream } from '@espalier/random';
import { parameterShapes } from './families/llama.js';
import type { LlamaConfig } from './families/llama-config.js';
import type { Weight } from './weights/model-folder.js';

/**
 * Draws weights: matrices normal with deviation 1/√(inputs), those that write to the residual stream divided by
 * √(2·layers) more, norms one. Embeddings too have 1/√width: logits of a tied head then start with deviation 1, and
 * tokens are not drowned by what the layers add, which makes the first steps several times as fruitful as with 0.02.
 */
export function initializeWeights(config: LlamaConfig, seed: number): Map<string, Weight> {
  const weights = new Map<string, Weight>();
  const stream = createStream(seed);
  for (const [name, shape] of parameterShapes(config)) {
    const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
    const deviation = deviationOf(name, shape, config.num_hidden_layers);
    if (deviation === undefined) data.fill(1);
    else fillNormal(data, deviation, () => stream.next());
    weights.set(name, { data, shape });
  }
  return weights;
}

function deviationOf(name: string, shape: readonly number[], layers: number): number | undefined {
  if (shape.length === 1) return undefined;
  const base = 1 / Math.sqrt(shape[1] as number);
  return /o_proj|down_proj/.test(name) ? base / Math.sqrt(2 * layers) : base;
}

/** Box and Muller 1958. */
function fillNormal(target: Float32Array, deviation: number, uniform: () => number): void {
  for (let i = 0; i < target.length; i += 2) {
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    target[i] = radius * Math.cos(angle);
    if (i + 1 < target.length) target[i + 1] = radius * Math.sin(angle);
  }
}
