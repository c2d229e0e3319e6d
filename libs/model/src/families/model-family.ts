/**
 * @file What a model family is: one record that says how its `config.json` is read, which weights a layer has and how a
 * layer computes. Training, scoring, prefill and decoding are all built from it. The families are listed in families.ts.
 */
import type { Tensor } from '@espalier/graph';
import type { z } from 'zod';
import type { LayerContext } from '../layers/layer-context.js';
import type { DecoderConfig } from './decoder-config.js';

/** The sizes and options of a decoder-only transformer, whatever its family; letters as in the axes of the graphs. */
export interface ModelShape {
  readonly vocabularySize: number; // V
  readonly hiddenSize: number; // D
  readonly layerCount: number; // L
  readonly headCount: number; // H
  readonly keyValueHeadCount: number; // K
  readonly headSize: number; // d
  readonly intermediateSize: number; // F
  readonly normEpsilon: number;
  readonly ropeTheta: number;
  readonly contextLength: number;
  /** the embedding is also the output head */
  readonly isTied: boolean;
  /** projections to queries, keys and values have biases */
  readonly hasAttentionBias: boolean;
  /** queries and keys are normalized per head before they are rotated */
  readonly hasHeadNorms: boolean;
}

/** One weight of a layer, `<name>.weight` in a checkpoint. */
export interface LayerWeight {
  /** [out, in] of a matrix, [size] of a norm */
  readonly shape: readonly number[];
  /** there is a `<name>.bias` [out] too */
  readonly hasBias?: boolean;
  /** its output is added to the residual stream; such matrices start with smaller values */
  readonly isResidual?: boolean;
  /** projects to heads that are rotated; sampling computes all of these in one product */
  readonly isRotated?: boolean;
}

/** Refuses a configuration for a reason. @throws model.unsupported_config */
export type Refuse = (finding: string) => never;

/** Everything that is particular to a family of models. */
export interface ModelFamily<Config extends DecoderConfig = DecoderConfig> {
  /** `model_type` in config.json */
  readonly modelType: string;
  /** `architectures` in config.json */
  readonly architecture: string;
  /** which keys of config.json are read, with their defaults in transformers */
  readonly config: z.ZodType<Config>;
  /** Reads the shape, and refuses what the layer does not compute. */
  shape(config: Config, refuse: Refuse): ModelShape;
  /** The weights of one layer by their names below `model.layers.<layer>.`, in the order of the forward pass. */
  layerWeights(shape: ModelShape): Readonly<Record<string, LayerWeight>>;
  /** Computes one layer over rows of the residual stream: [N, D] → [N, D]. */
  layer(x: Tensor, context: LayerContext): Tensor;
}

/** A configuration as its family read it. */
export interface ModelConfig {
  readonly family: ModelFamily;
  readonly shape: ModelShape;
  /** config.json with defaults filled in; unknown keys are kept, so that a saved model has them too */
  readonly json: Readonly<DecoderConfig>;
}
