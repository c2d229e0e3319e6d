/**
 * @file Whether the results of a pass are those of the sequences that were asked about. An engine elsewhere may answer for
 * one sequence with the numbers of another, which look as good. Under the weights that sampled, a sequence has the
 * log-probabilities that it was sampled with, but for rounding, and no other has them.
 */

/** Few numbers agree by chance. */
const fewest = 8;
/** Mean difference in nats that no rounding makes; training in bfloat16 differs by a tenth of it. */
const suspicious = 0.1;
/** How many times closer another's log-probabilities have to be. */
const closer = 4;

/**
 * Finds a sequence that got the log-probabilities of another one of its length.
 *
 * @param sampled log-probabilities of each sequence as it was sampled
 * @param scored those of a pass under the same weights
 * @returns the sequence, and the one whose log-probabilities it got
 */
export function findMistaken(
  sampled: readonly Float32Array[],
  scored: readonly Float32Array[],
): readonly [number, number] | undefined {
  for (const [i, own] of scored.entries()) {
    const wanted = sampled[i];
    if (wanted === undefined || wanted.length < fewest || wanted.length !== own.length) continue;
    const gap = meanGap(wanted, own);
    if (!(gap > suspicious)) continue;
    const other = sampled.findIndex(
      (one, j) => j !== i && one.length === own.length && meanGap(one, own) * closer < gap,
    );
    if (other !== -1) return [i, other];
  }
  return undefined;
}

const meanGap = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, n) => sum + Math.abs(value - (b[n] ?? Number.NaN)), 0) / a.length;
