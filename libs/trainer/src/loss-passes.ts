/**
 * @file Forward and backward passes over one mini-batch: one for the loss of the run, and one for that of each tag with an
 * algorithm of its own. Tokens are weighed over the whole mini-batch, and gradients add up, so the losses are terms of one sum.
 */
import {
  AppError,
  type ComputedWork,
  type ForwardBackwardResult,
  type LossSpec,
  type RunSpec,
  type ScoreRequest,
  type TrainableModel,
} from '@espalier/contracts';
import { withObservedTokens } from '@espalier/objective';
import { buildMiniBatch, type TrainingExample, weighTokens } from './batch.js';
import { addObservations, countObservations, OBSERVATION_NLL, partScores } from './observation-loss.js';
import { indicesByTag } from './select-groups.js';
import { ownerOf } from './tag-algorithms.js';

/** The losses of a model that learns. */
export interface Losses {
  readonly loss: LossSpec;
  /** by tag, of those with an algorithm of their own; absent: all have the same */
  readonly ownLosses?: ReadonlyMap<string, LossSpec> | undefined;
}

/** What one loss came to. */
export interface LossPass {
  readonly examples: readonly TrainingExample[];
  readonly loss: LossSpec;
  /** of each example's tokens */
  readonly weights: readonly Float32Array[];
  readonly result: ForwardBackwardResult;
}

export interface PassedLosses {
  readonly passes: readonly LossPass[];
  /** without that on observations */
  readonly loss: number;
  /** Σ weights of the mini-batch; 1 except for sums over tokens and where the sampler is corrected for */
  readonly weight: number;
  /** means by name, over the tokens of those losses that report them; those of a tag's own loss as `tag/<tag>/…`, too */
  readonly means: Readonly<Record<string, number>>;
  /** the same means without those of tags, over the tokens of the run's loss alone; NaN: it has none here */
  readonly shared: Readonly<Record<string, number>>;
  readonly works: readonly ComputedWork[];
  readonly reductions: readonly string[];
}

/**
 * Adds the gradients of all losses of a mini-batch.
 *
 * @param area of metrics without one
 * @throws engine.not_finite; gradients are zero then
 */
export async function passLosses(
  model: TrainableModel,
  examples: readonly TrainingExample[],
  losses: Losses,
  options: {
    readonly area: string;
    readonly update: RunSpec['update'];
    readonly temperature: number;
    /** column that weights are multiplied by */
    readonly factor: string | undefined;
    /** of the loss on observations; default: 0, none */
    readonly observed?: number;
    /** the other mini-batches of the update */
    readonly others?: readonly (readonly ScoreRequest[])[];
  },
): Promise<PassedLosses> {
  const { update, temperature, factor, others } = options;
  const weights = weighTokens(examples, update, factor);
  const shown = (options.observed ?? 0) > 0 ? countObservations(examples) : 0;
  const passes: (LossPass & { readonly tag: string })[] = [];
  // as the weights of tokens are stored, so that the sum over observations is taken off exactly
  const each = shown === 0 ? 0 : Math.fround((options.observed ?? 0) / shown);
  let nll = 0;
  for (const { tag, loss, indices } of partByLoss(examples, losses)) {
    const own = indices.map((index) => examples[index] as TrainingExample);
    const ownWeights = indices.map((index) => weights[index] ?? new Float32Array());
    const passed = await passLoss(model, own, loss, {
      temperature,
      others,
      weights: ownWeights,
      each,
    });
    nll += passed.nll;
    passes.push({ tag, examples: own, loss, weights: ownWeights, result: passed.result });
  }
  const means = meansOf(passes, options.area);
  const shared = meansOf(
    passes.filter(({ tag }) => tag === ''),
    options.area,
  );
  return {
    passes,
    loss: passes.reduce((sum, { result }) => sum + result.loss, 0),
    weight: sumOf(weights),
    means: {
      ...means,
      ...(shown === 0 ? {} : { [OBSERVATION_NLL.name]: nll / shown }),
    },
    shared: Object.fromEntries(
      Object.keys(means).flatMap((name) => (name.startsWith('tag/') ? [] : [[name, shared[name] ?? NaN]])),
    ),
    works: passes.flatMap(({ result }) => result.work ?? []),
    reductions: passes.flatMap(({ result }) => result.reductions ?? []),
  };
}

/** Adds the gradient of one loss; the result is that of its own tokens, `nll` is Σ −logprob over observation tokens. */
async function passLoss(
  model: TrainableModel,
  examples: readonly TrainingExample[],
  loss: LossSpec,
  options: {
    readonly temperature: number;
    readonly others: readonly (readonly ScoreRequest[])[] | undefined;
    /** of each example's tokens */
    readonly weights: readonly Float32Array[];
    /** weight of each observation token; 0: they are left out */
    readonly each: number;
  },
): Promise<{ readonly result: ForwardBackwardResult; readonly nll: number }> {
  const { temperature, others, weights, each } = options;
  const own = examples.map((example, index) => ({ example, weights: weights[index] ?? new Float32Array() }));
  const all = each === 0 ? own : own.map((one) => addObservations(one, each));
  const shown = all.map(({ example }) => example);
  const joined = each === 0 ? loss : withObservedTokens(loss);
  const data = buildMiniBatch(shown, joined, {
    temperature,
    weights: all.map((one) => one.weights),
  });
  const result = await model.forwardBackward(data, joined, others);
  if (!Number.isFinite(result.loss)) {
    await model.zeroGradients();
    throw new AppError(
      'engine.not_finite',
      `train step: loss "${loss.id}" is ${result.loss}; the step was not applied`,
    );
  }
  if (each === 0) return { result, nll: 0 };
  if (result.scores === undefined) return { result, nll: Number.NaN };
  const { scores, nll } = partScores(shown, result.scores);
  return { result: { ...result, scores, loss: result.loss - each * nll }, nll };
}

interface LossPart {
  /** of a loss of its own; empty: that of the run */
  readonly tag: string;
  readonly loss: LossSpec;
  readonly indices: readonly number[];
}

/** Parts a mini-batch by loss, in order of first appearance. */
function partByLoss(examples: readonly TrainingExample[], { loss, ownLosses }: Losses): LossPart[] {
  if (ownLosses === undefined) return [{ tag: '', loss, indices: examples.map((_, index) => index) }];
  const owners = examples.map(({ trajectory: { environmentTag = '' } }) =>
    ownerOf(environmentTag, ownLosses),
  );
  return [...indicesByTag(owners)].map(([tag, indices]) => ({
    tag,
    loss: ownLosses.get(tag) ?? loss,
    indices,
  }));
}

function meansOf(
  passes: readonly (LossPass & { readonly tag: string })[],
  area: string,
): Record<string, number> {
  const sums = new Map<string, { sum: number; weight: number }>();
  const add = (name: string, sum: number, weight: number): void => {
    const known = sums.get(name) ?? { sum: 0, weight: 0 };
    sums.set(name, { sum: known.sum + sum, weight: known.weight + weight });
  };
  for (const { tag, weights, result } of passes) {
    const weight = sumOf(weights);
    for (const [name, sum] of Object.entries(result.metrics)) {
      const full = name.includes('/') ? name : `${area}/${name}`;
      add(full, sum, weight);
      if (tag !== '') add(`tag/${tag}/${full}`, sum, weight);
    }
  }
  // every token is masked: there is no mean; else dividing by Σ weight gives a mean for every aggregation
  return Object.fromEntries(
    [...sums].flatMap(([name, { sum, weight }]) => (weight === 0 ? [] : [[name, sum / weight]])),
  );
}

const sumOf = (weights: readonly Float32Array[]): number =>
  weights.reduce((sum, own) => sum + own.reduce((a, b) => a + b, 0), 0);
