export { type AdamWScalars, buildAdamWGraph, resolveAdamWScalars } from './adam-w.js';
export { buildRowSquaresGraph, resolveClipScale } from './clip-by-global-norm.js';
export { learningRateAt } from './schedule.js';
