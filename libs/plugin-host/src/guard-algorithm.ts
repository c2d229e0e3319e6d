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
import { freezeDeep, lend } from './lend.js';

/** Wraps an algorithm. */
export function guardAlgorithm<Params>(definition: AlgorithmDefinition<Params>): AlgorithmDefinition<Params> {
  const ask = <T>(hook: string, call: () => T, check?: ResultCheck<Awaited<T>>): T =>
    guard(definition, hook, call, check);
  const { inert, minGroupSize, valueLoss } = definition;
  return {
    ...definition,
    needs: (params) => ask('needs', () => definition.needs(freezeDeep(params)), checkNeeds),
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
        () => definition.select(freezeDeep(groups), params),
        (selection) => checkSelection(selection, groups.length),
      ),
    advantages: (trajectories, params) => {
      const loans = trajectories.map((trajectory) => lend(trajectory));
      const given = Object.freeze(loans.map((loan) => loan.given));
      const findChange = (): string | undefined =>
        loans.map((loan) => loan.findChange()).find((change) => change !== undefined);
      return ask(
        'advantages',
        () => definition.advantages(given, freezeDeep(params)),
        (credit) => findChange() ?? checkCredit(credit, trajectories),
      );
    },
    policyLoss: (params) => ask('policyLoss', () => definition.policyLoss(params), checkLoss),
    ...(inert && {
      inert: (params: Params, context: AlgorithmContext) =>
        ask('inert', () => inert(params, context), checkNames),
    }),
    ...(minGroupSize && {
      minGroupSize: (params: Params) =>
        ask(
          'minGroupSize',
          () => minGroupSize(params),
          (count) =>
            Number.isInteger(count) && count >= 1
              ? undefined
              : `returned ${count}; expected a whole number of at least 1`,
        ),
    }),
    ...(valueLoss && { valueLoss: (params: Params) => ask('valueLoss', () => valueLoss(params), checkLoss) }),
  };
}

function checkSelection({ kept, reasons }: Selection, groupCount: number): string | undefined {
  let last = -1;
  for (const index of kept) {
    if (!Number.isInteger(index) || index <= last || index >= groupCount) {
      return `kept group ${index} after ${last}; expected ascending indices below ${groupCount}`;
    }
    last = index;
  }
  return reasons.length === groupCount
    ? undefined
    : `gave ${reasons.length} reasons; expected one per group, ${groupCount}`;
}

function checkCredit(
  { advantages, returns, metrics }: Credit,
  trajectories: readonly CreditTrajectory[],
): string | undefined {
  return (
    checkArrays('advantages', advantages, trajectories) ??
    (returns && checkArrays('returns', returns, trajectories)) ??
    checkMetrics(metrics)
  );
}

function checkMetrics(metrics: Credit['metrics']): string | undefined {
  const wrong = Object.entries(metrics ?? {}).find(([, value]) => !Number.isFinite(value));
  return wrong && `returned metric "${wrong[0]}" ${String(wrong[1])}; expected a finite number`;
}

function checkNeeds(needs: { readonly critic: boolean; readonly reference: boolean }): string | undefined {
  const legal = typeof needs.critic === 'boolean' && typeof needs.reference === 'boolean';
  return legal ? undefined : 'returned no needs; expected { critic, reference }, each true or false';
}

function checkNames(names: readonly string[]): string | undefined {
  const legal = Array.isArray(names) && names.every((name) => typeof name === 'string');
  return legal ? undefined : 'returned no list of names; expected texts, or an empty list';
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

function checkLoss(loss: { readonly id: string; readonly columns: readonly string[] }): string | undefined {
  const legal = typeof loss.id === 'string' && Array.isArray(loss.columns);
  return legal ? undefined : 'returned no loss; expected what defineLoss returns';
}
