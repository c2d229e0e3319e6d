/** @file The entry `@espalier/model/quantized`: weights of sampling graphs in int8. */
export { isQuantized, quantizedScales, quantizeSamplingWeights } from './quantized-weights.js';
