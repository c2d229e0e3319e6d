/**
 * @file Applies the installed algorithms to a random batch, in the order of a training step: groups are selected,
 * trajectories without loss tokens dropped, credit assigned, losses built from the rest.
 */
import grpo from '@espalier/algorithm-grpo';
import ppo from '@espalier/algorithm-ppo';
import starpoS from '@espalier/algorithm-starpo-s';
import type { LossSpec } from '@espalier/contracts';
import type { LossNumbers } from '@espalier/objective';
import type { AlgorithmDefinition, CreditTrajectory } from '@espalier/plugin-kit';
import { type DrawnBatch, type DrawnTrajectory, gatherEntries, spreadColumn } from './loss-batches.js';
import { numbersOf } from './loss-definitions.js';

export const algorithmNames = ['ppo', 'grpo', 'starpo-s'] as const;
export type AlgorithmName = (typeof algorithmNames)[number];

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

/** Runs one step of an algorithm; undefined when no loss token is left. */
export function composeStep(
  name: AlgorithmName,
  batch: DrawnBatch,
  options: Readonly<Record<string, unknown>>,
): ComposedStep | undefined {
  if (name === 'ppo') return compose(ppo, ppo.params.parse(options), batch);
  if (name === 'grpo') return compose(grpo, grpo.params.parse(options), batch);
  return compose(starpoS, starpoS.params.parse(options), batch);
}

/** Converts a random trajectory to the input of an algorithm, with the old values of the critic. */
export function attemptOf(drawn: DrawnTrajectory): CreditTrajectory {
  return {
    group: drawn.group,
    total: drawn.rewards.reduce((sum, reward) => sum + reward, 0),
    rewards: Float64Array.from(drawn.rewards),
    lossMask: Uint8Array.from(drawn.mask),
    values: spreadColumn(drawn, 'oldValues'),
    turnEnds: drawn.ends,
  };
}

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
): ComposedStep | undefined {
  const groups = groupsOf(batch);
  const { kept } = algorithm.select(groups, params);
  const isKept = new Set(kept.map((index) => groups[index]?.group));
  const trajectories = batch.trajectories.filter(({ group, mask }) => isKept.has(group) && mask.includes(1));
  if (trajectories.length === 0) return undefined;
  const credit = algorithm.advantages(trajectories.map(attemptOf), params);
  const computed = {
    advantages: gatherEntries(credit.advantages, trajectories),
    ...(credit.returns === undefined ? {} : { returns: gatherEntries(credit.returns, trajectories) }),
  };
  const fed = (loss: LossSpec) => ({ loss, numbers: numbersOf(loss, trajectories, computed) });
  const needsCritic = algorithm.needs(params).critic;
  return {
    kept,
    trajectories,
    ...computed,
    metrics: credit.metrics ?? {},
    policy: fed(algorithm.policyLoss(params)),
    ...(needsCritic && algorithm.valueLoss ? { critic: fed(algorithm.valueLoss(params)) } : {}),
  };
}
