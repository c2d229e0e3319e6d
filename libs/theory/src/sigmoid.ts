export const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));

export const logitOf = (share: number): number => Math.log(share / (1 - share));

/** Entropy of a choice between two, in nats. */
export function entropyOf(share: number): number {
  const term = (p: number): number => (p > 0 ? -p * Math.log(p) : 0);
  return term(share) + term(1 - share);
}
