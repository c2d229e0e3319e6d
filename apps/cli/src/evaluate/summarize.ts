/** @file From what was played to a table: pure numbers. */
import type { PlayedOutcome } from '@espalier/trainer';
import {
  adjustHolm,
  bootstrapMean,
  estimatePassAll,
  estimatePassAny,
  testPaired,
  wilsonInterval,
} from '@espalier/rollout/estimates';
import type { Cell, Comparison, Entry, StateResult } from './result.js';

/** The episodes of one policy in one environment. */
export interface PlayedCell {
  readonly column: string;
  readonly outcomes: readonly Pick<
    PlayedOutcome,
    'stateSeed' | 'success' | 'total' | 'formatShare' | 'sampledTokens'
  >[];
  readonly failed: number;
  readonly error?: string | undefined;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Summarizes a cell; its error is told only if nothing was completed, or too much failed. */
export function summarizeCell({ column, outcomes, failed, error }: PlayedCell): Cell {
  const states = statesOf(outcomes);
  const common = { column, states, episodes: outcomes.length, failed };
  if (states.length === 0 || error !== undefined)
    return { ...common, error: error ?? 'no episode was completed' };
  const draws = Math.max(...states.map(({ episodes }) => episodes));
  return {
    ...common,
    ...summarizeStates(states),
    ...(draws < 2 ? {} : { passes: estimatePasses(states, draws) }),
    formatShare: meanOf(outcomes.map(({ formatShare }) => formatShare)),
    sampledTokens: outcomes.reduce((sum, one) => sum + one.sampledTokens, 0),
  };
}

/** Success and score over states, of which there is at least one. */
export const summarizeStates = (
  states: readonly StateResult[],
): Required<Pick<Cell, 'success' | 'score'>> => ({
  success: estimateSuccess(states),
  score: estimateMean(states.map(({ score }) => score)),
});

function statesOf(outcomes: PlayedCell['outcomes']): StateResult[] {
  const bySeed = new Map<number, PlayedCell['outcomes'][number][]>();
  for (const outcome of outcomes) {
    const known = bySeed.get(outcome.stateSeed);
    if (known === undefined) bySeed.set(outcome.stateSeed, [outcome]);
    else known.push(outcome);
  }
  return [...bySeed].map(([stateSeed, own]) => ({
    stateSeed,
    episodes: own.length,
    successes: own.filter(({ success }) => success).length,
    score: meanOf(own.map(({ total }) => total)),
  }));
}

/**
 * One episode per state: Wilson. Several are alike, so their states are what is resampled; where all states agree,
 * resampling would claim certainty, and Wilson's interval of as many states holds.
 */
function estimateSuccess(states: readonly StateResult[]): NonNullable<Cell['success']> {
  const successes = states.filter((state) => state.successes > 0).length;
  const isSame = successes === 0 || states.every((state) => state.successes === state.episodes);
  if (isSame || states.every(({ episodes }) => episodes === 1)) {
    const { low, high } = wilsonInterval(successes, states.length);
    return { value: successes / states.length, low, high, interval: 'wilson' };
  }
  return { ...estimateMean(states.map(rateOf)), interval: 'bootstrap' };
}

const rateOf = ({ successes, episodes }: StateResult): number => successes / episodes;

function estimateMean(values: readonly number[]): { value: number; low: number; high: number } {
  const { mean, low, high } = bootstrapMean(values);
  return { value: mean, low, high };
}

/** For k = 1, 2, 4 … and the most episodes that a state has; where some failed, a state counts for the k that it has left. */
function estimatePasses(states: readonly StateResult[], draws: number): NonNullable<Cell['passes']> {
  const powers = Array.from({ length: Math.floor(Math.log2(draws)) + 1 }, (_, i) => 2 ** i);
  return [...new Set([...powers, draws])].map((k) => {
    const able = states.filter(({ episodes }) => episodes >= k);
    return {
      k,
      any: meanOf(able.map(({ episodes, successes }) => estimatePassAny(episodes, successes, k))),
      all: meanOf(able.map(({ episodes, successes }) => estimatePassAll(episodes, successes, k))),
      states: able.length,
    };
  });
}

/**
 * Tests every two models, every two settings of several seeds, each of both against the constant and the random baseline,
 * and every probe against its model, in each environment on the states that both played; all tests are one family.
 */
export function compareEntries(entries: readonly Entry[]): Comparison[] {
  const models = entries.filter(({ kind }) => kind === 'model');
  const settings = entries.filter(({ kind }) => kind === 'seeds');
  const weak = entries.filter(({ kind, name }) => kind === 'baseline' && name !== 'oracle');
  const pairs = [models, settings].flatMap((alike) =>
    alike.flatMap((first, index) => [
      ...[...alike.slice(index + 1), ...weak].map((second) => [first, second] as const),
      ...entries.filter(({ of }) => of === first.name).map((probe) => [first, probe] as const),
    ]),
  );
  const found = pairs.flatMap(([first, second]) =>
    first.cells.flatMap((cell) => {
      const other = second.cells.find(({ column }) => column === cell.column);
      const test = other === undefined ? undefined : compareCells(cell, other);
      return test === undefined ? [] : [{ ...test, first: first.name, second: second.name }];
    }),
  );
  const adjusted = adjustHolm(found.map(({ p }) => p));
  return found.map((test, index) => ({ ...test, adjusted: adjusted[index] ?? 1 }));
}

function compareCells(
  first: Cell,
  second: Cell,
): Omit<Comparison, 'first' | 'second' | 'adjusted'> | undefined {
  if (first.success === undefined || second.success === undefined) return undefined;
  const rates = new Map(second.states.map((state) => [state.stateSeed, rateOf(state)]));
  const differences = first.states.flatMap((state) => {
    const other = rates.get(state.stateSeed);
    return other === undefined ? [] : [rateOf(state) - other];
  });
  if (differences.length < 2) return undefined;
  return {
    column: first.column,
    states: differences.length,
    difference: estimateMean(differences),
    ...testPaired(differences),
  };
}
