import { type ModelConfig, parseModelConfig } from '@espalier/model';

export type ShapeName = keyof typeof shapes;

export interface Shape {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly feedForward: number;
  readonly vocabulary: number;
  readonly tied: boolean;
}

/**
 * The shapes of models that are compared: 5 M parameters, as small as the built-in model, and the layers of a 135 M
 * model. Training has untied heads and as many key/value heads as heads, so that its count of FLOP is the plain one;
 * decoding has tied heads, as has SmolLM2-135M.
 */
const shapes = {
  train5m: {
    width: 256,
    layers: 6,
    heads: 8,
    keyValueHeads: 8,
    feedForward: 704,
    vocabulary: 512,
    tied: false,
  },
  train135m: {
    width: 576,
    layers: 30,
    heads: 9,
    keyValueHeads: 9,
    feedForward: 1536,
    vocabulary: 49152,
    tied: false,
  },
  decode5m: {
    width: 256,
    layers: 6,
    heads: 8,
    keyValueHeads: 8,
    feedForward: 704,
    vocabulary: 512,
    tied: true,
  },
  decode135m: {
    width: 576,
    layers: 30,
    heads: 9,
    keyValueHeads: 3,
    feedForward: 1536,
    vocabulary: 49152,
    tied: true,
  },
} satisfies Record<string, Shape>;

/** The shape of a name; in short mode with few layers and words, because such figures are not quoted. */
export function shapeOf(name: ShapeName, short: boolean): Shape {
  const shape: Shape = shapes[name];
  return short ? { ...shape, layers: 2, vocabulary: 512 } : shape;
}

/** Turns a shape into a model configuration. */
export function configOf(shape: Shape, contextLength: number): ModelConfig {
  return parseModelConfig({
    model_type: 'llama',
    vocab_size: shape.vocabulary,
    hidden_size: shape.width,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.keyValueHeads,
    intermediate_size: shape.feedForward,
    max_position_embeddings: contextLength,
    tie_word_embeddings: shape.tied,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
  });
}

/** Work of one training step in FLOP: 6·parameters·tokens + 12·layers·B·T²·D; the embedding look-up is not counted. */
export function trainingFlop(shape: Shape, batch: number, length: number): number {
  const { width, layers, heads, keyValueHeads, feedForward, vocabulary } = shape;
  const perLayer = 2 * width * width * (1 + keyValueHeads / heads) + 3 * width * feedForward;
  const parameters = layers * perLayer + vocabulary * width;
  return 6 * parameters * batch * length + 12 * layers * batch * length * length * width;
}
