// Credit for whole attempts, and the estimators it is made of.
export { type CreditedTrajectory, estimateCriticCredit, estimateGroupCredit } from './attempt-credit.js';
export { estimateBiLevelGae } from './advantage/bi-level-gae.js';
export { filterByVariance, keptGroupCount } from './advantage/filter.js';
export { estimateTokenGae } from './advantage/gae.js';
export {
  broadcastToTokens,
  estimateGroupAdvantages,
  type GroupNormalization,
} from './advantage/group-relative.js';
export { placeOnLossTokens } from './advantage/placement.js';
export { whiten } from './advantage/whiten.js';
export {
  estimateAdvantageMetrics,
  estimateCriticMetrics,
  estimateExplainedVariance,
} from './credit-metrics.js';
// From per-token losses to one number.
export { type Aggregation, estimateTokenWeights } from './aggregation.js';
// Losses: how one is declared, its terms, and its value in plain numbers.
export { clippedPolicyLoss } from './clipped-policy-loss.js';
export { defineLoss, defineValueLoss } from './define-loss.js';
export { estimateLossGradient, evaluateLoss, type LossNumbers } from './evaluate-loss.js';
export type * from './loss-builder.js';
export { clippedSurrogate } from './terms/clipped-surrogate.js';
export { combineTerms } from './terms/combine.js';
export { entropyBonus } from './terms/entropy.js';
export { estimateKl, type KlEstimator, klEstimators, klPenalty } from './terms/kl.js';
export { nllLoss } from './terms/nll.js';
export { clippedValueLoss } from './terms/value.js';
