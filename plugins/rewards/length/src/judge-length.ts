/**
 * @file What a length loses. With a limit: nothing up to `limit - buffer`, then evenly up to 1 at the limit
 * (Yu et al. 2025, arXiv:2503.14476, eq. 13). With a target: the distance from it (Aggarwal and Welleck 2025,
 * arXiv:2503.04697, L1-Exact), here as a share of the target and at most 1.
 */
export type LengthRule = { readonly limit: number; readonly buffer: number } | { readonly target: number };

export interface LengthVerdict {
  /** in 0..1 */
  readonly loss: number;
  /** tokens at the end that are too many */
  readonly surplus: number;
}

/** Judges a number of tokens. */
export function judgeLength(tokens: number, rule: LengthRule): LengthVerdict {
  if ('target' in rule) {
    const { target } = rule;
    return { loss: Math.min(1, Math.abs(tokens - target) / target), surplus: Math.max(0, tokens - target) };
  }
  const free = rule.limit - rule.buffer;
  const surplus = Math.max(0, tokens - free);
  return { loss: Math.min(1, surplus / rule.buffer), surplus };
}
