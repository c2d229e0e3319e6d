export { deriveSeed } from './derive-seed.js';
export { NumpyGenerator, type NumpyGeneratorState } from './numpy-generator.js';
export { NumpyLegacy } from './numpy-legacy.js';
export { PythonRandom } from './python-random.js';
export { seedSequenceWords } from './seed-sequence.js';
export { splitOfSeed, stateSeedRanges } from './state-seeds.js';
export { createStream, type RandomStream, restoreStream, type StreamState } from './stream.js';
export { uniformAt } from './uniform-at.js';
