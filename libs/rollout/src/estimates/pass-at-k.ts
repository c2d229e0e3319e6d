/**
 * @file Chances of k attempts at one state, estimated without bias from n ≥ k of them, c of which succeeded.
 *
 *     pass@k = 1 - C(n - c, k) / C(n, k)    at least one succeeds; Chen et al. 2021, arXiv 2107.03374, eq. 1
 *     pass^k = C(c, k) / C(n, k)            all succeed; Yao et al. 2024 (τ-bench), arXiv 2406.12045, section 3
 */

/** Estimates the chance that at least one of k attempts succeeds. @throws RangeError unless 0 ≤ c ≤ n and 1 ≤ k ≤ n */
export function estimatePassAny(attempts: number, successes: number, k: number): number {
  return 1 - estimatePassAll(attempts, attempts - successes, k);
}

/** Estimates the chance that all of k attempts succeed. @throws as {@link estimatePassAny} */
export function estimatePassAll(attempts: number, successes: number, k: number): number {
  const isCount = [attempts, successes, k].every(Number.isInteger);
  if (!isCount || k < 1 || k > attempts || successes < 0 || successes > attempts)
    throw new RangeError(
      `pass of ${k} attempts from ${successes} successes in ${attempts}: expected 0 ≤ successes ≤ attempts and 1 ≤ k ≤ attempts`,
    );
  let chance = 1;
  for (let i = 0; i < k; i++) chance *= Math.max(0, successes - i) / (attempts - i);
  return chance;
}
