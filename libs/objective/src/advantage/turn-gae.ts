/**
 * @file Generalised advantage estimation with turns as steps; every token of a turn gets the turn's advantage.
 * Source: Schulman et al. 2016, arXiv:1506.02438, eq. 16, over the turns of a dialogue as in Zhou et al. 2024,
 * arXiv:2402.19446 (ArCHer: a critic of utterances). The value of a turn is that before its first loss token.
 * Difference: the returns of a turn are targets for the value at each of its tokens.
 */
import { estimateTokenGae, type TokenCredit, type TokenCreditInput } from './gae.js';
import { broadcastToTurnTokens, sumTurnRewards } from './turns.js';

export interface TurnCreditInput extends Omit<TokenCreditInput, 'bootstrap'> {
  /** positions of the last loss token of each turn, ascending */
  readonly turnEnds: readonly number[];
}

/**
 * Estimates advantages of turns: δ_k = r_k + γ V_{k+1} − V_k, A_k = δ_k + γ λ A_{k+1}.
 *
 * @param input `gamma` and `lambda` are from turn to turn
 * @throws objective.length_mismatch; contracts.invalid_value where loss tokens have no turn
 */
export function estimateTurnGae(input: TurnCreditInput): TokenCredit {
  const { values, lossMask, turnEnds, gamma, lambda } = input;
  const rewards = sumTurnRewards(input);
  const starts = turnEnds.map((_, turn) => {
    const from = turn === 0 ? 0 : (turnEnds[turn - 1] as number) + 1;
    let start = from;
    while (start < lossMask.length && !lossMask[start]) start += 1;
    return start;
  });
  const credit = estimateTokenGae({
    rewards,
    values: starts.map((start) => values[start] as number),
    lossMask: starts.map(() => 1),
    gamma,
    lambda,
  });
  return {
    advantages: broadcastToTurnTokens(credit.advantages, { turnEnds, lossMask }),
    returns: broadcastToTurnTokens(credit.returns, { turnEnds, lossMask }),
  };
}
