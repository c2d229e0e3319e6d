/** @file The entry `@espalier/rollout/estimates`: what a number of episodes shows, and how surely. */
export { bootstrapMean, type Interval } from './estimates/bootstrap.js';
export { explainUncommon, markStates, type ValidatedIn } from './estimates/environment-states.js';
export { estimateGroupSuccess } from './estimates/group-success.js';
export { adjustHolm } from './estimates/holm.js';
export {
  type Agreement,
  krippendorffAlpha,
  type MeasurementLevel,
  type UnitRatings,
} from './estimates/krippendorff.js';
export {
  newestCommonStep,
  type StateOutcome,
  type StateTest,
  testStates,
} from './estimates/paired-states.js';
export { type PairedTest, testPaired } from './estimates/paired-test.js';
export { estimatePassAll, estimatePassAny } from './estimates/pass-at-k.js';
export { estimatePreference, type Preference } from './estimates/preference.js';
export { studentInterval } from './estimates/student.js';
export { wilsonInterval } from './estimates/wilson.js';
