export { describeProgress, type WarmStartProgress } from './warm-start/progress.js';
export { warmStart, type WarmStartParts, type WarmStartResult } from './warm-start/warm-start.js';
