export {
  assessHealth,
  type Cadence,
  forgetTraining,
  type Health,
  type HealthSettings,
  lastUnsuspectedStep,
  listFiring,
  longestLookBack,
  noteInput,
  parseHealth,
  silence,
  startHealth,
  type Verdict,
} from './health.js';
export {
  type CrossScores,
  estimateChanceRetrieval,
  estimateInformation,
  estimateRetrieval,
} from './mutual-information.js';
export { type HealthInput, healthInputs, type Observation } from './observation.js';
export { observedMetrics, readObservation } from './read-observation.js';
export { type HealthRule, healthRules } from './rules.js';
export { estimateDistinct } from './text/distinct.js';
export { estimateSelfBleu } from './text/self-bleu.js';
export { splitWords } from './text/words.js';
