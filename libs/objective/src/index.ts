export {
  type AttemptCredit,
  type CreditedAttempt,
  type CriticCreditOptions,
  estimateCriticCredit,
  estimateGroupCredit,
} from './attempt-credit.js';
export { type Aggregation, estimateTokenWeights } from './aggregation.js';
export { type BiLevelCreditInput, estimateBiLevelGae } from './advantage/bi-level-gae.js';
export { filterByVariance, type GroupFilter, keptGroupCount } from './advantage/filter.js';
export { estimateTokenGae, type TokenCredit, type TokenCreditInput } from './advantage/gae.js';
export {
  broadcastToTokens,
  estimateGroupAdvantages,
  type GroupNormalization,
} from './advantage/group-relative.js';
export { placeOnCounted, type PlacedRewards } from './advantage/placement.js';
export { estimateMoments, type Moments } from './advantage/statistics.js';
export { whiten } from './advantage/whiten.js';
export {
  estimateAdvantageMetrics,
  estimateCriticMetrics,
  estimateExplainedVariance,
} from './credit-metrics.js';
export { defineLoss, defineValueLoss } from './define-loss.js';
export { estimateLossGradient, evaluateLoss, type EvaluatedLoss, type LossNumbers } from './evaluate-loss.js';
export type * from './loss-builder.js';
export { clippedSurrogate, type ClippedSurrogateInput } from './terms/clipped-surrogate.js';
export { combineTerms } from './terms/combine.js';
export { entropyBonus } from './terms/entropy.js';
export { estimateKl, type KlEstimator, klEstimators, klPenalty } from './terms/kl.js';
export { nllLoss } from './terms/nll.js';
export { clippedValueLoss, type ClippedValueInput } from './terms/value.js';
