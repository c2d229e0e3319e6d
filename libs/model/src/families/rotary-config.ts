/** @file The keys of a `config.json` that say how positions rotate queries and keys. */
import { z } from 'zod';
import type { Refuse, RotaryScaling, RotaryShape } from './model-family.js';

const positive = z.number().positive();
const length = z.int().min(1);

/** What stands below `rope_parameters`, or `rope_scaling` in older files. */
export const rotarySchema = z.looseObject({
  rope_theta: positive.optional(),
  rope_type: z.string().optional(),
  /** the name of `rope_type` in older files */
  type: z.string().optional(),
  factor: positive.nullish(),
  original_max_position_embeddings: length.nullish(),
  low_freq_factor: positive.nullish(),
  high_freq_factor: positive.nullish(),
  beta_fast: positive.nullish(),
  beta_slow: positive.nullish(),
  attention_factor: positive.nullish(),
  mscale: z.number().nullish(),
  mscale_all_dim: z.number().nullish(),
  truncate: z.boolean().nullish(),
  partial_rotary_factor: z.literal(1).nullish(),
});

type RotaryParameters = z.infer<typeof rotarySchema>;

/** What else of a configuration they depend on. */
export interface RotaryDefaults {
  readonly theta: number;
  /** longest sequence of the model */
  readonly contextLength: number;
  readonly refuse: Refuse;
}

/** Reads how positions rotate queries and keys; scaling that is not known, or lacks a key, is refused. */
export function readRotary(parameters: RotaryParameters, defaults: RotaryDefaults): RotaryShape {
  return { theta: parameters.rope_theta ?? defaults.theta, scaling: readScaling(parameters, defaults) };
}

function readScaling(
  parameters: RotaryParameters,
  { contextLength, refuse }: RotaryDefaults,
): RotaryScaling | undefined {
  const type = parameters.rope_type ?? parameters.type ?? 'default';
  const need = (key: 'factor' | 'low_freq_factor' | 'high_freq_factor'): number =>
    parameters[key] ?? refuse(`rope_type is "${type}" and its ${key} is missing; expected a positive number`);
  const originalLength = parameters.original_max_position_embeddings ?? contextLength;
  switch (type) {
    case 'default':
      if ((parameters.factor ?? 1) === 1) return undefined;
      return refuse(`rope_type is "default" and its factor is ${parameters.factor}; expected no factor`);
    case 'linear':
      return { type, factor: need('factor') };
    case 'llama3': {
      const low = need('low_freq_factor');
      const high = need('high_freq_factor');
      if (high <= low) refuse(`high_freq_factor is ${high}; expected more than low_freq_factor ${low}`);
      return {
        type,
        factor: need('factor'),
        lowFrequencyFactor: low,
        highFrequencyFactor: high,
        originalLength,
      };
    }
    case 'yarn': {
      const factor = parameters.factor ?? contextLength / originalLength;
      return {
        type,
        factor,
        originalLength,
        betaFast: parameters.beta_fast ?? 32,
        betaSlow: parameters.beta_slow ?? 1,
        isTruncated: parameters.truncate ?? true,
        attentionFactor: parameters.attention_factor ?? readAttentionFactor(factor, parameters),
      };
    }
    default:
      return refuse(
        `rope_type ${JSON.stringify(type).slice(0, 60)} is not supported; expected "default", "linear", "llama3" or "yarn"; choose another model`,
      );
  }
}

/** @see Peng et al. 2023, arXiv:2309.00071, section 3.4 */
function readAttentionFactor(factor: number, { mscale, mscale_all_dim: whole }: RotaryParameters): number {
  const magnitude = (weight: number): number => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);
  const hasBoth = Boolean(mscale) && Boolean(whole);
  return hasBoth ? magnitude(mscale as number) / magnitude(whole as number) : magnitude(1);
}
