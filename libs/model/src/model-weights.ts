/** @file The parameters of a model by their names in Hugging Face's checkpoints: tables around the layers of a family. */
import type { ModelConfig } from './families/model-family.js';

/** Name of the table of token embeddings, [V, D]. */
export const EMBEDDING = 'model.embed_tokens.weight';
/** Name of the final norm, [D]. */
export const FINAL_NORM = 'model.norm.weight';
/** Name of the output head of a model whose embeddings are not tied, [V, D]. */
export const OUTPUT_HEAD = 'lm_head.weight';
/** Name of a critic's head, [1, D]. */
export const VALUE_HEAD = 'value_head.weight';

/** Which head a model has: a policy's over tokens, or a critic's. */
export type ModelRole = 'policy' | 'critic';

/** One parameter. */
export interface Parameter {
  readonly shape: readonly number[];
  /** how it starts when a model is trained from nothing */
  readonly start: 'ones' | 'zeros' | 'normal' | 'residual';
}

/** The name of the matrix that turns hidden states into logits, [V, D]. */
export function headName({ shape }: ModelConfig): string {
  return shape.isTied ? EMBEDDING : OUTPUT_HEAD;
}

/** What the parameters of a layer begin with. */
export const layerPrefix = (layer: number): string => `model.layers.${layer}.`;

/** Lists all parameters in the order of the forward pass; a critic has a value head in place of an untied head. */
export function listParameters(config: ModelConfig, role: ModelRole = 'policy'): Map<string, Parameter> {
  const { vocabularySize: V, hiddenSize: D, layerCount, isTied, normOffset } = config.shape;
  const startOfNorms = normOffset === 0 ? 'ones' : 'zeros';
  const parameters = new Map<string, Parameter>([[EMBEDDING, { shape: [V, D], start: 'normal' }]]);
  const weights = Object.entries(config.family.layerWeights(config.shape));
  for (let layer = 0; layer < layerCount; layer += 1) {
    for (const [name, { shape, hasBias = false, isResidual = false }] of weights) {
      const path = `${layerPrefix(layer)}${name}`;
      const start = shape.length === 1 ? startOfNorms : isResidual ? 'residual' : 'normal';
      parameters.set(`${path}.weight`, { shape, start });
      if (hasBias) parameters.set(`${path}.bias`, { shape: shape.slice(0, 1), start: 'zeros' });
    }
  }
  parameters.set(FINAL_NORM, { shape: [D], start: startOfNorms });
  if (role === 'critic') parameters.set(VALUE_HEAD, { shape: [1, D], start: 'normal' });
  else if (!isTied) parameters.set(OUTPUT_HEAD, { shape: [V, D], start: 'normal' });
  return parameters;
}

/** The shapes of all parameters by name. */
export function parameterShapes(
  config: ModelConfig,
  role: ModelRole = 'policy',
): Map<string, readonly number[]> {
  return new Map([...listParameters(config, role)].map(([name, { shape }]) => [name, shape]));
}
