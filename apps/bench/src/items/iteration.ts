import type { BenchItem } from '../items.js';

export const iteration: BenchItem = async () => [];
