/**
 * @file Guards algorithms: selections must be in range, credit must have the right shape and be finite under the loss mask.
 */
import type {
  AlgorithmContext,
  AlgorithmDefinition,
  AlgorithmMemory,
  Credit,
  CreditTrajectory,
  HeldGroup,
  Selection,
  StepSequence,
} from '@espalier/plugin-kit';
import { guard, type ResultCheck } from './boundary.js';
import { freezeDeep, protectInput } from './protect-input.js';

/** Guards an algorithm. */
export function guardAlgorithm<Params>(definition: AlgorithmDefinition<Params>): AlgorithmDefinition<Params> {
  const invoke = <T>(hook: string, call: () => T, check?: ResultCheck<Awaited<T>>): T =>
    guard(definition, hook, call, check);
  const { inert, minGroupSize, resample, stepColumns, valueLoss } = definition;
  return {
    ...definition,
    needs: (params) => invoke('needs', () => definition.needs(freezeDeep(params)), checkNeeds),
    keptShare: (params) =>
      invoke(
        'keptShare',
        () => definition.keptShare(params),
        (share) =>
          share > 0 && share <= 1 ? undefined : `returned ${share}; expected a share above 0 and at most 1`,
      ),
    select: (groups, params) =>
      invoke(
        'select',
        () => definition.select(freezeDeep(groups), params),
        (selection) => checkSelection(selection, groups.length),
      ),
    advantages: (trajectories, params, memory) => {
      const inputs = trajectories.map((trajectory) => protectInput(trajectory));
      const given = Object.freeze(inputs.map(({ input }) => input));
      return invoke(
        'advantages',
        () => definition.advantages(given, freezeDeep(params), freezeDeep(memory ?? {})),
        (credit) => firstMutation(inputs) ?? checkCredit(credit, trajectories, memory),
      );
    },
    ...guardReplay(definition, 'drawReplay'),
    ...guardReplay(definition, 'holdReplay'),
    policyLoss: (params) => invoke('policyLoss', () => definition.policyLoss(params), checkLoss),
    ...(inert && {
      inert: (params: Params, context: AlgorithmContext) =>
        invoke('inert', () => inert(params, context), checkNames),
    }),
    ...(minGroupSize && {
      minGroupSize: (params: Params) =>
        invoke(
          'minGroupSize',
          () => minGroupSize(params),
          (count) =>
            Number.isInteger(count) && count >= 1 ? undefined : `returned ${count}; expected an integer ≥ 1`,
        ),
    }),
    ...(resample && {
      resample: (params: Params) =>
        invoke(
          'resample',
          () => resample(params),
          (count) =>
            Number.isInteger(count) && count >= 0 && count <= 100
              ? undefined
              : `returned ${count}; expected an integer from 0 to 100`,
        ),
    }),
    ...(stepColumns && {
      stepColumns: (sequences: readonly StepSequence[], params: Params) =>
        invoke(
          'stepColumns',
          () => stepColumns(sequences, freezeDeep(params)),
          (columns) => checkStepColumns(columns, sequences),
        ),
    }),
    ...guardMemory(definition),
    ...(valueLoss && {
      valueLoss: (params: Params) => invoke('valueLoss', () => valueLoss(params), checkLoss),
    }),
  };
}

function guardReplay<Params>(definition: AlgorithmDefinition<Params>, hook: 'drawReplay' | 'holdReplay') {
  const ask = definition[hook];
  return (
    ask && {
      [hook]: (...[groups, params, context]: Parameters<typeof ask>) =>
        guard(
          definition,
          hook,
          () => ask(freezeDeep(groups), freezeDeep(params), context),
          (named) => checkNamedGroups(named, groups, context.limit),
        ),
    }
  );
}

function guardMemory<Params>(definition: AlgorithmDefinition<Params>) {
  const { nextMemory, startMemory } = definition;
  return {
    ...(startMemory && {
      startMemory: (params: Params, tags: readonly string[]) =>
        guard(definition, 'startMemory', () => startMemory(params, freezeDeep([...tags])), checkMemory),
    }),
    ...(nextMemory && {
      nextMemory: (memory: AlgorithmMemory, metrics: Readonly<Record<string, number>>, params: Params) =>
        guard(
          definition,
          'nextMemory',
          () => nextMemory(freezeDeep(memory), freezeDeep(metrics), freezeDeep(params)),
          (next) => checkMemory(next) ?? checkSameNames(memory, next),
        ),
    }),
  };
}

const firstMutation = (inputs: readonly ReturnType<typeof protectInput>[]): string | undefined =>
  inputs.flatMap((input) => input.findMutation() ?? []).at(0);

function checkSelection({ kept, reasons, numbers }: Selection, groupCount: number): string | undefined {
  let last = -1;
  for (const index of kept) {
    if (!Number.isInteger(index) || index <= last || index >= groupCount) {
      return `kept group ${index} after ${last}; expected ascending indices below ${groupCount}`;
    }
    last = index;
  }
  if (reasons.length !== groupCount)
    return `returned ${reasons.length} reasons; expected one per group, ${groupCount}`;
  return numbers === undefined || numbers.length === groupCount
    ? undefined
    : `returned numbers of ${numbers.length} groups; expected one record per group, ${groupCount}`;
}

function checkNamedGroups(
  named: readonly number[],
  { length }: readonly HeldGroup[],
  limit: number,
): string | undefined {
  if (!Array.isArray(named)) return 'returned something other than a list; expected indices of groups';
  const before = new Set<number>();
  const wrong = named.findIndex((index) => {
    const isFirst = !before.has(index);
    before.add(index);
    return !Number.isInteger(index) || index < 0 || index >= length || !isFirst;
  });
  if (wrong >= 0)
    return `named group ${String(named[wrong])} of ${length}; expected integers from 0 to below ${length}, each once`;
  return named.length <= limit ? undefined : `named ${named.length} groups; expected at most ${limit}`;
}

function checkCredit(
  { advantages, returns, values, metrics, memory = {} }: Credit,
  trajectories: readonly CreditTrajectory[],
  given: AlgorithmMemory = {},
): string | undefined {
  return (
    checkArrays('advantages', advantages, trajectories) ??
    (returns && checkArrays('returns', returns, trajectories)) ??
    (values && checkArrays('values', values, trajectories)) ??
    checkMetrics(metrics) ??
    checkMemory(memory) ??
    checkSameNames(given, { ...given, ...memory })
  );
}

function checkMetrics(metrics: Credit['metrics']): string | undefined {
  const wrong = Object.entries(metrics ?? {}).find(([, value]) => !Number.isFinite(value));
  return wrong && `returned metric "${wrong[0]}" ${String(wrong[1])}; expected a finite number`;
}

function checkNeeds(needs: {
  readonly critic: boolean;
  readonly critics?: number;
  readonly reference: boolean;
  readonly greedyBaseline?: boolean;
  readonly turnRewards?: boolean;
  readonly replay?: boolean;
}): string | undefined {
  const { critic, critics = 1, reference } = needs;
  const { greedyBaseline = false, turnRewards = false, replay = false } = needs;
  if (![critic, reference, greedyBaseline, turnRewards, replay].every((need) => typeof need === 'boolean'))
    return 'returned invalid needs; expected { critic, reference } and maybe greedyBaseline, turnRewards and replay, each true or false';
  return Number.isInteger(critics) && critics >= 1
    ? undefined
    : `returned needs with ${String(critics)} critics; expected a whole number, 1 or more`;
}

function checkMemory(memory: AlgorithmMemory): string | undefined {
  for (const [name, value] of Object.entries(memory)) {
    if (!/^[a-z][a-zA-Z0-9]*(\/[A-Za-z][A-Za-z0-9_-]*)?$/.test(name))
      return `returned "${name}"; expected names of letters and digits that start with a small letter, and of an environment's number behind them a slash and its tag`;
    if (!Number.isFinite(value)) return `returned ${name} ${String(value)}; expected finite numbers`;
  }
  return undefined;
}

function checkSameNames(before: AlgorithmMemory, next: AlgorithmMemory): string | undefined {
  const [was, is] = [before, next].map((memory) => Object.keys(memory).sort().join(', '));
  return was === is ? undefined : `returned ${is || 'nothing'}; expected the names it was given, ${was}`;
}

function checkNames(names: readonly string[]): string | undefined {
  const valid = Array.isArray(names) && names.every((name) => typeof name === 'string');
  return valid
    ? undefined
    : 'returned something other than a list of names; expected strings, or an empty list';
}

function checkArrays(
  name: string,
  arrays: readonly Float64Array[],
  trajectories: readonly CreditTrajectory[],
): string | undefined {
  if (arrays.length !== trajectories.length) {
    return `returned ${name} of ${arrays.length} trajectories; expected ${trajectories.length}`;
  }
  for (const [index, { lossMask }] of trajectories.entries()) {
    const array = arrays[index]!;
    if (array.length !== lossMask.length) {
      return `returned ${array.length} ${name} for trajectory ${index}; expected one per token, ${lossMask.length}`;
    }
    for (let t = 0; t < lossMask.length; t++) {
      if (lossMask[t] === 1 && !Number.isFinite(array[t])) {
        return `returned ${name} with ${array[t]} at token ${t} of trajectory ${index}; expected finite numbers`;
      }
    }
  }
  return undefined;
}

function checkStepColumns(
  columns: readonly Readonly<Record<string, ArrayLike<number>>>[],
  sequences: readonly StepSequence[],
): string | undefined {
  if (columns.length !== sequences.length)
    return `returned columns of ${columns.length} sequences; expected ${sequences.length}`;
  for (const [index, { logprobs }] of sequences.entries()) {
    for (const [name, values] of Object.entries(columns[index] ?? {})) {
      if (values.length !== logprobs.length)
        return `returned ${values.length} ${name} for sequence ${index}; expected one per loss token, ${logprobs.length}`;
      const wrong = Array.from(values).findIndex((value) => !Number.isFinite(value));
      if (wrong >= 0)
        return `returned ${name} with ${values[wrong]} at loss token ${wrong} of sequence ${index}; expected finite numbers`;
    }
  }
  return undefined;
}

function checkLoss(loss: { readonly id: string; readonly columns: readonly string[] }): string | undefined {
  const valid = typeof loss.id === 'string' && Array.isArray(loss.columns);
  return valid ? undefined : 'returned something other than a loss; expected the result of defineLoss';
}
