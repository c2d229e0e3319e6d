/**
 * @file Weights in the layout sampling wants: [in, out], so that no product transposes. Queries and keys, which are
 * turned together, stand side by side; what would only be cut apart again does not. Copies, to be packed again when the
 * weights change.
 */
import { EMBEDDING, FINAL_NORM, headName } from './families/llama.js';
import { type LlamaConfig, resolveLlamaShape } from './families/llama-config.js';

/** Names and shapes of the weights of sampling graphs. */
export function samplingWeightShapes(config: LlamaConfig): Map<string, readonly number[]> {
  const {
    width: D,
    layerCount,
    headCount: H,
    keyValueHeadCount: K,
    headWidth: d,
    feedForwardWidth: F,
    vocabularySize: V,
  } = resolveLlamaShape(config);
  const shapes = new Map<string, readonly number[]>([['embedding', [V, D]]]);
  for (let layer = 0; layer < layerCount; layer += 1) {
    shapes.set(`${layer}.input_norm`, [D]);
    shapes.set(`${layer}.qk`, [D, (H + K) * d]);
    shapes.set(`${layer}.v`, [D, K * d]);
    shapes.set(`${layer}.out`, [H * d, D]);
    shapes.set(`${layer}.inner_norm`, [D]);
    shapes.set(`${layer}.gate`, [D, F]);
    shapes.set(`${layer}.up`, [D, F]);
    shapes.set(`${layer}.down`, [F, D]);
  }
  shapes.set('final_norm', [D]);
  shapes.set('head', [D, V]);
  return shapes;
}

/** Parameters whose transposes stand side by side in a sampling weight. */
function partsOf(name: string, config: LlamaConfig): string[] {
  const [layer, kind] = name.split('.') as [string, string?];
  const inLayer = (...names: string[]): string[] =>
    names.map((part) => `model.layers.${layer}.${part}.weight`);
  if (name === 'embedding') return [EMBEDDING];
  if (name === 'final_norm') return [FINAL_NORM];
  if (name === 'head') return [headName(config)];
  if (kind === 'input_norm') return inLayer('input_layernorm');
  if (kind === 'inner_norm') return inLayer('post_attention_layernorm');
  if (kind === 'qk') return inLayer('self_attn.q_proj', 'self_attn.k_proj');
  if (kind === 'v') return inLayer('self_attn.v_proj');
  if (kind === 'out') return inLayer('self_attn.o_proj');
  if (kind === 'gate' || kind === 'up') return inLayer(`mlp.${kind}_proj`);
  return inLayer('mlp.down_proj');
}

interface Source {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/**
 * Packs the weights of sampling graphs.
 *
 * @param parameters the model's parameters by name, [out, in]
 * @param reuse      an earlier result, written over
 * @returns          arrays by name; the embedding and norms are the given arrays, not copies
 */
export function packSamplingWeights(
  config: LlamaConfig,
  parameters: (name: string) => Source,
  reuse?: ReadonlyMap<string, Float32Array>,
): Map<string, Float32Array> {
  const packed = new Map<string, Float32Array>();
  for (const [name, shape] of samplingWeightShapes(config)) {
    const sources = partsOf(name, config).map(parameters);
    if (shape.length === 1 || name === 'embedding') {
      packed.set(name, (sources[0] as Source).data);
      continue;
    }
    const [rows, columns] = shape as [number, number];
    const target = reuse?.get(name) ?? new Float32Array(rows * columns);
    let column = 0;
    for (const { data, shape: sourceShape } of sources) {
      transposeInto(target, columns, column, data, sourceShape[0] as number, rows);
      column += sourceShape[0] as number;
    }
    packed.set(name, target);
  }
  return packed;
}

const TILE = 32;

/** Writes the transpose of `source` [outs, ins] into columns of `target`, tile by tile to stay in the cache. */
function transposeInto(
  target: Float32Array,
  stride: number,
  column: number,
  source: Float32Array,
  outs: number,
  ins: number,
): void {
  for (let o = 0; o < outs; o += TILE) {
    const lastOut = Math.min(outs, o + TILE);
    for (let i = 0; i < ins; i += TILE) {
      const lastIn = Math.min(ins, i + TILE);
      for (let row = i; row < lastIn; row += 1) {
        for (let out = o; out < lastOut; out += 1)
          target[row * stride + column + out] = source[out * ins + row] as number;
      }
    }
  }
}
