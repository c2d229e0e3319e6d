/** @file The entry `@espalier/model/conversion`: models from and to other formats, which training does not need. */
export { exportGguf } from './gguf/export-gguf.js';
export { openGgufModel } from './gguf/gguf-model.js';
export { importGguf } from './gguf/import-gguf.js';
export { templateText } from './tokenizer/tokenizer.js';
export { loadTokenizerFiles } from './tokenizer/tokenizer-folder.js';
export { convertModelFolder } from './weights/convert-folder.js';
export { describeHeads, type WeightsHead } from './weights/model-folder.js';
