/**
 * @file Options that change nothing in the given configuration, each with the reason. The plan prints them;
 * those a person has set are marked, because they may be a misunderstanding.
 */
import type { OptimizerSpec, RunSpec } from '@espalier/contracts';
import type { ConfigurableAlgorithm, ConfigurableEnvironment, ModelFacts } from './registry.js';

export interface InertOption {
  readonly path: string;
  readonly reason: string;
}

/** A definition with its options filled in. */
interface Chosen<Plugin> {
  readonly plugin: Plugin;
  readonly options: unknown;
}

/** Lists inert options of a resolved spec; a path may name a whole branch. */
export function findInertOptions(
  spec: RunSpec,
  facts: {
    readonly critic: boolean;
    readonly algorithm: Chosen<Pick<ConfigurableAlgorithm, 'inert'>>;
    readonly environment: Chosen<Pick<ConfigurableEnvironment, 'inert' | 'reads'>>;
    readonly model?: ModelFacts | undefined;
  },
): InertOption[] {
  return [
    ...algorithmOptions(spec, facts.algorithm),
    ...environmentOptions(spec, facts.environment),
    ...everyToken('rollout', spec, facts.model),
    ...scheduleOptions('optimizer', spec.optimizer, spec),
    ...criticOptions(spec, facts.critic),
    ...rolloutOptions(spec),
    ...isolationOptions(spec),
    ...rewardOptions(spec),
    ...validationOptions(spec, facts.model),
  ];
}

/** What the algorithm names; some of it only because each rollout set gives a single optimizer step. */
function algorithmOptions(
  { algorithm: { use }, derived }: RunSpec,
  { plugin, options }: Chosen<Pick<ConfigurableAlgorithm, 'inert'>>,
): InertOption[] {
  const { optimizerStepsPerStep } = derived;
  const always = plugin.inert?.(options, { optimizerStepsPerStep: Math.max(2, optimizerStepsPerStep) });
  return (plugin.inert?.(options, { optimizerStepsPerStep }) ?? []).map((name) => ({
    path: `algorithm.${name}`,
    reason: always?.includes(name)
      ? `the other options of ${use} leave it without effect`
      : 'one optimizer step per rollout set: new and old policy are still the same; raise update.miniBatches or update.epochs',
  }));
}

/** What the environment names of its own options, and environment noise where nothing happens by chance. */
function environmentOptions(
  { environment: { use }, rollout }: RunSpec,
  { plugin, options }: Chosen<Pick<ConfigurableEnvironment, 'inert' | 'reads'>>,
): InertOption[] {
  const { maxTurns, maxActions, maxActionsPerTurn } = rollout;
  const own = plugin.inert?.(options, { maxTurns, maxActions, maxActionsPerTurn }) ?? [];
  const found = own.map((name) => ({
    path: `environment.${name}`,
    reason: `the other options of ${use} and rollout.maxActions ${maxActions} leave it without effect`,
  }));
  if (plugin.reads?.(options).noise === false) {
    const reason = `under these options nothing in ${use} happens by chance after the first observation`;
    found.push({ path: 'rollout.noiseSeed', reason });
  } else if (rollout.groupSize === 1) {
    found.push({
      path: 'rollout.noiseSeed',
      reason: 'a group of one has nobody to share environment noise with',
    });
  }
  return found;
}

/** Keeping the most probable tokens where they are all there is. */
function everyToken(
  part: 'rollout' | 'validation',
  spec: RunSpec,
  model: ModelFacts | undefined,
): InertOption[] {
  const { topK } = spec[part];
  if (model === undefined || topK < model.vocabularySize) return [];
  return [{ path: `${part}.topK`, reason: `the model has ${model.vocabularySize} tokens in all` }];
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
    found.push({ path: 'update.lossMask.think', reason: 'rollout.think is false: no reasoning is sampled' });
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

function validationOptions(spec: RunSpec, model: ModelFacts | undefined): InertOption[] {
  const { validation, steps } = spec;
  const never =
    !validation.atStart && !validation.atEnd && (validation.every === 0 || validation.every > steps);
  if (never) return [{ path: 'validation', reason: 'no validation takes place' }];
  if (validation.temperature > 0) return everyToken('validation', spec, model);
  const reason = 'validation.temperature 0 always takes the most probable token';
  return [
    { path: 'validation.topP', reason },
    { path: 'validation.topK', reason },
  ];
}
