/** @file A trajectory cut into the sequences that the model saw: what scores or trains tokens takes one window at a time. */
import type { Trajectory } from '@espalier/contracts';

/** A part of the tokens that the model saw as a sequence of its own. */
export type TokenWindow = NonNullable<Trajectory['windows']>[number];

/** Some positions of a trajectory in the window that they belong to. */
export interface WindowPart {
  readonly tokens: Int32Array;
  /** counted from the start of the window, ascending */
  readonly positions: Int32Array;
  /** where these positions lie among all that were given, `[from, to)` */
  readonly from: number;
  readonly to: number;
}

/**
 * Cuts a trajectory at its windows; windows without any of the positions are left out.
 *
 * @param positions ascending
 */
export function cutWindows(
  { tokens, windows = [] }: Pick<Trajectory, 'tokens' | 'windows'>,
  positions: Int32Array,
): WindowPart[] {
  if (windows.length < 2)
    return positions.length === 0 ? [] : [{ tokens, positions, from: 0, to: positions.length }];
  let to = 0;
  return windows.flatMap(({ start }, index) => {
    const end = windows[index + 1]?.start ?? tokens.length;
    const from = to;
    while (to < positions.length && (positions[to] as number) < end) to += 1;
    if (from === to) return [];
    const own = positions.subarray(from, to).map((position) => position - start);
    return [{ tokens: tokens.subarray(start, end), positions: own, from, to }];
  });
}
