/**
 * @file Options that change nothing in the given configuration, each with the reason. The plan prints them;
 * those a person has set are marked, because they may be a misunderstanding.
 */
import type { RunSpec } from '@espalier/contracts';

export interface InertOption {
  readonly path: string;
  readonly reason: string;
}

/** Lists inert options of a resolved spec; a path may name a whole branch. */
export function findInertOptions(
  spec: RunSpec,
  facts: { readonly critic: boolean; readonly algorithm: readonly string[] },
): InertOption[] {
  const algorithm = facts.algorithm.map((name) => ({
    path: `algorithm.${name}`,
    reason: `the other options of ${spec.algorithm.use} leave it without effect`,
  }));
  return [
    ...algorithm,
    ...criticOptions(spec, facts.critic),
    ...rolloutOptions(spec),
    ...rewardOptions(spec),
    ...validationOptions(spec),
  ];
}

function criticOptions({ algorithm, optimizer, criticOptimizer }: RunSpec, critic: boolean): InertOption[] {
  const found: InertOption[] = [];
  if (optimizer.schedule.kind === 'constant') {
    found.push({ path: 'optimizer.schedule.finalRatio', reason: 'the schedule is constant' });
  }
  if (!critic) {
    const reason = `${algorithm.use} has no critic`;
    return [...found, { path: 'criticOptimizer', reason }, { path: 'update.criticWarmup', reason }];
  }
  if (criticOptimizer.schedule.kind === 'constant') {
    found.push({ path: 'criticOptimizer.schedule.finalRatio', reason: 'the schedule is constant' });
  }
  return found;
}

function rolloutOptions({ rollout }: RunSpec): InertOption[] {
  const found: InertOption[] = [];
  if (!rollout.think)
    found.push({ path: 'update.count.think', reason: 'rollout.think is false: no reasoning is sampled' });
  if (rollout.members === 1)
    found.push({ path: 'rollout.luck', reason: 'a group of one has nobody to share luck with' });
  if (rollout.maxActionsPerTurn > rollout.maxActions) {
    found.push({
      path: 'rollout.maxActionsPerTurn',
      reason: `rollout.maxActions ${rollout.maxActions} is reached first`,
    });
  }
  return found;
}

function rewardOptions({ rewards }: RunSpec): InertOption[] {
  const found: InertOption[] = rewards.flatMap(({ weight, use }, index) =>
    weight === 0
      ? [{ path: `rewards.${index}`, reason: `weight 0: ${use} is recorded but adds nothing` }]
      : [],
  );
  if (!rewards.some(({ use, weight }) => use === 'format' && weight !== 0)) {
    found.push({
      path: 'rollout.formatPenalty',
      reason: 'no reward `format` with a weight carries it into the total',
    });
  }
  return found;
}

function validationOptions({ validation, steps }: RunSpec): InertOption[] {
  const never =
    !validation.atStart && !validation.atEnd && (validation.every === 0 || validation.every > steps);
  if (never) return [{ path: 'validation', reason: 'no validation takes place' }];
  if (validation.temperature > 0) return [];
  const reason = 'validation.temperature 0 always takes the most probable token';
  return [
    { path: 'validation.topP', reason },
    { path: 'validation.topK', reason },
  ];
}
