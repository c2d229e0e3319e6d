/** @file How well a plan foretells the moves made. */
export interface PlanComparison {
  /** in 0..1: `gain` less what padding takes */
  readonly value: number;
  /** share of the moves made that the plan names in order */
  readonly gain: number;
  /** different moves planned */
  readonly distinct: number;
  /** of these, those made */
  readonly kept: number;
  /** moves made that the plan names in order */
  readonly matched: number;
}

/**
 * Compares moves planned with moves made, both in order. Only a plan of which more than half of the different moves were
 * made earns anything, and one that names more than twice as many moves as were made earns as much less.
 */
export function comparePlan(planned: readonly string[], made: readonly string[]): PlanComparison {
  const distinct = new Set(planned);
  const kept = [...distinct].filter((move) => made.includes(move)).length;
  const matched = longestCommon(planned, made);
  const counts = { distinct: distinct.size, kept, matched };
  if (planned.length === 0 || made.length === 0) return { value: 0, gain: 0, ...counts };
  const gain = matched / made.length;
  const sharpness = Math.max(0, (2 * kept) / distinct.size - 1);
  const brevity = Math.min(1, (2 * made.length) / planned.length);
  return { value: gain * sharpness * brevity, gain, ...counts };
}

/** Length of the longest common subsequence. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const next = [0];
    for (const [index, other] of b.entries())
      next.push(one === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
