/**
 * @file Guards environments: observations and step results are validated, errors carry seeds and step.
 */
import {
  draw,
  type EnvironmentDefinition,
  type EnvironmentInstance,
  type EpisodeLimits,
  type Observation,
  type StepResult,
} from '@espalier/plugin-kit';
import { type CallContext, checkRewardValue, guard } from './boundary.js';
import { freezeDeep } from './protect-input.js';

/** Guards an environment; each hook costs one extra function call. */
export function guardEnvironment<Params>(
  definition: EnvironmentDefinition<Params>,
): EnvironmentDefinition<Params> {
  const { reads, inert } = definition;
  return {
    ...definition,
    ...(reads && {
      reads: (params: Params) => guard(definition, 'reads', () => reads(params), checkReads),
    }),
    ...(inert && {
      inert: (params: Params, limits: EpisodeLimits) =>
        guard(definition, 'inert', () => inert(params, limits), checkNames),
    }),
    instruction: (params) =>
      guard(
        definition,
        'instruction',
        () => definition.instruction(freezeDeep(params)),
        (text) => expectText('a string', text),
      ),
    limits: (params) => guard(definition, 'limits', () => definition.limits(freezeDeep(params)), checkLimits),
    create: (params) =>
      guardInstance(
        definition,
        guard(definition, 'create', () => definition.create(freezeDeep(params)), checkInstance),
      ),
  };
}

function guardInstance(
  plugin: { kind: string; id: string },
  inner: EnvironmentInstance,
): EnvironmentInstance {
  let state: number | undefined;
  let noise: number | undefined;
  let step = 0;
  const context = (): CallContext => ({ step, seed: state, noise });
  const invoke = <T>(hook: string, call: () => T, check?: (result: Awaited<T>) => string | undefined): T =>
    guard(plugin, hook, call, check, context);
  const optional: Omit<EnvironmentInstance, 'reset' | 'step' | 'render'> = {
    ...(inner.close && { close: () => invoke('close', () => inner.close!()) }),
    ...(inner.picture && { picture: () => invoke('picture', () => inner.picture!(), checkPicture) }),
    ...(inner.oracle && { oracle: () => invoke('oracle', () => inner.oracle!(), checkPlan) }),
    ...(inner.sampleAction && {
      sampleAction: (seed: number) =>
        invoke(
          'sampleAction',
          () => inner.sampleAction!(seed),
          (text) => expectText('an action', text),
        ),
    }),
    ...(inner.facts && { facts: () => invoke('facts', () => copyFacts(inner.facts!()), checkFacts) }),
    ...(inner.explain && {
      explain: (plan: readonly string[]) =>
        invoke(
          'explain',
          () => inner.explain!(plan),
          (text) => expectText('a string', text),
        ),
    }),
    ...(inner.snapshot && { snapshot: () => invoke('snapshot', () => inner.snapshot!()) }),
    ...(inner.restore && {
      restore: (snapshot: unknown) => invoke('restore', () => inner.restore!(snapshot)),
    }),
  };
  return {
    reset: (seeds) => {
      ({ state, noise } = seeds);
      step = 0;
      const given = Object.freeze({ ...seeds });
      return invoke('reset', () => inner.reset(given), checkObservation);
    },
    step: (action) => {
      step += 1;
      return invoke('step', () => inner.step(action), checkStep);
    },
    render: () =>
      invoke(
        'render',
        () => inner.render(),
        (text) => expectText('a string', text),
      ),
    ...optional,
  };
}

function checkInstance(instance: EnvironmentInstance): string | undefined {
  for (const hook of ['reset', 'step', 'render'] as const) {
    if (typeof instance[hook] !== 'function')
      return `returned no function "${hook}"; expected reset, step and render`;
  }
  return undefined;
}

function checkLimits(limits: object): string | undefined {
  for (const name of ['maxTurns', 'maxActions', 'maxActionsPerTurn'] as const) {
    const limit = (limits as Record<string, unknown>)[name];
    if (!Number.isInteger(limit) || (limit as number) < 1)
      return `returned ${name} ${String(limit)}; expected an integer ≥ 1`;
  }
  return undefined;
}

type Reads = ReturnType<NonNullable<EnvironmentDefinition<unknown>['reads']>>;

function checkReads({ noise, actions, plans, penalties, episodes }: Reads): string | undefined {
  for (const [name, value] of Object.entries({ noise, plans, penalties })) {
    if (value !== undefined && typeof value !== 'boolean')
      return `returned ${name} ${String(value)}; expected true, false or undefined`;
  }
  for (const [name, value] of Object.entries({ actions, episodes })) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 1))
      return `returned ${name} ${String(value)}; expected an integer ≥ 1 or undefined`;
  }
  return undefined;
}

function checkNames(names: readonly string[]): string | undefined {
  return Array.isArray(names) && names.every((name) => typeof name === 'string')
    ? undefined
    : 'returned something other than a list of names; expected names of options';
}

function expectText(what: string, value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : `returned ${typeof value}; expected ${what}`;
}

function checkObservation(observation: Observation): string | undefined {
  const { text, stateKey, actions, legend } = observation;
  if (typeof text !== 'string')
    return `returned an observation with text of type ${typeof text}; expected a string`;
  if (typeof stateKey !== 'string')
    return `returned an observation with a stateKey of type ${typeof stateKey}; expected a string`;
  if (text === '') return 'returned an observation with empty text; expected what the agent observes';
  if (stateKey === '')
    return 'returned an observation with an empty stateKey; expected a string that identifies the observable state, such as the text itself';
  const isList = Array.isArray(actions) && actions.every((name) => typeof name === 'string' && name !== '');
  if (actions !== undefined && !isList)
    return 'returned actions that are not a list of names; expected non-empty strings, or none';
  if (legend !== undefined && (typeof legend !== 'object' || legend === null))
    return `returned a legend of type ${typeof legend}; expected an object from symbols to meanings, or none`;
  return undefined;
}

function checkStep(result: StepResult): string | undefined {
  const finding = checkRewardValue(result.reward);
  if (finding !== undefined) return `returned reward ${finding}`;
  for (const flag of ['done', 'success', 'valid', 'effective'] as const) {
    if (typeof result[flag] !== 'boolean')
      return `returned ${flag} of type ${typeof result[flag]}; expected a boolean`;
  }
  if (result.slipped !== undefined && typeof result.slipped !== 'boolean')
    return `returned slipped of type ${typeof result.slipped}; expected a boolean, or none`;
  if (result.metrics !== undefined) {
    for (const [name, value] of Object.entries(result.metrics)) {
      if (!Number.isFinite(value)) return `returned metric "${name}" ${value}; expected a finite number`;
    }
  }
  return checkObservation(result.observation);
}

function checkPicture(bytes: unknown): string | undefined {
  const finding = draw.pictureFinding(bytes);
  return finding === undefined ? undefined : `returned ${finding}`;
}

function checkPlan(plan: readonly string[]): string | undefined {
  const valid = Array.isArray(plan) && plan.every((action) => typeof action === 'string');
  return valid
    ? undefined
    : 'returned something that is not a list of action names; expected strings, or an empty list';
}

/** Facts are recorded: an object that the environment keeps using would change in the record. */
function copyFacts(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return structuredClone(facts);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`facts are not plain data (${reason})`, { cause });
  }
}

function checkFacts(facts: unknown): string | undefined {
  return typeof facts === 'object' && facts !== null
    ? undefined
    : `returned ${typeof facts}; expected an object`;
}
