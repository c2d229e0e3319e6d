/**
 * @file The entry `@espalier/model/adapters`: LoRA adapters in PEFT's format, bases that they are merged into, and what
 * training needs of them.
 */
export {
  type AdapterBase,
  hashBase,
  isAdapterFolder,
  loadAdapter,
  type LoadedAdapter,
  type LoraAdapter,
  type LoraLayer,
  requireBase,
  saveAdapter,
} from './adapters/adapter-folder.js';
export {
  type BaseDtype,
  baseBytes,
  type CompactWeight,
  compactWeight,
  heldDtype,
  scalesName,
  widenInto,
} from './compact-weights.js';
export { ALL_LINEAR, type LoraConfig, loraScale, targetedLayers } from './adapters/lora-config.js';
export { addLora, needsBase, openAdapted } from './adapters/adapted-folder.js';
export { convertAdapter, mergeAdapter } from './adapters/merge-adapter.js';
export {
  findLoraProblem,
  initializeLora,
  loraName,
  loraShapes,
  placeAdapter,
  type LoraShape,
  resolveLora,
} from './lora.js';
export { dropoutFeeds, dropoutNext, type DropoutOptions, dropoutStart } from './lora-dropout.js';
export { type GraphModel, splitParameters } from './sequence-inputs.js';
export { saveModelConfig } from './weights/model-folder.js';
