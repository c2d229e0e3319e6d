/**
 * @file What a model family is: one record that says how its `config.json` is read, which weights a layer has and how a
 * layer computes. Training, scoring, prefill and decoding are all built from it. The families are listed in families.ts.
 */
import type { Tensor } from '@espalier/graph';
import type { z } from 'zod';
import type { LayerContext } from '../layers/layer-context.js';
import type { DecoderConfig } from './decoder-config.js';

/** How the frequencies of the rotary embedding are stretched for contexts beyond those of pretraining. */
export type RotaryScaling =
  | { readonly type: 'linear'; readonly factor: number }
  | {
      readonly type: 'llama3';
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      /** longest sequence of pretraining */
      readonly originalLength: number;
    }
  | {
      readonly type: 'yarn';
      readonly factor: number;
      readonly originalLength: number;
      readonly betaFast: number;
      readonly betaSlow: number;
      /** round the range of interpolated dimensions to whole ones */
      readonly isTruncated: boolean;
      /** factor of cosines and sines */
      readonly attentionFactor: number;
    };

/** How queries and keys are rotated by their positions. */
export interface RotaryShape {
  readonly theta: number;
  readonly scaling?: RotaryScaling | undefined;
}

/** How one layer attends. */
export interface AttentionShape {
  /** factor of scores */
  readonly scale: number;
  /** undefined: queries and keys are not rotated */
  readonly rotary?: RotaryShape | undefined;
  /** how many keys a query sees, its own included; undefined: all up to its own */
  readonly window?: number | undefined;
  /** scores are bent into (−cap, cap); undefined: they are not */
  readonly softCap?: number | undefined;
}

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
  /** added to the weights of norms: 1 where a checkpoint holds differences from 1 */
  readonly normOffset: number;
  readonly contextLength: number;
  /** the embedding is also the output head */
  readonly isTied: boolean;
  /** factor of embedded tokens */
  readonly embeddingScale: number;
  /** logits are bent into (−cap, cap); undefined: they are not */
  readonly logitSoftCap?: number | undefined;
  /** of the gate of the feed-forward layer */
  readonly activation: 'silu' | 'gelu';
  /** projections to queries, keys and values have biases */
  readonly hasAttentionBias: boolean;
  /** the projection back from heads has one */
  readonly hasOutputBias: boolean;
  /** the projections of the feed-forward layer have biases */
  readonly hasFeedForwardBias: boolean;
  /** what is normalized of queries and keys before they are rotated: nothing, each head, or all heads together */
  readonly queryKeyNorm: 'none' | 'head' | 'projection';
  /** one per layer */
  readonly attention: readonly AttentionShape[];
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
