/** @file Fills in what an author left out of an environment, so that everything else sees the whole definition. */
import { z } from 'zod';
import type {
  EnvironmentDefinition,
  EnvironmentInstance,
  EpisodeLimits,
  Observation,
  ResetSeeds,
  StepResult,
} from './define-environment.js';
import { kitVersion } from './definition.js';
import { unknownAction } from './unknown-action.js';

/** An observation, or its text alone; `stateKey` is the text unless given. */
type GivenObservation = string | (Omit<Observation, 'stateKey'> & { readonly stateKey?: string });

/**
 * A step: `valid` is true unless given, `effective` whether the state key changed, `success` whether the episode ended
 * with a positive reward.
 */
type GivenStep = Pick<StepResult, 'reward' | 'done'> &
  Partial<Omit<StepResult, 'observation'>> & { readonly observation: GivenObservation };

/** An instance; without `render`, people see the text of the observation. */
type GivenInstance = Omit<EnvironmentInstance, 'reset' | 'step' | 'render'> & {
  reset(seeds: ResetSeeds): GivenObservation | Promise<GivenObservation>;
  step(action: string): GivenStep | Promise<GivenStep>;
  render?(): string;
};

/** Limits; `maxTurns` is 10 unless given, `maxActionsPerTurn` 1, `maxActions` as many as fit into the turns. */
type GivenLimits = Partial<EpisodeLimits>;

/** An environment as an author writes it. What a function would answer always alike may be written as a value. */
export interface GivenEnvironment<Params> extends Omit<
  EnvironmentDefinition<Params>,
  'kind' | 'kit' | 'params' | 'instruction' | 'limits' | 'create'
> {
  /** supported range of kit versions; by default that of this kit */
  readonly kit?: string;
  /** by default there are no options */
  readonly params?: z.ZodType<Params>;
  readonly instruction?: string | ((params: Params) => string);
  readonly limits?: GivenLimits | ((params: Params) => GivenLimits);
  /** the actions of every observation; `step` is called with no other. Leave it out where they differ, or are free text */
  readonly actions?: readonly string[] | ((params: Params) => readonly string[]);
  readonly create: (params: Params) => GivenInstance;
}

/** Gives the definition with everything that was left out. */
export function completeEnvironment<Params>(given: GivenEnvironment<Params>): EnvironmentDefinition<Params> {
  const { actions: named, limits: limited = {}, instruction: told = '', ...rest } = given;
  return {
    kit: `^${kitVersion}`,
    // without options Params is what parsing {} gives
    params: z.strictObject({}) as unknown as z.ZodType<Params>,
    ...rest,
    kind: 'environment',
    instruction: (params) => valueFor(told, params),
    limits: (params) => completeLimits(valueFor(limited, params)),
    create: (params) => completeInstance(given.create(params), named && valueFor(named, params)),
  };
}

function valueFor<Params, T extends string | object>(value: T | ((params: Params) => T), params: Params): T {
  return typeof value === 'function' ? value(params) : value;
}

function completeLimits(given: GivenLimits): EpisodeLimits {
  const { maxTurns = 10, maxActionsPerTurn = 1 } = given;
  return { maxTurns, maxActionsPerTurn, maxActions: maxTurns * maxActionsPerTurn, ...given };
}

/** Completes an instance in place, so that its class, private fields and further hooks stay as they are. */
function completeInstance(
  instance: GivenInstance,
  actions: readonly string[] | undefined,
): EnvironmentInstance {
  // what is no instance is reported where plugins are guarded
  if (typeof instance?.reset !== 'function' || typeof instance.step !== 'function')
    return instance as EnvironmentInstance;
  const reset = instance.reset.bind(instance);
  const step = instance.step.bind(instance);
  let text = '';
  let stateKey = '';
  const observe = (given: GivenObservation): Observation => {
    const observation = completeObservation(given, actions);
    ({ text, stateKey } = observation ?? { text, stateKey });
    return observation;
  };
  const conclude = (given: GivenStep): StepResult => {
    if (typeof given !== 'object' || given === null) return given;
    const before = stateKey;
    const observation = observe(given.observation);
    if (isWhole(given) && observation === given.observation) return given as StepResult;
    const success = given.done && given.reward > 0;
    return { valid: true, effective: stateKey !== before, success, ...given, observation };
  };
  return Object.assign(instance, {
    render: instance.render ?? ((): string => text),
    reset: (seeds: ResetSeeds) => settle(reset(seeds), observe),
    step: (action: string) => {
      if (actions?.includes(action) === false) throw unknownAction(action, actions);
      return settle(step(action), conclude);
    },
  });
}

function isWhole({ valid, effective, success }: GivenStep): boolean {
  return valid !== undefined && effective !== undefined && success !== undefined;
}

function completeObservation(given: GivenObservation, actions: readonly string[] | undefined): Observation {
  const listed = actions === undefined ? {} : { actions };
  if (typeof given === 'string') return { text: given, stateKey: given, ...listed };
  const isComplete = given?.stateKey !== undefined && (actions === undefined || given.actions !== undefined);
  if (isComplete || typeof given !== 'object' || given === null) return given as Observation;
  return { stateKey: given.text, ...listed, ...given };
}

/** Continues at once with a value, later with a promise. */
function settle<T, R>(value: T | Promise<T>, next: (settled: T) => R): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
