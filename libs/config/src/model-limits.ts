/**
 * @file What a spec needs to know of a model folder, without its weights. Reads only the configuration and the tokenizer,
 * so that a server without a runtime can also check a spec against the model.
 */
import { loadModelConfig, loadTokenizer, type ModelConfig } from '@espalier/model';
import { findLoraProblem } from '@espalier/model/adapters';
import type { ModelLimits } from './registry.js';

export { needsBase } from '@espalier/model/adapters';

/**
 * Reads the configuration and tokenizer of a model folder.
 *
 * @param options `needsTemplate: false` takes a tokenizer without a chat template
 * @throws model.malformed_config, model.unsupported_config, model.malformed_tokenizer
 */
export function readModelLimits(
  folder: string,
  options: { readonly needsTemplate?: boolean } = {},
): {
  readonly config: ModelConfig;
  readonly limits: ModelLimits;
} {
  const config = loadModelConfig(folder);
  const { vocabularySize, embeddingRows = vocabularySize, encode } = loadTokenizer(folder, options);
  return {
    config,
    limits: {
      contextLength: config.shape.contextLength,
      vocabularySize: config.shape.vocabularySize,
      tokenizerVocabularySize: embeddingRows,
      // only tokenizers that a warm start made have the tag as one token
      promptPreset: encode('<answer>').length === 1 ? 'seedling' : 'plain',
      findLoraProblem: (lora) => findLoraProblem(config, lora),
    },
  };
}
