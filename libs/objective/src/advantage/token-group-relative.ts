/**
 * @file Advantages per token relative to the group, where evidence says which tokens earned or lost a part of the total:
 * a token gets what its trajectory earned from it on, so evidence credits the tokens up to it and none after it.
 * Source: Shao et al. 2024, arXiv:2402.03300, sec. 4.1.3 (process supervision: the rewards of the steps from a token on).
 * Differences: only evidence counts from a token on, the rest of the total is credited to all tokens, as without
 * evidence; the mean evidence of the group is taken off along a trajectory's own pieces, so that an average amount of it
 * credits nothing; the divisor is that of the totals, but at least so large that no advantage exceeds what the
 * largest of as many totals could have.
 */
import { type GroupNormalization, estimateGroupAdvantages } from './group-relative.js';
import { assertSameLength, estimateMoments } from './statistics.js';

export interface TokenGroupInput {
  /** one per trajectory, raw, evidence included */
  readonly totals: readonly number[];
  /** group of each trajectory */
  readonly groups: readonly number[];
  /** the part of the total that each token earned */
  readonly evidence: readonly Float64Array[]; // each [T]
  readonly lossMask: readonly ArrayLike<number>[]; // each [T]
}

export interface TokenGroupAdvantages {
  /** before normalisation; 0 outside the loss mask */
  readonly raw: Float64Array[]; // each [T]
  readonly normalized: Float64Array[]; // each [T]
}

const EPSILON = 1e-6;

/**
 * Estimates the advantage of each loss token.
 *
 * @throws objective.length_mismatch
 */
export function estimateTokenGroupAdvantages(
  { totals, groups, evidence, lossMask }: TokenGroupInput,
  normalization: GroupNormalization,
): TokenGroupAdvantages {
  assertSameLength('token group advantages', { totals, groups, evidence, lossMask });
  const relative = estimateGroupAdvantages(totals, groups, 'none');
  const indices = [...groups.keys()];
  const membersOf = (i: number): number[] => indices.filter((j) => groups[j] === groups[i]);
  const earned = evidence.map(sumOf);
  // a group of one has mean 0, as its total has
  const means = indices.map((i) => {
    const members = membersOf(i);
    return members.length === 1 ? 0 : meanOf(members.map((j) => earned[j] as number));
  });
  const raw = takeOffEvidence(relative, means, { evidence, lossMask });
  if (normalization === 'mean') estimateGroupAdvantages(totals, groups, 'mean'); // refuses means that divide nothing
  const divisors = indices.map((i) => {
    if (normalization === 'none') return 1;
    if (normalization === 'batch') return divisorOf(indices, relative, raw);
    const members = membersOf(i);
    if (normalization === 'group') return divisorOf(members, relative, raw);
    return members.length === 1 ? 1 : meanOf(members.map((j) => totals[j] as number)) || 1;
  });
  return { raw, normalized: raw.map((own, i) => own.map((value) => value / (divisors[i] as number))) };
}

/**
 * Spreads one advantage per trajectory over its loss tokens, each without the evidence before it.
 *
 * @param relative one per trajectory, in units of the total
 * @param expected of each trajectory: the part of its baseline that is evidence
 * @returns each [T], 0 outside the loss mask
 */
export function takeOffEvidence(
  relative: ArrayLike<number>,
  expected: ArrayLike<number>,
  { evidence, lossMask }: Pick<TokenGroupInput, 'evidence' | 'lossMask'>,
): Float64Array[] {
  return lossMask.map((mask, i) =>
    relativeFrom(relative[i] as number, evidence[i] as Float64Array, expected[i] as number, mask),
  );
}

/** What remains of a trajectory's relative total at each token, when the evidence before it is taken off. */
function relativeFrom(
  relative: number,
  evidence: Float64Array,
  expected: number,
  mask: ArrayLike<number>,
): Float64Array {
  const pieces = evidence.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
  const raw = new Float64Array(evidence.length);
  let before = 0;
  for (let t = 0; t < evidence.length; t += 1) {
    if (mask[t]) raw[t] = relative - before;
    const own = evidence[t] as number;
    if (own !== 0) before += own - expected / pieces;
  }
  return raw;
}

function divisorOf(members: readonly number[], relative: Float64Array, raw: readonly Float64Array[]): number {
  const n = members.length;
  if (n === 1) return 1 + EPSILON;
  const { std } = estimateMoments(members.map((i) => relative[i] as number));
  const peak = Math.max(...members.map((i) => largest(raw[i] as Float64Array)));
  return Math.max(std + EPSILON, (peak * Math.sqrt(n)) / (n - 1));
}

const largest = (values: Float64Array): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

export const sumOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0);

const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;
