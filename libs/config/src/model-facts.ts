/**
 * @file What is known about a model before its weights are read. Reads two small files of its folder and nothing else,
 * so that a server without a runtime can check a spec against the model, too.
 */
import { type LlamaConfig, loadModelConfig, loadTokenizer } from '@espalier/model';
import type { ModelFacts } from './registry.js';

/**
 * Reads configuration and tokenizer of the model in a folder.
 *
 * @throws model.malformed_config, model.unsupported_config, model.malformed_tokenizer
 */
export function readModelFacts(folder: string): {
  readonly config: LlamaConfig;
  readonly facts: ModelFacts;
} {
  const config = loadModelConfig(folder);
  const { vocabularySize } = loadTokenizer(folder);
  return {
    config,
    facts: {
      contextLength: config.max_position_embeddings,
      vocabularySize: config.vocab_size,
      tokenizerVocabularySize: vocabularySize,
    },
  };
}
