/** @file What the claims of one turn earn together, and which of them earned or lost what. */
import type { StatedClaim, Verdict } from '@espalier/plugin-kit/reasoning';

export interface JudgedClaim extends Verdict {
  readonly claim: StatedClaim;
}

export interface Weighed {
  /** in 0..1 */
  readonly value: number;
  /** parts of `value` by claim; they sum to it */
  readonly parts: readonly { readonly claim: StatedClaim; readonly amount: number }[];
  readonly right: number;
  readonly judged: number;
  /** weight of the true claims that count */
  readonly counted: number;
}

/** Below this weight a claim holds nearly everywhere and earns nothing. */
const leastWeight = 0.05;

/**
 * Weighs the claims of a turn. A true claim earns its weight once in an episode (`said` remembers), a false one takes
 * `lie`; together never less than 0 or more than 1.
 */
export function weighClaims(
  claims: readonly JudgedClaim[],
  said: Set<string>,
  { wanted, lie }: { readonly wanted: number; readonly lie: number },
): Weighed {
  const judged = claims.filter(({ holds }) => holds !== undefined);
  const right = judged.filter(({ holds }) => holds === true);
  const wrong = firstOfEach(judged.filter(({ holds }) => holds === false));
  const fresh = firstOfEach(
    right.filter(({ claim, weight }) => weight >= leastWeight && !said.has(claim.key)),
  );
  for (const { claim } of right) said.add(claim.key);
  const counted = fresh.reduce((sum, { weight }) => sum + weight, 0);
  const gain = Math.min(1, counted / wanted);
  const loss = Math.min(gain, (lie * wrong.length) / wanted);
  const parts = [
    ...fresh.map(({ claim, weight }) => ({ claim, amount: (gain * weight) / counted })),
    ...wrong.map(({ claim }) => ({ claim, amount: -loss / wrong.length })),
  ].filter(({ amount }) => amount !== 0);
  return { value: gain - loss, parts, right: right.length, judged: judged.length, counted };
}

function firstOfEach(claims: readonly JudgedClaim[]): JudgedClaim[] {
  return [...new Map(claims.toReversed().map((one) => [one.claim.key, one])).values()].reverse();
}
