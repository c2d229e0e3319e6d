/**
 * @file Whether two groups of runs differ in success, from the states of a validation that all of their runs have: of
 * each state the mean over the runs of a group, and the differences tested in pairs. The command line and the server
 * both take their numbers from here.
 */
import { bootstrapMean } from './bootstrap.js';
import { type PairedTest, testPaired } from './paired-test.js';

/** What came of one state. */
export interface StateOutcome {
  /** environment of a run in several */
  readonly tag?: string | undefined;
  readonly stateSeed: number;
  /** which one it is, with what its states depend on; seeds of different ones are different states */
  readonly environment?: string | undefined;
  readonly success: boolean;
}

/** A test between two groups in one environment. */
export interface StateTest extends PairedTest {
  readonly tag: string | undefined;
  /** states that all runs of both groups completed */
  readonly states: number;
  /** first − second in success, with its 95 % interval (bootstrap over states) */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** The newest trained step that all lists have; undefined: none. Before the first step a policy has learned nothing. */
export function newestCommonStep(lists: readonly (readonly number[])[]): number | undefined {
  const [first = [], ...rest] = lists;
  const common = first.filter((step) => step > 0 && rest.every((list) => list.includes(step)));
  return common.length === 0 ? undefined : Math.max(...common);
}

/**
 * Tests two groups in each environment that has at least two states in common.
 *
 * @param first outcomes of each run of the first group
 */
export function testStates(
  first: readonly (readonly StateOutcome[])[],
  second: readonly (readonly StateOutcome[])[],
): StateTest[] {
  const [ours, theirs] = [ratesOf(first), ratesOf(second)];
  return [...ours].flatMap(([tag, states]) => {
    const differences = [...states].flatMap(([seed, rate]) => {
      const other = theirs.get(tag)?.get(seed);
      return other === undefined ? [] : [rate - other];
    });
    if (differences.length < 2) return [];
    const { mean: difference, low, high } = bootstrapMean(differences);
    return [
      {
        tag: tag === '' ? undefined : tag,
        states: differences.length,
        difference,
        low,
        high,
        ...testPaired(differences),
      },
    ];
  });
}

type Rates = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** By tag and state: mean success over the runs; a state that a run did not complete is left out. */
function ratesOf(runs: readonly (readonly StateOutcome[])[]): Rates {
  const sums = new Map<string, Map<string, { solved: number; runs: number }>>();
  for (const outcomes of runs) for (const outcome of outcomes) add(sums, outcome);
  return new Map(
    [...sums].map(([tag, states]) => [
      tag,
      new Map(
        [...states].flatMap(([seed, { solved, runs: played }]): [string, number][] =>
          played === runs.length ? [[seed, solved / played]] : [],
        ),
      ),
    ]),
  );
}

function add(
  sums: Map<string, Map<string, { solved: number; runs: number }>>,
  { tag = '', environment = '', stateSeed, success }: StateOutcome,
): void {
  const states = sums.get(tag) ?? new Map<string, { solved: number; runs: number }>();
  const state = `${environment}/${stateSeed}`;
  const { solved, runs } = states.get(state) ?? { solved: 0, runs: 0 };
  states.set(state, { solved: solved + Number(success), runs: runs + 1 });
  sums.set(tag, states);
}
