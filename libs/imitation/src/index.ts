export { resolveDemonstrations } from './demonstration.js';
export { requireDiskSpace, warmStartBytes } from './disk-space.js';
export { expectSteps } from './expected-steps.js';
export { expectEpisodes, type ExpectedTurn } from './expected-episodes.js';
export { describeProgress, type WarmStartProgress } from './progress.js';
export { listUntaught } from './taught.js';
export { warmStart, type WarmStartParts, type WarmStartResult } from './warm-start.js';
