/**
 * node tools/peers/llama-cpp.mjs PYTHON: what `model export --format gguf` writes, read by llama.cpp (the Python package xllamacpp).
 * A small random model of each family, and SmolLM2 where models/smollm2 is there, as F16 and Q8_0: llama.cpp splits a text
 * and writes 24 tokens greedily; each must have the log-probability that our engine gives it. check-peers.mjs runs it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  loadModelFolder,
  loadTokenizer,
  parameterShapes,
  parseModelConfig,
  saveModelFolder,
} from '@espalier/model';
import { createEmbeddedEngine } from '@espalier/engine';
import { createStream } from '@espalier/random';
import { root } from '../steps.mjs';

const python = process.argv[2];
const failed = [];

const writer = `
import json, sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 128
params.n_parallel = 1
params.n_gpu_layers = 0
params.warmup = False
server = xllamacpp.Server(params)
answer = server.handle_completions({"prompt": sys.argv[2], "max_tokens": 24, "temperature": 0, "logprobs": 1, "grammar": "root ::= [ -~]{200}"})
found = answer["choices"][0]["logprobs"]["content"]
with open(sys.argv[3], "w") as file:
    json.dump({"prompt": answer["usage"]["prompt_tokens"], "tokens": [[one["id"], one["logprob"]] for one in found]}, file)
`;
const text = 'State: P_G\nThe goal lies 2 right. Answer: <answer>Right</answer>';
/** Largest difference of a log-probability: half floats round weights by 1 part in 2,048; Q8_0 rounds activations to 8 bits, too. */
const tolerances = { f16: 0.02, q8_0: 0.3 };

const shape = {
  bos_token_id: 1,
  eos_token_id: 2,
  vocab_size: 300,
  hidden_size: 64,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 128,
  max_position_embeddings: 512,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
};
const gemma = {
  tie_word_embeddings: true,
  hidden_activation: 'gelu_pytorch_tanh',
  head_dim: 32,
  query_pre_attn_scalar: 32,
};
const alternating = ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'];
const families = {
  llama: { model_type: 'llama' },
  'llama-3': {
    model_type: 'llama',
    max_position_embeddings: 131072,
    rope_theta: 500000,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    },
  },
  'llama-linear': { model_type: 'llama', rope_scaling: { rope_type: 'linear', factor: 4 } },
  qwen2: { model_type: 'qwen2' },
  qwen3: { model_type: 'qwen3', head_dim: 32 },
  smollm3: { model_type: 'smollm3', no_rope_layers: [1, 1, 1, 0], tie_word_embeddings: true },
  mistral: { model_type: 'mistral' },
  olmo2: { model_type: 'olmo2' },
  gemma2: {
    model_type: 'gemma2',
    ...gemma,
    attn_logit_softcapping: 50,
    final_logit_softcapping: 30,
    sliding_window: 16,
    layer_types: alternating,
  },
  // llama.cpp has it in its code which layers see the whole context
  gemma3: {
    model_type: 'gemma3_text',
    ...gemma,
    num_hidden_layers: 6,
    sliding_window: 16,
    layer_types: [...Array.from({ length: 5 }, () => 'sliding_attention'), 'full_attention'],
  },
};

/** Weights whose outputs differ: norms away from 1, biases away from 0. */
function drawWeights(config, isGemma) {
  const stream = createStream(7);
  return new Map(
    [...parameterShapes(config)].map(([name, own]) => {
      const size = own.reduce((product, extent) => product * extent, 1);
      const spread = own.length > 1 ? 1.5 / Math.sqrt(own.at(-1)) : 0.4;
      const middle = name.endsWith('norm.weight') && !isGemma ? 1 : 0;
      const data = Float32Array.from({ length: size }, () => middle + spread * (2 * stream.next() - 1));
      return [name, { shape: own, data }];
    }),
  );
}

async function compare(name, folder, home) {
  const { config, weights } = loadModelFolder(folder);
  const tokenizer = loadTokenizer(folder);
  const engine = await createEmbeddedEngine({ config, weights, threads: 1 });
  for (const [dtype, tolerance] of Object.entries(tolerances)) {
    const [file, answer] = [join(home, `${name}-${dtype}.gguf`), join(home, 'answer.json')];
    espalier('model', 'export', folder, '--out', file, '--format', 'gguf', '--dtype', dtype);
    spawn(python, [join(home, 'write.py'), file, text, answer]);
    const { prompt, tokens: written } = JSON.parse(readFileSync(answer, 'utf8'));
    const own = tokenizer.encode(text);
    if (prompt !== own.length)
      throw new Error(`${name}: llama.cpp splits the text into ${prompt} tokens, we into ${own.length}`);
    const tokens = Int32Array.from([...own, ...written.map(([id]) => id)]);
    const positions = Int32Array.from(written, (_, i) => own.length + i);
    const [{ logprobs }] = await engine.policy.score([{ tokens, positions }]);
    const differences = written.map(([, logprob], i) => Math.abs(logprob - logprobs[i]));
    const most = Math.max(...differences);
    const mean = written.reduce((sum, [, logprob]) => sum + logprob, 0) / written.length;
    console.log(
      `${name.padEnd(13)} ${dtype.padEnd(5)} ${written.length} tokens, mean log-probability ${mean.toFixed(2)}, at most ${most.toExponential(1)} apart`,
    );
    if (written.length < 24 || !(most <= tolerance)) failed.push(`${name} as ${dtype}`);
    rmSync(file);
  }
  await engine.dispose();
}

const espalier = (...words) => spawn(process.execPath, ['tools/cli.mjs', ...words]);

function spawn(program, words) {
  const { status, stderr } = spawnSync(program, words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0)
    throw new Error(`${program} ${words.join(' ')} ended with ${status}: ${stderr.slice(-2000)}`);
}

const home = mkdtempSync(join(tmpdir(), 'espalier-llama-'));
try {
  writeFileSync(join(home, 'write.py'), writer);
  const tokenizerFrom = join(home, 'byte-level');
  espalier('model', 'import', 'test/golden/gguf/byte-level.gguf', '--out', tokenizerFrom);
  for (const [name, own] of Object.entries(families)) {
    const folder = join(home, name);
    const config = parseModelConfig({ ...shape, ...own });
    const weights = drawWeights(config, name.startsWith('gemma'));
    saveModelFolder(folder, { config, weights, dtype: 'float32', tokenizerFrom });
    await compare(name, folder, home);
  }
  const smollm2 = join(root, 'models/smollm2');
  if (existsSync(smollm2)) await compare('smollm2', smollm2, home);
  else console.log('smollm2       left out: npm run fetch:smollm2 -- --out models/smollm2');
} finally {
  rmSync(home, { recursive: true, force: true });
}
if (failed.length > 0) throw new Error(`llama.cpp gives other log-probabilities: ${failed.join(', ')}`);
