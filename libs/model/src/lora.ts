/**
 * @file Low-rank adapters: next to a frozen matrix W [out, in] stand A [rank, in] and B [out, rank], and a row x gives
 * x·Wᵀ + scale · (x·Aᵀ)·Bᵀ (Hu et al. 2021, arXiv:2106.09685, eq. 3). B begins with zeros, so that an adapted model
 * begins as its base.
 */
import { AppError } from '@espalier/contracts';
import { checkpoint, matmul, mul, type Tensor, transpose } from '@espalier/graph';
import { createStream, deriveSeed } from '@espalier/random';
import type { LoraAdapter } from './adapters/adapter-folder.js';
import { ALL_LINEAR, isTargeted, type LoraConfig, loraScale } from './adapters/lora-config.js';
import type { ModelConfig } from './families/model-family.js';
import { layerPrefix } from './model-weights.js';
import type { Weight } from './weights/model-folder.js';

/** Adapters of one model. */
export interface LoraShape {
  readonly rank: number;
  /** factor of the product of A and B */
  readonly scale: number;
  /** the adapted modules, as `model.layers.0.self_attn.q_proj` */
  readonly targets: readonly string[];
}

/** The module of an output head that is not the table of embeddings. */
const HEAD_MODULE = 'lm_head';

/** The matrices of all layers by their modules, [out, in], in the order of the forward pass. */
function linearLayers({ family, shape }: ModelConfig): Map<string, readonly [number, number]> {
  const layers = new Map<string, readonly [number, number]>();
  const weights = Object.entries(family.layerWeights(shape));
  for (let layer = 0; layer < shape.layerCount; layer += 1)
    for (const [name, { shape: size }] of weights)
      if (size.length === 2)
        layers.set(`${layerPrefix(layer)}${name}`, size as unknown as readonly [number, number]);
  if (!shape.isTied) layers.set(HEAD_MODULE, [shape.vocabularySize, shape.hiddenSize]);
  return layers;
}

/** Why modules around the layers have no adapters. */
const frozenModules: Readonly<Record<string, string>> = {
  embed_tokens: 'embeddings are looked up, not multiplied, and stay frozen',
  [HEAD_MODULE]: 'the output head of this model is its table of embeddings, which stays frozen',
};

/** Tells what is wrong with adapters for a model: the option, and a sentence that ends with the remedy. */
export function findLoraProblem(
  config: ModelConfig,
  { rank, targets }: Pick<LoraConfig, 'rank' | 'targets'>,
): readonly [option: string, sentence: string] | undefined {
  const layers = linearLayers(config);
  const names = [...layers.keys()];
  const foreign = (targets === ALL_LINEAR ? [] : targets).find(
    (target) => !names.some((name) => isTargeted(name, [target])),
  );
  if (foreign !== undefined) {
    const finding = frozenModules[foreign] ?? `no linear layer of ${config.family.modelType} has this name`;
    const known = new Set(names.map((name) => name.split('.').at(-1)));
    return ['targets', `"${foreign}": ${finding}; choose from ${[...known].join(', ')}`];
  }
  const [small] = [...layers]
    .filter(([name, size]) => isTargeted(name, targets) && rank > Math.min(...size))
    .sort(([, a], [, b]) => Math.min(...a) - Math.min(...b));
  if (small === undefined) return undefined;
  const [name, [outs, ins]] = small;
  return [
    'rank',
    `${rank}: ${name} is ${outs} × ${ins}; choose at most ${Math.min(outs, ins)}, or leave it out of lora.targets`,
  ];
}

/** The adapters of a model; requires options without {@link findLoraProblem}. */
export function resolveLora(config: ModelConfig, lora: LoraConfig): LoraShape {
  const targets = [...linearLayers(config).keys()].filter((name) => isTargeted(name, lora.targets));
  return { rank: lora.rank, scale: loraScale(lora), targets };
}

/** Tells whether a parameter belongs to the adapters of the output head, which a critic does not have. */
export const isOfHead = (name: string): boolean => name.startsWith(`${HEAD_MODULE}.lora_`);

/** What the parameters of an adapted matrix are called; in PEFT's files `base_model.model.` stands before it. */
export const loraName = (path: string, part: 'A' | 'B'): string => `${path}.lora_${part}.weight`;

/** Lists the parameters of all adapters in the order of the forward pass. */
export function loraShapes(
  config: ModelConfig,
  { rank, targets }: LoraShape,
): Map<string, readonly number[]> {
  const layers = linearLayers(config);
  const shapes = new Map<string, readonly number[]>();
  for (const path of targets) {
    const [outs, ins] = layers.get(path) as readonly [number, number];
    shapes.set(loraName(path, 'A'), [rank, ins]);
    shapes.set(loraName(path, 'B'), [outs, rank]);
  }
  return shapes;
}

/** Draws A uniform within ±1/√in (PyTorch's Kaiming-uniform with a = √5, as PEFT does); B is zero. */
export function initializeLora(config: ModelConfig, lora: LoraShape, seed: number): Map<string, Weight> {
  const weights = new Map<string, Weight>();
  for (const [name, shape] of loraShapes(config, lora)) {
    const [rows, columns] = shape as readonly [number, number];
    const data = new Float32Array(rows * columns);
    if (name.endsWith('.lora_A.weight')) {
      const stream = createStream(deriveSeed(seed, 'lora', name));
      const bound = 1 / Math.sqrt(columns);
      for (let i = 0; i < data.length; i += 1) data[i] = bound * (2 * stream.next() - 1);
    }
    weights.set(name, { data, shape });
  }
  return weights;
}

/**
 * Lets new adapters begin as one that exists: the first rows of A are its own, the others stay random next to zeros in B.
 *
 * @param view of the parameters that {@link initializeLora} has filled
 * @param source names the adapter in messages
 * @throws model.adapter_mismatch when it has a larger rank or other layers
 */
export function placeAdapter(
  adapter: LoraAdapter,
  lora: LoraShape,
  view: (name: string) => Float32Array,
  source: string,
): void {
  const refuse = (finding: string): never => {
    throw new AppError(
      'model.adapter_mismatch',
      `train on "${source}": ${finding}, or merge it with \`espalier model merge\` first`,
      { details: { adapter: source } },
    );
  };
  const { rank } = adapter.config;
  if (rank > lora.rank)
    refuse(`its adapters have the rank ${rank}, more than lora.rank ${lora.rank}; choose at least ${rank}`);
  const factor = loraScale(adapter.config) / lora.scale;
  for (const [path, { a, b }] of adapter.layers) {
    if (!lora.targets.includes(path))
      refuse(`it changes ${path}, which lora.targets does not name; add it to them`);
    view(loraName(path, 'A')).set(a.data);
    const target = view(loraName(path, 'B'));
    for (let i = 0; i < b.data.length; i++)
      target[Math.floor(i / rank) * lora.rank + (i % rank)] = factor * b.data[i]!;
  }
}

/**
 * The product of rows [N, in] with both parts: [N, out]. A is transposed on its own, so that the gradient of A too is a
 * product with more rows than columns, whose bits do not depend on the number of threads.
 *
 * @param mask gives factors of the rows, [N, in], for dropout; the backward pass makes them again instead of keeping them
 */
export function loraProduct(
  x: Tensor,
  a: Tensor,
  b: Tensor,
  { scale, mask }: { readonly scale: number; readonly mask?: ((x: Tensor) => Tensor) | undefined },
): Tensor {
  const product = (rows: Tensor, down: Tensor, up: Tensor): Tensor =>
    matmul(matmul(rows, transpose(down, [1, 0])), up, { transposeB: true, scale });
  if (mask === undefined) return product(x, a, b);
  return checkpoint([x, a, b], (inputs) => {
    const [rows, down, up] = inputs as [Tensor, Tensor, Tensor];
    return product(mul(rows, mask(rows)), down, up);
  });
}
