/**
 * @file LoRA as PEFT describes it in adapter_config.json: which linear layers get W + scale · B·A, and how large it is.
 *
 * @see Hu et al. 2021, arXiv:2106.09685; Kalajdzievski 2023, arXiv:2312.03732, for rank stabilization
 */
import { z } from 'zod';
import type { ModelConfig, Refuse } from '../families/model-family.js';
import { EMBEDDING, parameterShapes } from '../model-weights.js';

export interface LoraConfig {
  readonly rank: number;
  readonly alpha: number;
  /** B·A is scaled by alpha / √rank, not by alpha / rank */
  readonly rankStabilized: boolean;
  /** share of the inputs of A that training drops */
  readonly dropout: number;
  /** names of linear layers or their last parts, as `q_proj`; or all but the output head */
  readonly targets: readonly string[] | typeof ALL_LINEAR;
}

/** Every linear layer but the output head. */
export const ALL_LINEAR = 'all-linear';

/** The factor of B·A. */
export function loraScale({ rank, alpha, rankStabilized }: LoraConfig): number {
  return alpha / (rankStabilized ? Math.sqrt(rank) : rank);
}

/** Lists the linear layers of a model that targets name, with the shapes [out, in] of their weights. */
export function targetedLayers(
  model: ModelConfig,
  targets: LoraConfig['targets'],
): Map<string, readonly number[]> {
  const layers = [...parameterShapes(model)]
    .filter(([name, shape]) => shape.length === 2 && name !== EMBEDDING)
    .map(([name, shape]) => [name.slice(0, -'.weight'.length), shape] as const);
  return new Map(layers.filter(([name]) => isTargeted(name, targets)));
}

/** Tells whether targets name a layer, by the rule of PEFT: the whole name, or what stands behind one of its dots. */
export function isTargeted(name: string, targets: LoraConfig['targets']): boolean {
  if (targets === ALL_LINEAR) return name !== 'lm_head';
  return targets.some((target) => name === target || name.endsWith(`.${target}`));
}

/** Ways to start that leave the weights of the base as they are; others subtract from them. */
const plainStarts = ['gaussian', 'orthogonal', 'eva'] as const;

const schema = z.looseObject({
  peft_type: z.literal('LORA'),
  task_type: z.literal('CAUSAL_LM').nullish(),
  r: z
    .int()
    .min(1)
    .max(2 ** 14),
  lora_alpha: z.number().positive(),
  use_rslora: z.boolean().default(false),
  lora_dropout: z.number().min(0).lt(1).default(0),
  target_modules: z.union([z.literal(ALL_LINEAR), z.array(z.string().min(1)).min(1)], {
    error: `expected a list of names of layers, or "${ALL_LINEAR}"`,
  }),
  bias: z.literal('none').default('none'),
  init_lora_weights: z
    .union([z.boolean(), z.enum(plainStarts)], {
      error: `a start that changes the base is not supported; convert the adapter with PEFT (path_initial_model_for_weight_conversion)`,
    })
    .default(true),
  base_model_name_or_path: z.string().nullish(),
  revision: z.string().nullish(),
});

/** adapter_config.json as it is read; other keys are kept. */
export type AdapterJson = z.infer<typeof schema>;

/** Keys that say nothing about what the adapter computes. */
const ignoredKeys: ReadonlySet<string> = new Set([
  ...Object.keys(schema.shape),
  'auto_mapping',
  'corda_config',
  'eva_config',
  'inference_mode',
  'loftq_config',
  'lora_ga_config',
  'megatron_core',
  'peft_version',
  'qalora_group_size',
  'runtime_config',
]);

/** Reads an unknown value as adapter_config.json; what an adapter would compute otherwise is refused by its key. */
export function parseAdapterJson(value: unknown, refuse: Refuse): AdapterJson {
  const result = schema.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const key = issue?.path.join('.') ?? '';
    const found = key === '' ? undefined : (value as Record<string, unknown>)[String(issue?.path[0])];
    const message = issue?.message.replace(/^(Invalid input|Too small|Too big|Invalid option): /, '') ?? '';
    if (key === '') return refuse('not a JSON object; copy the adapter again');
    return refuse(`${key} is ${found === undefined ? 'missing' : show(found)}; ${message}`);
  }
  for (const [key, given] of Object.entries(result.data)) {
    if (ignoredKeys.has(key) || isNeutral(given)) continue;
    refuse(
      `${key} is ${show(given)}, which is not supported: it must be ${show(neutralOf(given))}; merge the adapter into its base with PEFT, or train one without it`,
    );
  }
  return result.data;
}

/** What a key of PEFT has when it is not used. */
const isNeutral = (value: unknown): boolean =>
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value as object).length === 0);

const neutralOf = (value: unknown): unknown =>
  value === true ? false : Array.isArray(value) || typeof value !== 'object' ? null : {};

const show = (value: unknown): string => JSON.stringify(value).slice(0, 60);

/** The part of adapter_config.json that training and merging use. */
export function readLoraConfig(json: AdapterJson): LoraConfig {
  return {
    rank: json.r,
    alpha: json.lora_alpha,
    rankStabilized: json.use_rslora,
    dropout: json.lora_dropout,
    targets: json.target_modules,
  };
}

/**
 * adapter_config.json of an adapter.
 *
 * @param base the model it was trained on, as PEFT would find it
 */
export function describeLoraConfig(
  lora: LoraConfig,
  base: { readonly name?: string | undefined; readonly revision?: string | undefined },
): Record<string, unknown> {
  return {
    base_model_name_or_path: base.name ?? null,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    lora_alpha: lora.alpha,
    lora_dropout: lora.dropout,
    modules_to_save: null,
    peft_type: 'LORA',
    r: lora.rank,
    revision: base.revision ?? null,
    target_modules: lora.targets,
    task_type: 'CAUSAL_LM',
    use_dora: false,
    use_rslora: lora.rankStabilized,
  };
}
