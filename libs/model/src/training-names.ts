/** @file How the inputs and outputs of a training graph are named. */

/** Prefixes of input and output names that could clash with parameters. */
export const GRADIENT = 'gradient:';
export const GATHERED = 'gathered:';
export const COLUMN = 'column:';
export const METRIC = 'metric:';
