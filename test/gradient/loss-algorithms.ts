/**
 * @file Applies the installed algorithms to a random batch, in the order of a training step: groups are selected,
 * trajectories without loss tokens dropped, totals normalised, credit assigned, decided tokens left out, losses built from the rest.
 */
import biLevel from '@espalier/algorithm-bi-level';
import cispo from '@espalier/algorithm-cispo';
import dapo from '@espalier/algorithm-dapo';
import drGrpo from '@espalier/algorithm-dr-grpo';
import entropyCov from '@espalier/algorithm-entropy-cov';
import gigpo from '@espalier/algorithm-gigpo';
import gmpo from '@espalier/algorithm-gmpo';
import grpo from '@espalier/algorithm-grpo';
import gspo from '@espalier/algorithm-gspo';
import ipo from '@espalier/algorithm-ipo';
import mtGrpo from '@espalier/algorithm-mt-grpo';
import ppo from '@espalier/algorithm-ppo';
import reinforce from '@espalier/algorithm-reinforce-plus-plus';
import remax from '@espalier/algorithm-remax';
import rloo from '@espalier/algorithm-rloo';
import sapo from '@espalier/algorithm-sapo';
import starpo from '@espalier/algorithm-starpo';
import starpoS from '@espalier/algorithm-starpo-s';
import type { LossSpec, RunSpec } from '@espalier/contracts';
import type { LossNumbers } from '@espalier/objective';
import type { AlgorithmDefinition, CreditTrajectory } from '@espalier/plugin-kit';
import { normalizeRewards } from '../../libs/trainer/src/normalize-rewards.js';
import { keepUndecided } from '../../libs/trainer/src/top-entropy.js';
import { type DrawnBatch, type DrawnTrajectory, gatherEntries, spreadColumn } from './loss-batches.js';
import { numbersOf } from './loss-definitions.js';

export const algorithmNames = ['ppo', 'grpo', 'starpo-s'] as const;
export type AlgorithmName = (typeof algorithmNames)[number];

/** Settings of a run that change what algorithms are given and what losses read. */
export type UpdateSettings = Partial<
  Pick<
    RunSpec['update'],
    'lossAggregation' | 'lossConstant' | 'samplerCorrection' | 'topEntropyShare' | 'rewardNormalization'
  >
>;

export interface ComposedStep {
  readonly kept: readonly number[];
  /** those that the losses see */
  readonly trajectories: readonly DrawnTrajectory[];
  readonly advantages: readonly number[]; // [N]
  readonly returns?: readonly number[]; // [N]
  readonly metrics: Readonly<Record<string, number>>;
  readonly policy: { readonly loss: LossSpec; readonly numbers: LossNumbers };
  readonly critic?: { readonly loss: LossSpec; readonly numbers: LossNumbers };
}

const definitions = [
  biLevel,
  cispo,
  dapo,
  drGrpo,
  entropyCov,
  gigpo,
  gmpo,
  grpo,
  gspo,
  ipo,
  mtGrpo,
  ppo,
  reinforce,
  remax,
  rloo,
  sapo,
  starpo,
  starpoS,
] as unknown as AlgorithmDefinition<unknown>[];

/** Runs one step of an algorithm; undefined when no loss token is left. */
export function composeStep(
  id: string,
  batch: DrawnBatch,
  options: Readonly<Record<string, unknown>>,
  update: UpdateSettings = {},
): ComposedStep | undefined {
  const algorithm = definitions.find((definition) => definition.id === id);
  if (algorithm === undefined) throw new Error(`no algorithm "${id}" in this list`);
  return compose(algorithm, algorithm.params.parse(options), batch, update);
}

/** Converts a random trajectory to the input of an algorithm, with the old values of the critic. */
export function attemptOf(drawn: DrawnTrajectory): CreditTrajectory {
  return {
    group: drawn.group,
    tag: drawn.group % 2 === 0 ? 'even' : 'odd',
    total: drawn.rewards.reduce((sum, reward) => sum + reward, 0),
    greedyTotal: (((5 * drawn.group) % 7) - 3) / 4,
    rewards: Float64Array.from(drawn.rewards),
    lossMask: Uint8Array.from(drawn.mask),
    values: spreadColumn(drawn, 'oldValues'),
    turnEnds: drawn.ends,
    stateKeys: drawn.ends.map((end, turn) => `state ${(7 * end + turn) % 3}`),
    referenceGaps: subtract(spreadColumn(drawn, 'oldLogprobs'), spreadColumn(drawn, 'referenceLogprobs')),
  };
}

/** With several critics, columns of the batch stand for what each says. */
const withCritics = (
  attempt: CreditTrajectory,
  drawn: DrawnTrajectory,
  critics: number,
): CreditTrajectory => {
  if (critics === 1) return attempt;
  const names = ['oldValues', 'values', 'returns'].slice(0, critics);
  return { ...attempt, criticValues: names.map((name) => spreadColumn(drawn, name)) };
};

const subtract = (a: Float64Array, b: Float64Array) => a.map((value, i) => value - (b[i] as number));

/** Lists groups in order of appearance, with the totals of their trajectories. */
export function groupsOf(batch: DrawnBatch): { group: number; totals: number[] }[] {
  const groups = new Map<number, number[]>();
  for (const { group, total } of batch.trajectories.map(attemptOf))
    groups.set(group, [...(groups.get(group) ?? []), total]);
  return [...groups].map(([group, totals]) => ({ group, totals }));
}

function compose<Params>(
  algorithm: AlgorithmDefinition<Params>,
  params: Params,
  batch: DrawnBatch,
  { rewardNormalization, topEntropyShare = 1 }: UpdateSettings,
): ComposedStep | undefined {
  const groups = groupsOf(batch);
  const { kept } = algorithm.select(groups, params);
  const isKept = new Set(kept.map((index) => groups[index]?.group));
  const trajectories = batch.trajectories.filter(({ group, mask }) => isKept.has(group) && mask.includes(1));
  if (trajectories.length === 0) return undefined;
  const { critic: needsCritic, critics = 1 } = algorithm.needs(params);
  const attempts = trajectories.map((drawn) => withCritics(attemptOf(drawn), drawn, critics));
  const tags = attempts.map(({ tag = '' }) => tag);
  const credit = algorithm.advantages(normalizeRewards(attempts, tags, rewardNormalization), params);
  const { advantages, counted } =
    topEntropyShare === 1
      ? { advantages: gatherEntries(credit.advantages, trajectories) }
      : maskDecided(credit.advantages, trajectories, topEntropyShare);
  const computed = {
    advantages,
    ...(credit.returns === undefined ? {} : { returns: gatherEntries(credit.returns, trajectories) }),
  };
  const ofStep = stepColumnsOf(algorithm, params, trajectories, { advantages, ...(counted && { counted }) });
  const fed = (loss: LossSpec) => ({
    loss,
    numbers: numbersOf(loss, trajectories, { ...computed, ...ofStep }),
  });
  return {
    kept,
    trajectories,
    ...computed,
    metrics: credit.metrics ?? {},
    policy: fed(algorithm.policyLoss(params)),
    ...(needsCritic && algorithm.valueLoss ? { critic: fed(algorithm.valueLoss(params)) } : {}),
  };
}

/** Advantages of loss tokens as a run masks them, in float32, and which of them count. */
function maskDecided(
  advantages: readonly Float64Array[],
  trajectories: readonly DrawnTrajectory[],
  share: number,
): { readonly advantages: number[]; readonly counted: number[] } {
  const own = trajectories.map((one, i) => Float32Array.from(gatherEntries([advantages[i] ?? []], [one])));
  const entropies = trajectories.map(({ columns }) => Float32Array.from(columns['entropies'] ?? []));
  const kept = keepUndecided(own, entropies, share);
  const flat = (columns: readonly Float32Array[] = []): number[] => columns.flatMap((column) => [...column]);
  return { advantages: flat(kept.advantages), counted: flat(kept.counted) };
}

/** What an algorithm computes for the batch as the mini-batch of a step. */
function stepColumnsOf<Params>(
  { stepColumns }: AlgorithmDefinition<Params>,
  params: Params,
  trajectories: readonly DrawnTrajectory[],
  credit: Readonly<Record<string, readonly number[]>>,
): Record<string, number[]> {
  let next = 0;
  const sequences = trajectories.map((drawn) => {
    const float = (name: string) => Float32Array.from(drawn.columns[name] ?? []); // exact: multiples of 1/1024
    const columns: Record<string, Float32Array> = { oldLogprobs: float('oldLogprobs') };
    const logprobs = float('logprobs');
    const [start, end] = [next, (next += logprobs.length)];
    for (const [name, all] of Object.entries(credit))
      columns[name] = Float32Array.from(all.slice(start, end));
    return { logprobs, entropies: float('entropies'), columns };
  });
  const added = stepColumns?.(sequences, params) ?? [];
  return Object.fromEntries(
    Object.keys(added[0] ?? {}).map((name) => [name, added.flatMap((own) => Array.from(own[name] ?? []))]),
  );
}
