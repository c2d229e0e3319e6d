/**
 * @file Options that change nothing in the given configuration, each with the reason. The plan prints them;
 * those a person has set are marked, because they may be a misunderstanding.
 */
import type { OptimizerSpec, RunSpec } from '@espalier/contracts';
import type { ConfigurableAlgorithm } from './registry.js';

export interface InertOption {
  readonly path: string;
  readonly reason: string;
}

/** Lists inert options of a resolved spec; a path may name a whole branch. */
export function findInertOptions(
  spec: RunSpec,
  facts: {
    readonly critic: boolean;
    readonly algorithm: Pick<ConfigurableAlgorithm, 'inert'>;
    /** of the algorithm, filled in */
    readonly options: unknown;
  },
): InertOption[] {
  return [
    ...algorithmOptions(spec, facts),
    ...scheduleOptions('optimizer', spec.optimizer, spec),
    ...criticOptions(spec, facts.critic),
    ...rolloutOptions(spec),
    ...isolationOptions(spec),
    ...rewardOptions(spec),
    ...validationOptions(spec),
  ];
}

/** What the algorithm names; some of it only because each rollout set gives a single optimizer step. */
function algorithmOptions(
  { algorithm: { use }, derived }: RunSpec,
  {
    algorithm,
    options,
  }: { readonly algorithm: Pick<ConfigurableAlgorithm, 'inert'>; readonly options: unknown },
): InertOption[] {
  const { optimizerStepsPerStep } = derived;
  const always = algorithm.inert?.(options, { optimizerStepsPerStep: Math.max(2, optimizerStepsPerStep) });
  return (algorithm.inert?.(options, { optimizerStepsPerStep }) ?? []).map((name) => ({
    path: `algorithm.${name}`,
    reason: always?.includes(name)
      ? `the other options of ${use} leave it without effect`
      : 'one optimizer step per rollout set: new and old policy are still the same; raise update.miniBatches or update.reuse',
  }));
}

function scheduleOptions(
  name: 'optimizer' | 'criticOptimizer',
  { schedule }: OptimizerSpec,
  { derived: { optimizerSteps } }: RunSpec,
): InertOption[] {
  const finalRatio = `${name}.schedule.finalRatio`;
  if (schedule.kind === 'constant') return [{ path: finalRatio, reason: 'the schedule is constant' }];
  if (schedule.warmupSteps < optimizerSteps) return [];
  const reason = `${name}.schedule.warmupSteps ${schedule.warmupSteps}: the run ends with its ${optimizerSteps} optimizer steps, before the rate could fall`;
  return [
    { path: `${name}.schedule.kind`, reason },
    { path: finalRatio, reason },
  ];
}

function criticOptions(spec: RunSpec, critic: boolean): InertOption[] {
  if (critic) return scheduleOptions('criticOptimizer', spec.criticOptimizer, spec);
  const reason = `${spec.algorithm.use} has no critic`;
  return [
    { path: 'criticOptimizer', reason },
    { path: 'update.criticWarmup', reason },
  ];
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

function isolationOptions({ environment, rewards }: RunSpec): InertOption[] {
  const found: InertOption[] = [environment, ...rewards].flatMap((chosen, index) =>
    chosen.callTimeoutMs !== undefined && chosen.isolation !== 'process'
      ? [
          {
            path: `${index === 0 ? 'environment' : `rewards.${index - 1}`}.callTimeoutMs`,
            reason: 'only a process of its own can be ended; set isolation: process',
          },
        ]
      : [],
  );
  if (environment.isolation === 'process')
    found.push({
      path: 'rollout.environmentTimeoutMs',
      reason: 'environment.callTimeoutMs limits every call of a process of its own',
    });
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
