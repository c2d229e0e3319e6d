/** @file The entry `@espalier/model/adapters`: LoRA adapters in PEFT's format, and bases that they are merged into. */
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
export { ALL_LINEAR, type LoraConfig, loraScale, targetedLayers } from './adapters/lora-config.js';
export { addLora, convertAdapter, mergeAdapter } from './adapters/merge-adapter.js';
