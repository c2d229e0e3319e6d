export * from './golden-folder.js';
export * from './finite-difference.js';
export * from './random-array.js';
export * from './tensor-matchers.js';
