/** @file When a sampled turn ends by itself. */

/** Tells whether the sampled tokens end with a stop token or a stop sequence. */
export function endsTurn(
  sampled: readonly number[],
  stops: {
    readonly stopTokens: readonly number[];
    readonly stopSequences: readonly (readonly number[])[];
  },
): boolean {
  const last = sampled[sampled.length - 1];
  if (last === undefined) return false;
  if (stops.stopTokens.includes(last)) return true;
  return stops.stopSequences.some(
    (ending) =>
      ending.length > 0 &&
      ending.length <= sampled.length &&
      ending.every((token, i) => sampled[sampled.length - ending.length + i] === token),
  );
}
