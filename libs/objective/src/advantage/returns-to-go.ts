/**
 * @file What each loss token and those after it earn. No value is subtracted: whiten it over the batch (whiten.ts), or
 * subtract a baseline from the rewards first.
 * Source: Hu et al. 2025, arXiv:2501.03262, eq. 4 (REINFORCE++); Williams 1992. Gaps are skipped as in gae.ts, of which this
 * is the case without values and with λ = 1.
 */
import { estimateTokenGae, type TokenCreditInput } from './gae.js';

/**
 * Estimates G_t = Σ_{u≥t} γ^{u−t} r_u over loss tokens.
 *
 * @returns [T], 0 outside the loss mask
 * @throws objective.length_mismatch
 */
export function estimateReturnsToGo(
  input: Pick<TokenCreditInput, 'rewards' | 'lossMask' | 'gamma'>,
): Float64Array {
  const values = new Float64Array(input.rewards.length);
  return estimateTokenGae({ ...input, values, lambda: 1 }).advantages;
}
