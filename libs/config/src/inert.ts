/**
 * @file Options without effect in a configuration, each with the reason. The plan prints them and marks those that were
 * set explicitly, because these may be mistakes.
 */
import type { DerivedNumbers, OptimizerSpec, RunSpec } from '@espalier/contracts';
import type { ConfigurableAlgorithm, ConfigurableEnvironment, ModelLimits } from './registry.js';

export interface InertOption {
  readonly path: string;
  readonly reason: string;
}

/** A definition with its complete options. */
interface Chosen<Plugin> {
  readonly plugin: Plugin;
  readonly options: unknown;
}

/** Lists the inert options of a resolved spec; a path may name a whole section. */
export function findInertOptions(
  spec: RunSpec,
  derived: DerivedNumbers,
  given: {
    readonly critic: boolean;
    readonly algorithm: Chosen<Pick<ConfigurableAlgorithm, 'inert'>>;
    readonly environment: Chosen<Pick<ConfigurableEnvironment, 'inert' | 'reads'>>;
    readonly model?: ModelLimits | undefined;
  },
): InertOption[] {
  return [
    ...algorithmOptions(spec, derived, given.algorithm),
    ...environmentOptions(spec, given.environment),
    ...topKOptions('rollout', spec, given.model),
    ...scheduleOptions('optimizer', spec.optimizer, derived),
    ...criticOptions(spec, derived, given.critic),
    ...rolloutOptions(spec),
    ...isolationOptions(spec),
    ...rewardOptions(spec),
    ...validationOptions(spec, given.model),
  ];
}

/** Options that the algorithm reports as inert, some of them only because there is one optimizer step per rollout. */
function algorithmOptions(
  { algorithm: { use } }: RunSpec,
  { optimizerStepsPerStep }: DerivedNumbers,
  { plugin, options }: Chosen<Pick<ConfigurableAlgorithm, 'inert'>>,
): InertOption[] {
  const always = plugin.inert?.(options, { optimizerStepsPerStep: Math.max(2, optimizerStepsPerStep) });
  return (plugin.inert?.(options, { optimizerStepsPerStep }) ?? []).map((name) => ({
    path: `algorithm.${name}`,
    reason: always?.includes(name)
      ? `the other options of ${use} make it irrelevant`
      : 'there is one optimizer step per rollout, so the new policy equals the old one; raise update.miniBatches or update.epochs',
  }));
}

/** Options that the environment reports as inert, and environment noise in deterministic environments. */
function environmentOptions(
  { environment: { use }, rollout }: RunSpec,
  { plugin, options }: Chosen<Pick<ConfigurableEnvironment, 'inert' | 'reads'>>,
): InertOption[] {
  const { maxTurns, maxActions, maxActionsPerTurn } = rollout;
  const own = plugin.inert?.(options, { maxTurns, maxActions, maxActionsPerTurn }) ?? [];
  const found = own.map((name) => ({
    path: `environment.${name}`,
    reason: `the other options of ${use} and rollout.maxActions ${maxActions} make it irrelevant`,
  }));
  if (plugin.reads?.(options).noise === false) {
    const reason = `with these options ${use} is deterministic after the first observation`;
    found.push({ path: 'rollout.noiseSeed', reason });
  } else if (rollout.groupSize === 1) {
    found.push({
      path: 'rollout.noiseSeed',
      reason: 'a group of one has no other trajectory to share noise with',
    });
  }
  if (plugin.reads?.(options).plans === false)
    found.push({ path: 'rollout.plans', reason: `${use} has no plan for every turn with these options` });
  return found;
}

/** Top-k sampling with a k that covers the vocabulary. */
function topKOptions(
  part: 'rollout' | 'validation',
  spec: RunSpec,
  model: ModelLimits | undefined,
): InertOption[] {
  const { topK } = spec[part];
  if (model === undefined || topK < model.vocabularySize) return [];
  return [
    { path: `${part}.topK`, reason: `the vocabulary of the model has only ${model.vocabularySize} tokens` },
  ];
}

function scheduleOptions(
  name: 'optimizer' | 'criticOptimizer',
  { schedule }: OptimizerSpec,
  { optimizerSteps }: DerivedNumbers,
): InertOption[] {
  const finalRatio = `${name}.schedule.finalRatio`;
  if (schedule.kind === 'constant') return [{ path: finalRatio, reason: 'the schedule is constant' }];
  if (schedule.warmupSteps < optimizerSteps) return [];
  const reason = `${name}.schedule.warmupSteps ${schedule.warmupSteps}: the run has ${optimizerSteps} optimizer steps, so the decay never starts`;
  return [
    { path: `${name}.schedule.kind`, reason },
    { path: finalRatio, reason },
  ];
}

function criticOptions(spec: RunSpec, derived: DerivedNumbers, critic: boolean): InertOption[] {
  if (critic) return scheduleOptions('criticOptimizer', spec.criticOptimizer, derived);
  const reason = `${spec.algorithm.use} has no critic`;
  return [
    { path: 'criticOptimizer', reason },
    { path: 'update.criticWarmup', reason },
  ];
}

function rolloutOptions({ rollout }: RunSpec): InertOption[] {
  const found: InertOption[] = [];
  if (rollout.prompt.thinking === 'none')
    found.push({
      path: 'update.lossMask.think',
      reason: 'rollout.prompt.thinking is none: no reasoning is sampled',
    });
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
            reason: 'only a separate process can be killed; set isolation: process',
          },
        ]
      : [],
  );
  if (environment.isolation === 'process')
    found.push({
      path: 'rollout.environmentTimeoutMs',
      reason: 'environment.callTimeoutMs limits every call of a separate process',
    });
  return found;
}

function rewardOptions({ rewards }: RunSpec): InertOption[] {
  const found: InertOption[] = rewards.flatMap(({ weight, use }, index) =>
    weight === 0
      ? [{ path: `rewards.${index}`, reason: `weight 0: ${use} is recorded but not added to the total` }]
      : [],
  );
  if (!rewards.some(({ use, weight }) => use === 'format' && weight !== 0)) {
    found.push({
      path: 'rollout.formatPenalty',
      reason: 'no `format` reward with a weight adds it to the total',
    });
  }
  return found;
}

function validationOptions(spec: RunSpec, model: ModelLimits | undefined): InertOption[] {
  const { validation, steps } = spec;
  const never =
    !validation.atStart && !validation.atEnd && (validation.every === 0 || validation.every > steps);
  if (never) return [{ path: 'validation', reason: 'no validation is scheduled' }];
  if (validation.temperature > 0) return topKOptions('validation', spec, model);
  const reason = 'validation.temperature 0 always selects the most probable token';
  return [
    { path: 'validation.topP', reason },
    { path: 'validation.topK', reason },
  ];
}
