/** @file Entry point for sweeps: families of runs and the claims that they decide. */
export { generateSweepSchema, loadSweep, namesIn, type Sweep, type SweepVariant } from './load-sweep.js';
export type { SweepClaim, SweepEvent, SweepMoment, SweepRule, SweepSpec } from './sweep-spec.js';
