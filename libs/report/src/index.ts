export {
  buildMarkdown,
  type BuiltMarkdown,
  type BuiltReport,
  buildReport,
  type ReportFrame,
} from './build-report.js';
export type { CurveChart } from './charts/chart.js';
export { bandsOf, createScale, type Curve, rangeOf, type Scale, segmentsOf } from './charts/curves.js';
export { type CheckedReport, checkReport, parseReport } from './check-report.js';
export type { Block, Inline, Sentence } from './document.js';
export { isReport, type ReportManifest } from './manifest.js';
export { pictureOf } from './render-markdown.js';
export {
  nameRuns,
  type Origin,
  type Point,
  type ReportedTrajectory,
  type ReportEvent,
  type ReportRun,
  type ValidatedState,
} from './report-run.js';
export { findDifferences, groupBySeed, type GroupTest, type GroupTests, testGroups } from './seed-groups.js';
