// Credit of whole trajectories, and its estimators.
export {
  type CreditedTrajectory,
  estimateCriticCredit,
  estimateGroupCredit,
  spreadCredit,
  whitenCredit,
} from './trajectory-credit.js';
export {
  estimateGreedyAdvantages,
  estimateLeaveOneOut,
  estimateLengthWeighted,
  estimateRoleAdvantages,
} from './advantage/baselines.js';
export { estimateBiLevelGae } from './advantage/bi-level-gae.js';
export { filterGroups } from './advantage/filter.js';
export { estimateGroupWeights } from './advantage/filter-weights.js';
export { estimateTokenGae } from './advantage/gae.js';
export {
  broadcastToTokens,
  estimateGroupAdvantages,
  type GroupNormalization,
} from './advantage/group-relative.js';
export { combineValues } from './critic-ensemble.js';
export { placeOnLossTokens } from './advantage/placement.js';
export { estimateAnchorAdvantages } from './advantage/anchors.js';
export { estimateReturnsToGo } from './advantage/returns-to-go.js';
export { estimateTurnGae } from './advantage/turn-gae.js';
export { estimateTurnCredit } from './turn-credit.js';
export { broadcastToTurnTokens, estimateTurnReturns, sumTurnRewards } from './advantage/turns.js';
export { whiten } from './advantage/whiten.js';
export { estimateAdvantageMetrics, estimateCriticMetrics } from './credit-metrics.js';
// Coefficients that follow what is measured.
export { nextEntropyCoefficient, nextKlCoefficient } from './adaptive-coefficients.js';
// The sampler against the trainer.
export { correctSampling } from './sampler-correction.js';
export { estimateSamplerMetrics } from './sampler-metrics.js';
// Loss aggregation.
export { estimateTokenWeights, type LossAggregation } from './loss-aggregation.js';
// Losses: declaration, terms, and evaluation in plain numbers.
export { clippedPolicyLoss, composePolicyLoss } from './clipped-policy-loss.js';
export {
  defineLoss,
  defineValueLoss,
  type LossBuilder,
  type LossInput,
  type LossOutput,
  type ValueLossBuilder,
  type ValueLossInput,
} from './define-loss.js';
export { estimateLossGradient, evaluateLoss, type LossNumbers } from './evaluate-loss.js';
export { estimateTokenEffects, type TokenEffects } from './token-effects.js';
export { chooseByCovariance, estimateCovariances } from './covariance.js';
export { estimateGeometricColumns } from './geometric-ratio.js';
export { estimateSequenceLogprobs } from './sequence-ratio.js';
export { clippedSurrogate } from './terms/clipped-surrogate.js';
export { clippedCovariance, penalizedCovariance } from './terms/covariance.js';
export { combineTerms } from './terms/combine.js';
export { entropyBonus } from './terms/entropy.js';
export { type KlEstimator, klEstimators, klPenalty } from './terms/kl.js';
export { maskedRatio } from './terms/masked-ratio.js';
export { nllLoss } from './terms/nll.js';
export { OBSERVED, withObservedTokens } from './terms/observed-tokens.js';
export { probabilityMask } from './terms/probability-mask.js';
export { softGate } from './terms/soft-gate.js';
export { truncatedImportance } from './terms/truncated-importance.js';
export { clippedCriticLoss } from './clipped-critic-loss.js';
export { clippedValueLoss } from './terms/value.js';
export { type SurrogateInput } from './terms/ratio.js';
