/**
 * @file What any policy engine must do, as a list of cases that a spec runs. The engine under test is small and has
 * random weights; loss builders are given by the caller, because only he knows how his engine takes them.
 */
import type { ConformanceCase } from './conformance-case.js';
import { learningCases } from './learning-cases.js';
import { samplingCases } from './sampling-cases.js';
import { sharedPrefixCases } from './shared-prefix-cases.js';

/** All cases, in the order a reader would try them. */
export const engineConformance: readonly ConformanceCase[] = [
  ...samplingCases,
  ...sharedPrefixCases,
  ...learningCases,
];
