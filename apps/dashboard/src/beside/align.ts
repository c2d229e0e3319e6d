/** @file Two trajectories turn by turn: which turns stand beside each other, and where they first differ. Pure functions. */
import type { TrajectoryDetails } from '@espalier/client';

type Turn = TrajectoryDetails['turns'][number];
type Compared = Pick<Turn, 'stateKey' | 'response' | 'actions'>;

/** Two turns side by side; one is missing where a trajectory has none there. */
export interface Row {
  /** index of the turn */
  readonly left: number | undefined;
  readonly right: number | undefined;
  readonly isSameState: boolean;
}

/** What differs first: the state that the turn begins in, the actions taken there, or only what was written. */
export interface Difference {
  /** index among the rows */
  readonly row: number;
  readonly what: 'state' | 'actions' | 'text' | 'end';
}

/** Cells of the table of common subsequences at most; longer pairs stand beside each other by number. */
const mostCells = 1_000_000;

/**
 * Puts turns in equal states beside each other, as many as fit in order (a longest common subsequence of the state keys), and
 * those between them in order.
 */
export function alignTurns(left: readonly Compared[], right: readonly Compared[]): Row[] {
  const rows: Row[] = [];
  let [l, r] = [0, 0];
  const between = (toLeft: number, toRight: number): void => {
    while (l < toLeft || r < toRight)
      rows.push({
        left: l < toLeft ? l++ : undefined,
        right: r < toRight ? r++ : undefined,
        isSameState: false,
      });
  };
  for (const [toLeft, toRight] of commonStates(left, right)) {
    between(toLeft, toRight);
    rows.push({ left: l++, right: r++, isSameState: true });
  }
  between(left.length, right.length);
  return rows;
}

/** A longest common subsequence of the states. */
function commonStates(left: readonly Compared[], right: readonly Compared[]): [number, number][] {
  const [n, m] = [left.length, right.length];
  const isSame = (l: number, r: number): boolean => left[l]?.stateKey === right[r]?.stateKey;
  if (n * m > mostCells)
    return left.flatMap((_, at): [number, number][] => (at < m && isSame(at, at) ? [[at, at]] : []));
  // lengths[l * (m + 1) + r]: of the turns from l and r on
  const lengths = new Uint32Array((n + 1) * (m + 1));
  const at = (l: number, r: number): number => lengths[l * (m + 1) + r] ?? 0;
  for (let l = n - 1; l >= 0; l--)
    for (let r = m - 1; r >= 0; r--)
      lengths[l * (m + 1) + r] = isSame(l, r) ? at(l + 1, r + 1) + 1 : Math.max(at(l + 1, r), at(l, r + 1));
  const pairs: [number, number][] = [];
  for (let [l, r] = [0, 0]; l < n && r < m;)
    if (isSame(l, r)) pairs.push([l++, r++]);
    else if (at(l + 1, r) >= at(l, r + 1)) l++;
    else r++;
  return pairs;
}

/** The first row at which the two differ; undefined: nowhere. */
export function findDifference(
  left: readonly Compared[],
  right: readonly Compared[],
  rows: readonly Row[],
): Difference | undefined {
  for (const [row, { left: l, right: r, isSameState }] of rows.entries()) {
    const [one, other] = [left[l ?? -1], right[r ?? -1]];
    if (one === undefined || other === undefined) return { row, what: 'end' };
    if (!isSameState) return { row, what: 'state' };
    if (!hasSameActions(one, other)) return { row, what: 'actions' };
    if (one.response !== other.response) return { row, what: 'text' };
  }
  return undefined;
}

const hasSameActions = (one: Compared, other: Compared): boolean =>
  one.actions.length === other.actions.length &&
  one.actions.every(({ text }, index) => text === other.actions[index]?.text);
