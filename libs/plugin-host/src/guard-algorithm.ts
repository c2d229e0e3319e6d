/**
 * @file Algorithms behind the border: selections inside the range, credit of the right shape and finite where it counts.
 */
import type {
  AlgorithmContext,
  AlgorithmDefinition,
  Credit,
  CreditTrajectory,
  Selection,
} from '@espalier/plugin-kit';
import { guard, type ResultCheck } from './boundary.js';

/** Wraps an algorithm. */
export function guardAlgorithm<Params>(definition: AlgorithmDefinition<Params>): AlgorithmDefinition<Params> {
  const ask = <T>(hook: string, call: () => T, check?: ResultCheck<Awaited<T>>): T =>
    guard(definition, hook, call, check);
  const { inert, minMembers, valueLoss } = definition;
  return {
    ...definition,
    needs: (params) => ask('needs', () => definition.needs(params)),
    keptShare: (params) =>
      ask(
        'keptShare',
        () => definition.keptShare(params),
        (share) =>
          share > 0 && share <= 1 ? undefined : `returned ${share}; expected a share above 0 and at most 1`,
      ),
    select: (groups, params) =>
      ask(
        'select',
        () => definition.select(groups, params),
        (selection) => checkSelection(selection, groups.length),
      ),
    advantages: (trajectories, params) =>
      ask(
        'advantages',
        () => definition.advantages(trajectories, params),
        (credit) => checkCredit(credit, trajectories),
      ),
    policyLoss: (params) => ask('policyLoss', () => definition.policyLoss(params), checkLoss),
    ...(inert && {
      inert: (params: Params, context: AlgorithmContext) => ask('inert', () => inert(params, context)),
    }),
    ...(minMembers && {
      minMembers: (params: Params) =>
        ask(
          'minMembers',
          () => minMembers(params),
          (count) =>
            Number.isInteger(count) && count >= 1
              ? undefined
              : `returned ${count}; expected a whole number of at least 1`,
        ),
    }),
    ...(valueLoss && { valueLoss: (params: Params) => ask('valueLoss', () => valueLoss(params), checkLoss) }),
  };
}

function checkSelection({ kept, reasons }: Selection, groups: number): string | undefined {
  let last = -1;
  for (const index of kept) {
    if (!Number.isInteger(index) || index <= last || index >= groups) {
      return `kept group ${index} after ${last}; expected ascending indices below ${groups}`;
    }
    last = index;
  }
  return reasons.length === groups
    ? undefined
    : `gave ${reasons.length} reasons; expected one per group, ${groups}`;
}

function checkCredit(
  { advantages, returns }: Credit,
  trajectories: readonly CreditTrajectory[],
): string | undefined {
  return (
    checkArrays('advantages', advantages, trajectories) ??
    (returns && checkArrays('returns', returns, trajectories))
  );
}

function checkArrays(
  name: string,
  arrays: readonly Float64Array[],
  trajectories: readonly CreditTrajectory[],
): string | undefined {
  if (arrays.length !== trajectories.length) {
    return `returned ${name} of ${arrays.length} trajectories; expected ${trajectories.length}`;
  }
  for (const [index, { counted }] of trajectories.entries()) {
    const array = arrays[index]!;
    if (array.length !== counted.length) {
      return `returned ${array.length} ${name} for trajectory ${index}; expected one per token, ${counted.length}`;
    }
    for (let t = 0; t < counted.length; t++) {
      if (counted[t] === 1 && !Number.isFinite(array[t])) {
        return `returned ${name} with ${array[t]} at token ${t} of trajectory ${index}; expected finite numbers`;
      }
    }
  }
  return undefined;
}

function checkLoss(loss: { readonly id: string; readonly columns: readonly string[] }): string | undefined {
  const legal = typeof loss.id === 'string' && Array.isArray(loss.columns);
  return legal ? undefined : 'returned no loss; expected what defineLoss returns';
}
