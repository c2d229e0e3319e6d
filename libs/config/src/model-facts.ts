/**
 * @file Facts about a model that do not need its weights. Reads only the configuration and the tokenizer, so that a server
 * without a runtime can also check a spec against the model.
 */
import { loadModelConfig, loadTokenizer, type ModelConfig } from '@espalier/model';
import type { ModelFacts } from './registry.js';

/**
 * Reads the configuration and tokenizer of a model folder.
 *
 * @throws model.malformed_config, model.unsupported_config, model.malformed_tokenizer
 */
export function readModelFacts(folder: string): {
  readonly config: ModelConfig;
  readonly facts: ModelFacts;
} {
  const config = loadModelConfig(folder);
  const { vocabularySize } = loadTokenizer(folder);
  return {
    config,
    facts: {
      contextLength: config.shape.contextLength,
      vocabularySize: config.shape.vocabularySize,
      tokenizerVocabularySize: vocabularySize,
    },
  };
}
