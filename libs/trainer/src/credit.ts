/**
 * @file Turns kept trajectories into training examples: values, reference log-probabilities and, where the sampler is
 * corrected for, those of the trainer under the current weights, then the algorithm's advantages and returns. All of it precedes the first update of the iteration.
 */
import {
  AppError,
  type CriticModel,
  type RunSpec,
  type ScoringModel,
  type Trajectory,
} from '@espalier/contracts';
import { countCritics } from '@espalier/contracts/mixing';
import type { AlgorithmMemory, Credit, CreditTrajectory } from '@espalier/plugin-kit';
import { denormalizeValues, type ValueScale } from '@espalier/objective/value-normalization';
import { criticColumn } from './critics.js';
import { memoryFor, storeMemory } from './algorithm-memory.js';
import { algorithmOf, type RunAlgorithms } from './tag-algorithms.js';
import { correctSampler } from './sampler-columns.js';
import { normalizeRewards } from './normalize-rewards.js';
import { keepUndecided } from './top-entropy.js';
import { comparesPerTag, indicesByTag } from './select-groups.js';
import {
  askByWindow,
  joinColumns,
  joinScores,
  listLossPositions,
  pick,
  type TrainingExample,
} from './batch.js';

export interface CreditParts extends RunAlgorithms {
  readonly spec: RunSpec;
  /** what learns, before the update; it has changed since it sampled what was sampled ahead or is replayed */
  readonly policy: Pick<ScoringModel, 'score'>;
  readonly critics?: readonly CriticModel[] | undefined;
  readonly reference?: ScoringModel | undefined;
  /** what the algorithm keeps between iterations; default: nothing */
  readonly memory?: AlgorithmMemory | undefined;
  /** of what the critics predict; default: values are in reward */
  readonly valueScale?: ValueScale | undefined;
  /** factor of the advantages of each group; default: 1 */
  readonly weights?: ArrayLike<number> | undefined;
  /** total of the greedy trajectory of each group; default: none was played */
  readonly greedyTotals?: readonly (number | undefined)[] | undefined;
  /** optimizer steps of the policy since each group was sampled; default: 0 */
  readonly lags?: ArrayLike<number> | undefined;
}

export interface CreditedBatch {
  readonly examples: readonly TrainingExample[];
  readonly credit: Credit;
  /** of the correction between sampler and trainer, if there is one */
  readonly sampling: Readonly<Record<string, number>>;
  /** something tells good from bad: some advantage that is not of a penalty alone, or observations with a loss of their own */
  readonly hasSignal: boolean;
  /** the policy has advantages or observations to learn from, be it those of a penalty */
  readonly hasGradient: boolean;
}

/** Advantages up to this size are rounding errors of equal totals. */
const smallestAdvantage = 1e-8;
const isAdvantage = (value: number): boolean => !(Math.abs(value) <= smallestAdvantage);

const withoutDivergence = (one: CreditTrajectory): CreditTrajectory =>
  one.referenceGaps === undefined
    ? one
    : { ...one, referenceGaps: new Float64Array(one.referenceGaps.length) };

/** Assigns credit to the trajectories of kept groups; those without a loss token are left out. */
export async function estimateCredit(
  groups: readonly (readonly Trajectory[])[],
  parts: CreditParts,
): Promise<CreditedBatch> {
  const { spec, algorithm, algorithmParams, reference, memory = {}, weights, lags } = parts;
  const scored = groups
    .flatMap((trajectories, group) => trajectories.map((trajectory) => ({ trajectory, group })))
    .map((one) => ({
      ...one,
      greedyTotal: parts.greedyTotals?.[one.group],
      positions: listLossPositions(one.trajectory, spec.update.lossMask),
    }))
    .filter(({ positions }) => positions.length > 0);
  if (scored.length === 0)
    return { examples: [], credit: { advantages: [] }, sampling: {}, hasSignal: false, hasGradient: false };

  const { temperature } = spec.rollout;
  const sampling = await correctSampler(scored, spec, parts.policy);
  const values = await askCritics(scored, temperature, parts);
  const references =
    reference && (await askByWindow(scored, temperature, (asked) => reference.score(asked), joinScores));
  const earned = scored.map((one, index) =>
    creditTrajectory(
      one,
      readCritics(one.trajectory, values[index] ?? [], parts),
      references?.[index]?.logprobs,
      sampling.columns[index],
    ),
  );
  const everyTag = scored.map(({ trajectory }) => trajectory.environmentTag ?? '');
  const inputs = normalizeRewards(earned, everyTag, spec.update.rewardNormalization);
  const tags = comparesPerTag(spec) ? everyTag : undefined;
  const assign = (given: readonly CreditTrajectory[]): Credit =>
    tags
      ? creditWithinTags(given, tags, memory, parts)
      : algorithm.advantages(given, algorithmParams, memory);
  const credit = assign(inputs);
  const undecided = keepUndecided(
    scored.map(({ positions }, index) => pick(credit.advantages[index] ?? [], positions)),
    scored.map(({ trajectory, positions }) => pick(trajectory.entropies, positions)),
    spec.update.topEntropyShare,
  );
  const examples = scored.map(({ trajectory, positions, group }, index) => {
    const returns = credit.returns?.[index];
    const weight = weights?.[group] ?? 1;
    const advantages = undecided.advantages[index] ?? new Float32Array();
    const columns: Record<string, Float32Array> = {
      oldLogprobs: pick(trajectory.logprobs, positions),
      ...sampling.columns[index],
      advantages: weight === 1 ? advantages : advantages.map((advantage) => weight * advantage),
    };
    const counted = undecided.counted?.[index];
    if (counted !== undefined) columns['counted'] = counted;
    const ofTag = memoryFor(trajectory.environmentTag ?? '', memory, parts);
    for (const [name, value] of Object.entries(ofTag))
      columns[name] = new Float32Array(positions.length).fill(value);
    Object.assign(columns, valueColumns(values[index] ?? [], credit.values?.[index], positions));
    if (returns !== undefined) columns['returns'] = pick(returns, positions);
    if (references !== undefined)
      columns['referenceLogprobs'] = references[index]?.logprobs ?? new Float32Array();
    return { trajectory, positions, columns, lag: lags?.[group] ?? 0 };
  });
  examples.forEach(checkColumns);
  const hasAdvantage = examples.some(({ columns: { advantages, samplerWeights } }) =>
    advantages?.some((advantage, n) => samplerWeights?.[n] !== 0 && isAdvantage(advantage)),
  );
  // a penalty in the rewards gives advantages where these tell nothing apart
  const isRewarded = (): boolean =>
    reference === undefined ||
    assign(inputs.map(withoutDivergence)).advantages.some((own) => own.some(isAdvantage));
  const observes = spec.update.observationLoss.coefficient > 0;
  return {
    examples,
    credit: { ...credit, metrics: { ...credit.metrics, ...undecided.metrics } },
    sampling: sampling.metrics,
    hasSignal: observes || (hasAdvantage && isRewarded()),
    hasGradient: observes || hasAdvantage,
  };
}

/** Asks all critics; what they say is in reward. @returns per trajectory the values of each critic, [n] */
async function askCritics(
  scored: Parameters<typeof askByWindow>[0],
  temperature: number,
  { critics = [], valueScale }: CreditParts,
): Promise<readonly (readonly Float32Array[])[]> {
  const values: Float32Array[][] = scored.map(() => []);
  for (const critic of critics) {
    const said = await askByWindow(scored, temperature, (asked) => critic.values(asked), joinColumns);
    said.forEach((own, index) =>
      values[index]?.push(valueScale === undefined ? own : denormalizeValues(own, valueScale)),
    );
  }
  return values;
}

/** The columns of what critics said: for several, what credit took for the value, and what each said. */
function valueColumns(
  values: readonly Float32Array[],
  combined: Float64Array | undefined,
  positions: Int32Array,
): Record<string, Float32Array> {
  const [first] = values;
  if (first === undefined) return {};
  const oldValues = combined === undefined ? first : pick(combined, positions);
  if (values.length === 1) return { oldValues };
  return { oldValues, ...Object.fromEntries(values.map((own, k) => [criticColumn(k), own])) };
}

/** The values of those critics that the algorithm of a trajectory asked for: the first ones of the run. */
function readCritics(
  { environmentTag = '' }: Trajectory,
  values: readonly Float32Array[],
  parts: RunAlgorithms,
): readonly Float32Array[] {
  if (values.length < 2) return values;
  const { algorithm, algorithmParams } = algorithmOf(environmentTag, parts);
  return values.slice(0, Math.max(1, countCritics([algorithm.needs(algorithmParams)])));
}

/** Assigns credit within each tag, by its algorithm; the metrics of the algorithm are those of each tag, its memory goes from one to the next. */
function creditWithinTags(
  inputs: readonly CreditTrajectory[],
  tags: readonly string[],
  memory: AlgorithmMemory,
  algorithms: RunAlgorithms,
): Credit {
  const advantages: Float64Array[] = [];
  const returns: Float64Array[] = [];
  const values: Float64Array[] = [];
  const metrics: Record<string, number> = {};
  let kept = memory;
  for (const [tag, indices] of indicesByTag(tags)) {
    const trajectories = indices.map((index) => inputs[index] as CreditTrajectory);
    const { algorithm, algorithmParams } = algorithmOf(tag, algorithms);
    const own = algorithm.advantages(trajectories, algorithmParams, memoryFor(tag, kept, algorithms));
    kept = { ...kept, ...storeMemory(tag, own.memory ?? {}, algorithms) };
    indices.forEach((index, position) => {
      advantages[index] = own.advantages[position] ?? new Float64Array();
      if (own.returns !== undefined) returns[index] = own.returns[position] ?? new Float64Array();
      if (own.values !== undefined) values[index] = own.values[position] ?? new Float64Array();
    });
    for (const [name, value] of Object.entries(own.metrics ?? {}))
      metrics[`tag/${tag}/${name.includes('/') ? name : `credit/${name}`}`] = value;
  }
  return {
    advantages,
    metrics,
    memory: kept,
    ...(returns.length === 0 ? {} : { returns }),
    ...(values.length === 0 ? {} : { values }),
  };
}

/** Stops the step before NaN or infinity reaches the weights. */
function checkColumns({ trajectory, columns }: TrainingExample): void {
  for (const [name, column] of Object.entries(columns)) {
    const index = column.findIndex((value) => !Number.isFinite(value));
    if (index < 0) continue;
    throw new AppError(
      'engine.not_finite',
      `assign credit: ${name}[${index}] of trajectory "${trajectory.id}" is ${column[index]}; expected finite numbers`,
      { details: { column: name, trajectory: trajectory.id } },
    );
  }
}

function creditTrajectory(
  scored: {
    readonly trajectory: Trajectory;
    readonly group: number;
    readonly greedyTotal: number | undefined;
    readonly positions: Int32Array;
  },
  /** of each critic */
  values: readonly Float32Array[],
  references: Float32Array | undefined,
  corrected: { readonly oldLogprobs: Float32Array } | undefined,
): CreditTrajectory {
  const { trajectory, group, greedyTotal, positions } = scored;
  const length = trajectory.tokens.length;
  const lossMask = new Uint8Array(length); // [T]
  const gaps = new Float64Array(length); // [T]
  positions.forEach((t, index) => {
    lossMask[t] = 1;
    const old = corrected === undefined ? trajectory.logprobs[t] : corrected.oldLogprobs[index];
    gaps[t] = (old ?? 0) - (references?.[index] ?? 0);
  });
  const spread = values.map((own) => {
    const all = new Float64Array(length); // [T]
    positions.forEach((t, index) => (all[t] = own[index] ?? 0));
    return all;
  });
  const { rewards, turnEnds, stateKeys } = placeRewards(trajectory);
  const evidence = placeEvidence(trajectory, rewards, turnEnds);
  const tag = trajectory.environmentTag;
  return {
    group,
    ...(tag === undefined ? {} : { tag }),
    total: trajectory.score.total,
    ...(greedyTotal === undefined ? {} : { greedyTotal }),
    rewards,
    lossMask,
    turnEnds,
    stateKeys,
    ...(evidence === undefined ? {} : { evidence }),
    ...(spread[0] === undefined ? {} : { values: spread[0] }),
    ...(spread.length > 1 ? { criticValues: spread } : {}),
    ...(references === undefined ? {} : { referenceGaps: gaps }),
  };
}

/**
 * Places each turn's reward at its last sampled token. A turn without sampled tokens adds its reward to the
 * previous turn's.
 */
function placeRewards(trajectory: Trajectory): {
  rewards: Float64Array;
  turnEnds: number[];
  stateKeys: string[];
} {
  const rewards = new Float64Array(trajectory.tokens.length); // [T]
  const turnEnds: number[] = [];
  const stateKeys: string[] = [];
  for (const turn of trajectory.turns) {
    if (turn.sampled.end > turn.sampled.start) {
      turnEnds.push(turn.sampled.end - 1);
      stateKeys.push(turn.stateKey);
    }
    const place = turnEnds.at(-1);
    if (place !== undefined)
      rewards[place] = (rewards[place] ?? 0) + (trajectory.score.perTurn[turn.index] ?? 0);
  }
  return { rewards, turnEnds, stateKeys };
}

/**
 * Moves what rewards have evidence for from the end of its turn to the tokens of that evidence, which share it evenly.
 *
 * @param rewards changed in place; sums to the same as before
 * @returns the moved part
 */
function placeEvidence(
  { score, turns }: Trajectory,
  rewards: Float64Array,
  turnEnds: readonly number[],
): Float64Array | undefined {
  if (score.evidence === undefined) return undefined;
  const moved = new Float64Array(rewards.length); // [T]
  for (const { reward, turn, start, end, value } of score.evidence) {
    const weight = score.rewards[reward]?.weight ?? 0;
    for (let t = start; t < end; t++) moved[t] = (moved[t] ?? 0) + (weight * value) / (end - start);
    const last = (turns[turn]?.sampled.end ?? 0) - 1;
    const place = turnEnds.includes(last) ? last : turnEnds.at(-1);
    if (place !== undefined) rewards[place] = (rewards[place] ?? 0) - weight * value;
  }
  moved.forEach((amount, t) => (rewards[t] = (rewards[t] ?? 0) + amount));
  return moved;
}
