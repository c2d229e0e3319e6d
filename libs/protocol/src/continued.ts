/** @file The entry `@espalier/protocol/continued`: where the continuations of a trajectory lose success. No schema, so that a page can load it. */

/** How often continuations from a turn succeed; null: none completed. */
interface TurnRate {
  readonly turn: number;
  readonly successRate: number | null;
  readonly successLow: number | null;
  readonly successHigh: number | null;
}

/** The first turn after which the chance of success lies, with its interval, below that before it. */
export function findFall(
  continued: readonly TurnRate[],
): { readonly turn: number; readonly from: number; readonly to: number } | undefined {
  for (const [index, after] of continued.entries()) {
    const before = continued[index - 1];
    if (before?.successLow === undefined || before.successLow === null || after.successHigh === null)
      continue;
    if (after.successHigh < before.successLow)
      return { turn: before.turn, from: before.successRate ?? 0, to: after.successRate ?? 0 };
  }
  return undefined;
}
