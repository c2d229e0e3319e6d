import {
  createTokenizer,
  initializeWeights,
  parseModelConfig,
  saveModelFolder,
  saveTokenizer,
  trainTokenizer,
} from '@espalier/model';

/** Writes an untrained model of a few thousand parameters with its tokenizer; equal calls write equal bytes. */
export function writeTinyModel(folder: string, { contextLength = 1024 } = {}): string {
  const corpus = [
    'You play a game. Turn 1: State: Always output: <think> </think> <answer> </answer> Phoenix Dragon',
  ];
  const phrases = ['<think>', '</think>', '<answer>', '</answer>', ' || '];
  const files = trainTokenizer({ corpus, phrases, vocabularySize: 384, contextLength });
  saveTokenizer(folder, files);
  const { endOfTurn, pad } = createTokenizer(files);
  const config = parseModelConfig({
    model_type: 'llama',
    vocab_size: 384,
    hidden_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 48,
    max_position_embeddings: contextLength,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: true,
    eos_token_id: endOfTurn,
    pad_token_id: pad,
  });
  saveModelFolder(folder, { config, weights: initializeWeights(config, 1), dtype: 'float32' });
  return folder;
}
