/** @file Fresh weights for training from nothing. */
import { createStream } from '@espalier/random';
import type { ModelConfig } from './families/model-family.js';
import { listParameters, type Parameter } from './model-weights.js';
import type { Weight } from './weights/model-folder.js';

/**
 * Draws weights: matrices normal with deviation 1/√inputs; those that add to the residual stream are divided by
 * √(2·layers) more, norms one, biases zero. Embeddings too have 1/√(hidden size): logits of a tied head then start with
 * deviation 1 and the layers do not drown the tokens, so the first steps learn several times as much as with 0.02.
 */
export function initializeWeights(config: ModelConfig, seed: number): Map<string, Weight> {
  const weights = new Map<string, Weight>();
  const stream = createStream(seed);
  for (const [name, parameter] of listParameters(config)) {
    const { shape, start } = parameter;
    const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
    if (start === 'ones') data.fill(1);
    else if (start !== 'zeros')
      fillNormal(data, deviationOf(parameter, config.shape.layerCount), () => stream.next());
    weights.set(name, { data, shape });
  }
  return weights;
}

function deviationOf({ shape, start }: Parameter, layers: number): number {
  const base = 1 / Math.sqrt(shape[1] as number);
  return start === 'residual' ? base / Math.sqrt(2 * layers) : base;
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
