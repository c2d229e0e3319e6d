/**
 * @file Options without effect in a configuration, each with the reason. The plan prints them and marks those that were
 * set explicitly, because these may be mistakes.
 */
import type { DerivedNumbers, OptimizerSpec, RunSpec } from '@espalier/contracts';
import { listAlgorithms, type TaggedSpec } from '@espalier/contracts/mixing';
import { samplerDiffers } from '@espalier/contracts/sampler-correction';
import { optionOf } from './budgets.js';
import { agentOptions } from './inert-agents.js';
import { curriculumOptions } from './curriculum-budgets.js';
import { filterInert } from './filter-budgets.js';
import { mixingOptions } from './inert-mixing.js';
import { rewardOptions } from './inert-rewards.js';
import type { ConfigurableAlgorithm, ConfigurableEnvironment, ModelLimits } from './registry.js';
import { isLate, scheduleInert } from './schedule-budgets.js';

export interface InertOption {
  readonly path: string;
  readonly reason: string;
}

/** A definition with its complete options. */
interface Chosen<Plugin> {
  readonly plugin: Plugin;
  readonly options: unknown;
}

interface ChosenAlgorithm extends Chosen<Pick<ConfigurableAlgorithm, 'inert'>> {
  /** where it stands in the spec */
  readonly path: string;
}

/** An environment of a run with what checks need to know of it. */
export interface CheckedEnvironment extends TaggedSpec {
  readonly environment: Chosen<ConfigurableEnvironment>;
  /** the environment ends an episode after this many actions */
  readonly maxActions: number | undefined;
  /** smallest group size that the algorithm supports with the options of this tag */
  readonly minGroupSize: number;
}

/** Lists the inert options of a resolved spec; a path may name a whole section. */
export function findInertOptions(
  spec: RunSpec,
  derived: DerivedNumbers,
  given: {
    readonly critic: boolean;
    /** those that learn from something, with their paths */
    readonly algorithms: readonly ChosenAlgorithm[];
    readonly environments: readonly CheckedEnvironment[];
    readonly model?: ModelLimits | undefined;
  },
): InertOption[] {
  return [
    ...given.algorithms.flatMap((one) => algorithmOptions(spec, derived, one)),
    ...given.environments.flatMap(environmentOptions),
    ...noiseOptions(spec, given.environments),
    ...topKOptions('rollout', spec, given.model),
    ...scheduleOptions('optimizer', spec.optimizer, derived),
    ...criticOptions(spec, given.critic),
    ...rolloutOptions(spec),
    ...normalizationOptions(spec),
    ...contextOptions(spec, given.environments),
    ...agentOptions(given.environments),
    ...aggregationOptions(spec),
    ...samplerOptions(spec),
    ...distillationOptions(spec),
    ...given.environments.flatMap(actionOptions),
    ...given.environments.flatMap(isolationOptions),
    ...timeoutOptions(given.environments),
    ...rewardOptions(spec, given.environments),
    ...mixingOptions(spec),
    ...curriculumOptions(spec),
    ...validationOptions(spec, given.model),
    ...monitorOptions(spec),
    ...engineOptions(spec),
    ...scheduleInert(spec),
    ...filterInert(spec, given.environments),
  ];
}

/** Options that the algorithm reports as inert, some of them only because there is one optimizer step per rollout. */
function algorithmOptions(
  spec: RunSpec,
  derived: DerivedNumbers,
  { path, plugin, options }: ChosenAlgorithm,
): InertOption[] {
  const use = listAlgorithms(spec).find((one) => one.path === path)?.chosen.use ?? spec.algorithm.use;
  const always = plugin.inert?.(options, {
    optimizerStepsPerStep: Math.max(2, derived.optimizerStepsPerStep),
    criticStepsPerStep: Math.max(2, criticStepsPerStep(spec)),
  });
  // what differs in the first step acts as it does in a second one
  const context = {
    optimizerStepsPerStep: Math.max(startsApart(spec) ? 2 : 1, derived.optimizerStepsPerStep),
    criticStepsPerStep: Math.max(
      hasDropout(spec) && spec.lora?.critic === 'adapter' ? 2 : 1,
      criticStepsPerStep(spec),
    ),
  };
  return (plugin.inert?.(options, context) ?? []).map((name) => ({
    path: `${path}.${name}`,
    reason: always?.includes(name)
      ? `the other options of ${use} make it irrelevant`
      : 'there is one optimizer step per rollout, so the new policy equals the old one; raise update.miniBatches or update.epochs',
  }));
}

/** Whether ratios differ from 1 in the first optimizer step already. */
const startsApart = (spec: RunSpec): boolean =>
  isLate(spec) || hasDropout(spec) || (samplerDiffers(spec) && spec.update.samplerCorrection.use === 'off');

/** Gradients are computed with it, old log-probabilities and values without. */
const hasDropout = ({ lora, engine }: RunSpec): boolean =>
  engine === undefined && lora !== undefined && lora.dropout > 0;

const criticStepsPerStep = ({ update }: RunSpec): number =>
  (update.criticEpochs ?? update.epochs) * (update.criticMiniBatches ?? update.miniBatches);

/** Options that an environment reports as inert. */
function environmentOptions({ path, spec, environment }: CheckedEnvironment): InertOption[] {
  const { maxTurns, maxActions, maxActionsPerTurn } = spec.rollout;
  const { plugin, options } = environment;
  const own = plugin.inert?.(options, { maxTurns, maxActions, maxActionsPerTurn }) ?? [];
  return own.map((name) => ({
    path: `${path}.${name}`,
    reason: `the other options of ${spec.environment.use} and ${optionOf(path, 'maxActions')} ${maxActions} make it irrelevant`,
  }));
}

/** Environment noise and plans, where no environment of the run has them. */
function noiseOptions({ rollout }: RunSpec, environments: readonly CheckedEnvironment[]): InertOption[] {
  const found: InertOption[] = [];
  const reads = (what: 'noise' | 'plans'): boolean =>
    environments.some(({ environment: { plugin, options } }) => plugin.reads?.(options)[what] !== false);
  // the levels of a curriculum are of one environment
  const used = [...new Set(environments.map(({ spec }) => spec.environment.use))];
  const names = used.join(', ');
  const [are, have] = used.length === 1 ? ['is', 'has'] : ['are', 'have'];
  if (!reads('noise')) {
    const reason = `with these options ${names} ${are} deterministic after the first observation`;
    found.push({ path: 'rollout.noiseSeed', reason });
  } else if (rollout.groupSize === 1) {
    found.push({
      path: 'rollout.noiseSeed',
      reason: 'a group of one has no other trajectory to share noise with',
    });
  }
  if (!reads('plans'))
    found.push({
      path: 'rollout.plans',
      reason: `${names} ${have} no plan for every turn with these options`,
    });
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
  { optimizerSteps }: Pick<DerivedNumbers, 'optimizerSteps'>,
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

function criticOptions(spec: RunSpec, critic: boolean): InertOption[] {
  if (critic)
    return [
      ...scheduleOptions('criticOptimizer', spec.criticOptimizer, {
        optimizerSteps: spec.steps * criticStepsPerStep(spec),
      }),
      ...(spec.update.valueNormalization.use === 'off'
        ? [{ path: 'update.valueNormalization.memory', reason: 'values are not normalised' }]
        : []),
    ];
  const uses = [...new Set(listAlgorithms(spec).map(({ chosen: { use } }) => use))];
  const reason = `${uses.join(' and ')} ${uses.length === 1 ? 'has' : 'have'} no critic`;
  return [
    { path: 'criticOptimizer', reason },
    { path: 'update.criticWarmup', reason },
    { path: 'update.criticEpochs', reason },
    { path: 'update.criticMiniBatches', reason },
    { path: 'update.valueNormalization', reason },
  ];
}

function normalizationOptions({ update: { rewardNormalization }, rollout }: RunSpec): InertOption[] {
  const path = 'update.rewardNormalization';
  if (rewardNormalization === undefined) return [];
  if (rewardNormalization.method === 'identity')
    return [{ path: `${path}.by`, reason: 'totals are left as they are' }];
  if (rewardNormalization.by !== 'state' || rollout.groupSize > 1) return [];
  return [{ path, reason: 'a group of one has no other trajectory to be compared with' }];
}

function rolloutOptions({ rollout }: RunSpec): InertOption[] {
  const found: InertOption[] = [];
  if (rollout.prompt.thinking === 'none')
    found.push({
      path: 'update.lossMask.think',
      reason: 'rollout.prompt.thinking is none: no reasoning is sampled',
    });
  return found;
}

/** Options of the context where no prompt can have more turns, or none can leave out any. */
function contextOptions(
  { rollout: { context } }: RunSpec,
  environments: readonly CheckedEnvironment[],
): InertOption[] {
  const longest = Math.max(...environments.map(({ spec }) => spec.rollout.maxTurns));
  const found: InertOption[] = [];
  if (context.turns !== 'all' && context.turns >= longest)
    found.push({
      path: 'rollout.context.turns',
      reason: `no episode has more than ${longest} ${longest === 1 ? 'turn' : 'turns'}`,
    });
  if (context.whenFull === 'truncate' && (context.turns === 1 || longest === 1))
    found.push({
      path: 'rollout.context.whenFull',
      reason: 'a prompt has one turn, so it has none to leave out',
    });
  return found;
}

function aggregationOptions({ update }: RunSpec): InertOption[] {
  if (update.lossConstant === undefined || update.lossAggregation.endsWith('-constant')) return [];
  const reason = `update.lossAggregation ${update.lossAggregation} divides by no constant`;
  return [{ path: 'update.lossConstant', reason }];
}

function samplerOptions(spec: RunSpec): InertOption[] {
  const { update, device, engine } = spec;
  const { use, maxRatio, minRatio } = update.samplerCorrection;
  const found: InertOption[] = [];
  if (use !== 'off' && engine === undefined && !samplerDiffers(spec) && !isLate(spec))
    found.push({
      path: 'update.samplerCorrection',
      reason: `sampler and trainer both compute in ${device.sampling}, so all weights are 1 but for rounding; it costs a forward pass, for metrics that show so`,
    });
  if (maxRatio !== undefined && use === 'off')
    found.push({ path: 'update.samplerCorrection.maxRatio', reason: 'the sampler is not corrected for' });
  if (minRatio !== undefined && use !== 'icepop')
    found.push({
      path: 'update.samplerCorrection.minRatio',
      reason:
        use === 'off'
          ? 'the sampler is not corrected for'
          : `only icepop has a bound below, and update.samplerCorrection.use is ${use}`,
    });
  return found;
}

/** Self-distillation where no trajectory can have a teacher, or there is none. */
function distillationOptions({ update: { selfDistillation }, rollout }: RunSpec): InertOption[] {
  const path = 'update.selfDistillation';
  if (selfDistillation.coefficient === 0)
    return [{ path: `${path}.gate`, reason: `${path}.coefficient is 0` }];
  if (rollout.groupSize === 1)
    return [{ path, reason: 'a group of one has no other trajectory to learn from' }];
  if (rollout.context.turns !== 'all')
    return [{ path, reason: 'episodes in context windows have no teacher; set rollout.context.turns: all' }];
  return [];
}

function actionOptions({ path, spec: { rollout } }: CheckedEnvironment): InertOption[] {
  const { maxActions, maxActionsPerTurn } = rollout;
  if (maxActionsPerTurn <= maxActions) return [];
  return [
    {
      path: optionOf(path, 'maxActionsPerTurn'),
      reason: `${optionOf(path, 'maxActions')} ${maxActions} is reached first`,
    },
  ];
}

function isolationOptions({ path, spec: { environment, rewards } }: CheckedEnvironment): InertOption[] {
  const rewardsAt = path === 'environment' ? 'rewards' : path.replace(/environment$/, 'rewards');
  return [environment, ...rewards].flatMap((chosen, index) =>
    chosen.callTimeoutMs !== undefined && chosen.isolation !== 'process'
      ? [
          {
            path: `${index === 0 ? path : `${rewardsAt}.${index - 1}`}.callTimeoutMs`,
            reason: 'only a separate process can be killed; set isolation: process',
          },
        ]
      : [],
  );
}

function timeoutOptions(environments: readonly CheckedEnvironment[]): InertOption[] {
  if (!environments.every(({ spec: { environment } }) => environment.isolation === 'process')) return [];
  const reason =
    environments.length === 1
      ? 'environment.callTimeoutMs limits every call of a separate process'
      : 'callTimeoutMs of each environment limits every call of a separate process';
  return [{ path: 'rollout.environmentTimeoutMs', reason }];
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

/** Options of the embedded engine where a server computes. */
function engineOptions({ engine, lora, device }: RunSpec): InertOption[] {
  if (engine === undefined) return [];
  const reason = `with engine ${engine.use} the server computes`;
  const ofLora = ['alpha', 'rankStabilized', 'targets', 'dropout', 'baseDtype', 'critic'].map(
    (name) => `lora.${name}`,
  );
  return [
    'update.microBatchTokens',
    'update.recompute',
    'device.precision',
    'device.sampling',
    ...(device.driver === undefined ? [] : ['device.driver']),
    ...(device.threads === undefined ? [] : ['device.threads']),
    ...(lora === undefined ? [] : ofLora),
  ].map((path) => ({ path, reason }));
}

function monitorOptions({ monitor, steps }: RunSpec): InertOption[] {
  if (monitor.every > 0 && monitor.every <= steps) return responseOptions(monitor);
  const reason =
    monitor.every === 0
      ? 'monitor.every is 0: nothing is checked'
      : `monitor.every ${monitor.every}: the run has ${steps} iterations, so nothing is checked`;
  return Object.keys(monitor)
    .filter((name) => name !== 'every')
    .map((name) => ({ path: `monitor.${name}`, reason }));
}

/** Options of a roll-back where there is none. */
function responseOptions(monitor: RunSpec['monitor']): InertOption[] {
  const names = ['onWarning', 'onCollapse'] as const;
  const others = names.filter((name) => monitor[name].action !== 'rollBack');
  const found = others.map((name) => ({
    path: `monitor.${name}.change`,
    reason: `only a roll-back changes settings, and monitor.${name}.action is ${monitor[name].action}`,
  }));
  if (others.length < names.length) return found;
  return [...found, { path: 'monitor.maxRollBacks', reason: 'no action is rollBack' }];
}
