/** @file The entry `@espalier/model/quantized`: weights of sampling graphs in int8 and in bfloat16. */
export { isQuantized, quantizedScales, quantizeSamplingWeights } from './quantized-weights.js';
export { isRounded, roundSamplingWeights } from './rounded-weights.js';
