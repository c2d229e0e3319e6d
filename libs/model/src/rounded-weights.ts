/**
 * @file Weights of sampling graphs in bfloat16: tables and matrices, rounded to nearest, ties to even, whenever the
 * model's weights change. Vectors are few and stay float32.
 */
import type { ModelConfig } from './families/model-family.js';
import {
  listSamplingWeights,
  type ParameterSource,
  readParts,
  type SamplingWeight,
} from './sampling-weights.js';
import { roundToBfloat16 } from './weights/float16.js';

/** Whether sampling in bf16 holds a weight in it. */
export const isRounded = ({ kind }: Pick<SamplingWeight, 'kind'>): boolean => kind !== 'vector';

/**
 * Rounds all tables and matrices of a model for sampling. A head that is tied to the embedding is the same array.
 *
 * @param allocate memory for bit patterns
 */
export async function roundSamplingWeights(
  config: ModelConfig,
  source: ParameterSource,
  allocate: (length: number) => Uint16Array,
): Promise<Map<string, Uint16Array>> {
  const rounded = new Map<string, Uint16Array>();
  const byParts = new Map<string, Uint16Array>();
  for (const [name, weight] of listSamplingWeights(config)) {
    if (!isRounded(weight)) continue;
    const { parts, shape } = weight;
    let target = byParts.get(parts.join());
    if (target === undefined) {
      const halves = (target = allocate(shape.reduce((a, b) => a * b, 1)));
      await readParts(config, source, parts, (values, start) =>
        roundToBfloat16(values, halves.subarray(start, start + values.length)),
      );
      byParts.set(parts.join(), target);
    }
    rounded.set(name, target);
  }
  return rounded;
}
