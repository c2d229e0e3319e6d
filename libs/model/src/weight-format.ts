/** @file How frozen weights are held in memory. */

/** Number formats of frozen weights; products are in float32 whatever they are. */
export type WeightFormat = 'float32' | 'bfloat16' | 'int8' | 'int4';
