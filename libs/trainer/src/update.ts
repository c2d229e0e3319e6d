/**
 * @file The update of an iteration: epochs over one rollout batch, mini-batch by mini-batch; in each the critics first, then
 * the policy. Means are over the whole mini-batch; the engine cuts it into micro-batches.
 */
import {
  AppError,
  type ComputedWork,
  defineMetric,
  type OptimizerSpec,
  type OptimizerStepResult,
  type RunSpec,
  type ScoreRequest,
  type ScoringModel,
  type TrainableModel,
} from '@espalier/contracts';
import { learningRateAt } from '@espalier/optimizer';
import { joinByTrajectory, joinScores, pick, requestsOf, type TrainingExample } from './batch.js';
import { type Losses, type LossPass, type PassedLosses, passLosses } from './loss-passes.js';
import { findMistaken } from './match-results.js';
import { listMiniBatches } from './mini-batches.js';
import { withObservationPositions } from './observation-loss.js';
import { learnFromSiblings, type Teaching } from './self-distillation.js';
import { addStepColumns, type StepColumns } from './step-columns.js';
import { withValuesOf } from './critics.js';
import type { PolicyPass } from './update-records.js';
import type { Progress } from './run-context.js';
import { criticPasses } from './schedule.js';
import { normalizeColumns, type ValueScales } from './value-scale.js';

for (const [model, of] of [
  ['policy', ''],
  ['critic', '; with several critics, over those of all'],
] as const) {
  defineMetric({
    name: `${model}/objective`,
    unit: '1',
    formula: `mean over the iteration's mini-batches of the ${model} objective, Σ weight · loss of the whole mini-batch${of}`,
  });
  defineMetric({
    name: `${model}/gradient_norm`,
    unit: '1',
    formula: `mean over the iteration's mini-batches of the global L2 norm of the ${model} gradient before clipping${of}`,
  });
  defineMetric({
    name: `${model}/clipped_gradient_share`,
    unit: 'probability',
    formula: `share of the iteration's mini-batches whose ${model} gradient was clipped to the maximum norm${of}`,
  });
  defineMetric({
    name: `${model}/learning_rate`,
    unit: '1',
    formula: `learning rate of the iteration's last ${model} optimizer step`,
  });
}
const LOGPROB_GAP = defineMetric({
  name: 'policy/logprob_gap_max',
  unit: 'nats',
  formula:
    'largest |log-probability at sampling − log-probability in training| over the first mini-batch, which still has the weights used for sampling; trajectories of an older policy do not count; none with `lora.dropout`',
});

defineMetric({
  name: 'update/computed_tokens',
  unit: 'tokens',
  formula:
    'tokens computed by the layers of the policy over all epochs, padding included; shared prefixes count once, tokens that no loss token depends on do not count',
});
defineMetric({
  name: 'update/padding_share',
  unit: 'probability',
  formula: 'padded tokens / update/computed_tokens',
});
defineMetric({
  name: 'update/attention_padding_share',
  unit: 'probability',
  formula: 'padded cells of the attention matrices / all their cells, over all epochs of the policy',
});

/** A model that learns in this iteration. */
export interface Learner extends Losses {
  readonly model: TrainableModel;
  /** optimizer steps made before this iteration */
  readonly stepsBefore: number;
  /** optimizer steps planned for the whole run: the length of the learning-rate schedule */
  readonly plannedSteps: number;
  /** of a critic's values; absent: they are in reward */
  readonly scales?: ValueScales | undefined;
  /** of one of several critics: the column with what it said */
  readonly valuesFrom?: string | undefined;
  /** columns that depend on the policy before each step; only the policy has them */
  readonly stepColumns?: { readonly compute: StepColumns; readonly model: ScoringModel } | undefined;
  /** with self-distillation; only the policy has it */
  readonly teaching?: Teaching | undefined;
}

export interface UpdateParts {
  readonly spec: RunSpec;
  /** completed iterations once this update is done, from 1 */
  readonly step: number;
  /** absent: only the critics learn */
  readonly policy?: Learner;
  readonly critics: readonly Learner[];
  /** called before each mini-batch */
  readonly onProgress?: Progress;
  /** called after each optimizer step of the policy */
  readonly onPass?: (pass: PolicyPass) => void;
}

export interface UpdateReport {
  readonly metrics: Readonly<Record<string, number>>;
  /** those of `metrics` that losses report, over the tokens of the run's loss alone; NaN: it had none */
  readonly shared: Readonly<Record<string, number>>;
  readonly policySteps: number;
  /** of each critic */
  readonly criticSteps: number;
  /** tokens of all sequences over all epochs, prompts included; of the model that learns more often */
  readonly tokens: number;
  /** how the engine saves memory from now on */
  readonly reductions: readonly string[];
}

/**
 * Learns from the examples of one iteration.
 *
 * @throws engine.not_finite naming the first bad tensor; nothing of the iteration is saved
 */
export async function updateModels(
  examples: readonly TrainingExample[],
  parts: UpdateParts,
): Promise<UpdateReport> {
  const { spec } = parts;
  const means = createMeans();
  const shared = createMeans();
  const latest: Record<string, number> = {};
  const made = new Map<Learner, Pace>();
  const works: ComputedWork[] = [];
  const reductions: string[] = [];

  const batches = listSteps(examples, parts);
  for (const [index, { name, learner, optimizer, part }] of batches.entries()) {
    parts.onProgress?.(index, batches.length);
    const before = made.get(learner) ?? startPace;
    const tokens = part.reduce((sum, example) => sum + example.trajectory.tokens.length, before.tokens);
    made.set(learner, { steps: before.steps + 1, tokens });
    const stepIndex = learner.stepsBefore + before.steps;
    const learningRate = learningRateAt(stepIndex, learner.plannedSteps, optimizer);
    const observed = name === 'policy' ? spec.update.observationLoss.coefficient : 0;
    const isFirst = before.steps === 0;
    const scaled = normalizeColumns(withValuesOf(part, learner.valuesFrom), learner.scales);
    const examplesOfStep = await withStepColumns(scaled, learner, { spec, isFirst });
    // the policy's tokens come from the sampler; a critic learns about the states it is in
    const factor = name === 'policy' ? 'samplerWeights' : undefined;
    // with dropout the log-probabilities of training are those of other networks
    const isComparable = name === 'policy' && isFirst && (spec.lora?.dropout ?? 0) === 0;
    const others = batches.flatMap((other) =>
      other.learner === learner && other.part !== part ? [other.requests] : [],
    );
    const options = { area: name, spec, optimizer, learningRate, observed, factor, isComparable, others };
    const result = await learn(examplesOfStep, learner, options);
    if (name === 'policy') {
      for (const {
        examples: own,
        loss,
        weights,
        result: { scores },
      } of result.passes)
        parts.onPass?.({ examples: own, loss, scores, weights, stepsBefore: before.steps });
      if (result.compared !== undefined) latest[LOGPROB_GAP.name] = largestGap(result.compared);
    }
    if (name === 'policy') works.push(...result.works);
    reductions.push(...result.reductions);
    addMetrics(means, name, result);
    for (const [of, value] of Object.entries(result.shared)) shared.add(of, value);
    latest[`${name}/learning_rate`] = learningRate;
  }
  const paceOf = (learner: Learner | undefined): Pace => (learner && made.get(learner)) ?? startPace;
  return {
    metrics: { ...means.values(), ...latest, ...workMetrics(works) },
    shared: shared.values(),
    policySteps: paceOf(parts.policy).steps,
    criticSteps: paceOf(parts.critics[0]).steps,
    tokens: Math.max(0, ...[...made.values()].map(({ tokens }) => tokens)),
    reductions,
  };
}

/** What a model has done in an iteration. */
interface Pace {
  readonly steps: number;
  /** of all sequences, prompts included */
  readonly tokens: number;
}

const startPace: Pace = { steps: 0, tokens: 0 };

interface PlannedStep {
  readonly name: 'policy' | 'critic';
  readonly learner: Learner;
  readonly optimizer: OptimizerSpec;
  readonly part: readonly TrainingExample[];
  readonly requests: readonly ScoreRequest[];
}

/** Lists the optimizer steps of an iteration in order: epoch by epoch, where all learn alike mini-batch by mini-batch. */
function listSteps(
  examples: readonly TrainingExample[],
  { spec, step, policy, critics }: UpdateParts,
): PlannedStep[] {
  const observes = spec.update.observationLoss.coefficient > 0;
  const plan = (
    name: PlannedStep['name'],
    own: readonly TrainingExample[],
    learner: Learner | undefined,
    optimizer: OptimizerSpec,
    passes: { readonly epochs: number; readonly miniBatches: number; readonly critic?: number },
  ) =>
    learner === undefined
      ? []
      : listMiniBatches(own, { runSeed: spec.seed, step, ...passes }).map(
          ({ epoch, place, examples: part }) => ({
            at: [epoch, place],
            name,
            learner,
            optimizer,
            part,
            requests: requestsOf(name === 'policy' && observes ? part.map(withObservationPositions) : part),
          }),
        );
  // a tag whose algorithm has no critic has no returns
  const valued = examples.filter(({ columns }) => columns['returns'] !== undefined);
  const planned = [
    ...critics.flatMap((critic, index) =>
      plan('critic', valued, critic, spec.criticOptimizer, { ...criticPasses(spec.update), critic: index }),
    ),
    ...plan('policy', examples, policy, spec.optimizer, spec.update),
  ];
  // the sort is stable: of steps at the same place those of the critics are first
  return planned.sort((a, b) => (a.at[0] ?? 0) - (b.at[0] ?? 0) || (a.at[1] ?? 0) - (b.at[1] ?? 0));
}

/** Adds columns that depend on the policy before the step, if its loss has any. */
async function withStepColumns(
  examples: readonly TrainingExample[],
  { stepColumns }: Learner,
  { spec, isFirst }: { readonly spec: RunSpec; readonly isFirst: boolean },
): Promise<readonly TrainingExample[]> {
  if (stepColumns === undefined) return examples;
  const isSampled = isFirst && examples.every(({ lag = 0 }) => lag === 0);
  const model = isSampled ? undefined : stepColumns.model;
  const { temperature } = spec.rollout;
  return addStepColumns(examples, stepColumns.compute, { model, temperature });
}

interface LearnResult extends PassedLosses, OptimizerStepResult {
  /** where the weights of the pass are those that sampled, and the engine gives scores */
  readonly compared: ComparedLogprobs | undefined;
}

/** One optimizer step on one mini-batch. */
async function learn(
  examples: readonly TrainingExample[],
  { model, loss, ownLosses, teaching }: Learner,
  options: {
    readonly area: PlannedStep['name'];
    readonly spec: RunSpec;
    readonly optimizer: OptimizerSpec;
    readonly learningRate: number;
    /** coefficient of the loss on observations; 0 = none */
    readonly observed: number;
    /** column that weights are multiplied by */
    readonly factor: string | undefined;
    /** the weights are those that sampled */
    readonly isComparable: boolean;
    /** the other mini-batches of the update */
    readonly others: readonly (readonly ScoreRequest[])[];
  },
): Promise<LearnResult> {
  const { area, factor, observed, others } = options;
  const { update, rollout } = options.spec;
  const { temperature } = rollout;
  const passed = await passLosses(
    model,
    examples,
    { loss, ownLosses },
    { area, update, temperature, factor, observed, others },
  );
  const compared = options.isComparable ? compareLogprobs(passed.passes) : undefined;
  const mistaken = compared && findMistaken(compared.sampled, compared.trained);
  if (mistaken !== undefined) {
    await model.zeroGradients();
    throw new AppError(
      'engine.bad_answer',
      `train step: sequence ${mistaken[0]} got the log-probabilities that sequence ${mistaken[1]} was sampled with; the engine mixes up its results, and the step was not applied`,
    );
  }
  if (teaching !== undefined) {
    const { coefficient } = update.selfDistillation;
    await learnFromSiblings(model, examples, teaching, { coefficient, temperature });
  }
  const { schedule: _, ...numbers } = options.optimizer;
  const stepped = await model.optimizerStep({ ...numbers, learningRate: options.learningRate });
  return { ...passed, ...stepped, compared };
}

function addMetrics(
  means: ReturnType<typeof createMeans>,
  model: 'policy' | 'critic',
  result: LearnResult,
): void {
  means.add(`${model}/objective`, result.loss);
  if (!Number.isNaN(result.gradientNorm)) means.add(`${model}/gradient_norm`, result.gradientNorm);
  means.add(`${model}/clipped_gradient_share`, Number(result.clipped));
  for (const [name, value] of Object.entries(result.means)) means.add(name, value);
}

function workMetrics(works: readonly ComputedWork[]): Record<string, number> {
  if (works.length === 0) return {};
  const total = (name: keyof ComputedWork): number => works.reduce((sum, work) => sum + work[name], 0);
  return {
    'update/computed_tokens': total('rows'),
    'update/padding_share': total('paddedRows') / Math.max(1, total('rows')),
    'update/attention_padding_share': total('paddedAttentionCells') / Math.max(1, total('attentionCells')),
  };
}

/** Log-probabilities at sampling and in training, trajectory by trajectory. */
interface ComparedLogprobs {
  readonly sampled: readonly Float32Array[];
  readonly trained: readonly Float32Array[];
}

/** Those of the trajectories that were sampled with the weights of the passes; undefined: the engine gives no scores. */
function compareLogprobs(passes: readonly LossPass[]): ComparedLogprobs | undefined {
  if (passes.some(({ result }) => result.scores === undefined)) return undefined;
  const pairs = passes.flatMap(({ examples, result: { scores = [] } }) => {
    const joined = joinByTrajectory(examples, scores, joinScores);
    return examples.flatMap(({ trajectory, positions, lag = 0 }, index) => {
      const trained = joined[index]?.logprobs;
      return lag > 0 || trained === undefined
        ? []
        : [{ sampled: pick(trajectory.logprobs, positions), trained }];
    });
  });
  return { sampled: pairs.map(({ sampled }) => sampled), trained: pairs.map(({ trained }) => trained) };
}

/** Measures how far the log-probabilities of training and sampling differ for the same weights. */
function largestGap({ sampled, trained }: ComparedLogprobs): number {
  let gap = 0;
  sampled.forEach((own, index) =>
    own.forEach((value, n) => {
      gap = Math.max(gap, Math.abs(value - (trained[index]?.[n] ?? value)));
    }),
  );
  return gap;
}

/** Running means by name. */
interface Means {
  /** NaN adds nothing; of a name with nothing else the mean is NaN */
  add(name: string, value: number): void;
  values(): Record<string, number>;
}

/** Creates running means, in order of first appearance. */
function createMeans(): Means {
  const sums = new Map<string, { sum: number; count: number }>();
  return {
    add(name, value) {
      const entry = sums.get(name) ?? { sum: 0, count: 0 };
      if (!Number.isNaN(value)) {
        entry.sum += value;
        entry.count += 1;
      }
      sums.set(name, entry);
    },
    values: () => Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count])),
  };
}
