import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseModelConfig } from '../families/families.js';
import { initializeWeights } from '../initialize-weights.js';
import { loadTokenizer } from '../tokenizer/tokenizer-folder.js';
import { convertModelFolder } from '../weights/convert-folder.js';
import { loadModelFolder, openModelFolder, saveModelFolder } from '../weights/model-folder.js';
import { encodeGguf } from './encode-gguf.js';
import { exportGguf } from './export-gguf.js';
import { openGguf } from './gguf-file.js';
import { importGguf } from './import-gguf.js';
import { quantizeF16, quantizeQ8_0 } from './quantize.js';

const golden = (name: string): string => join(goldenFolder('gguf'), name);
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

let folder = '';
const at = (name: string): string => join(folder, name);
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gguf-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Largest difference of two models, relative to the largest number of each weight. */
function distance(a: string, b: string): number {
  const first = loadModelFolder(a).weights;
  const second = loadModelFolder(b).weights;
  expect([...second.keys()].sort()).toEqual([...first.keys()].sort());
  let worst = 0;
  for (const [name, { data }] of first) {
    const other = second.get(name)!.data;
    const size = data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    data.forEach((value, i) => (worst = Math.max(worst, Math.abs(value - other[i]!) / size)));
  }
  return worst;
}

describe('quantization', () => {
  const { quantize } = JSON.parse(readFileSync(golden('blocks.json'), 'utf8')) as {
    quantize: { numbers: string; F16: string; Q8_0: string };
  };
  const numbers = new Float32Array(bytesOf(quantize.numbers).buffer);

  it('makes the bytes of the package gguf', () => {
    expect(quantizeF16(numbers, 'a')).toEqual(bytesOf(quantize.F16));
    expect(quantizeQ8_0(numbers, 'a')).toEqual(bytesOf(quantize.Q8_0));
  });

  it('refuses a number beyond half precision by the name of its tensor', () => {
    expect(() => quantizeF16(Float32Array.of(1, 70_000), 'blk.0.attn_q.weight')).toThrow(
      /"blk\.0\.attn_q\.weight": 70000 does not fit half precision/,
    );
  });
});

it('encodes more tokens than a call may have arguments', () => {
  const tokens = Array.from({ length: 300_000 }, (_, id) => `t${id}`);
  const { bytes, pieces } = encodeGguf(
    new Map([
      ['tokens', ['strings', tokens]],
      ['types', ['int32s', tokens.map(() => 1)]],
    ]),
    [],
  );
  const file = Buffer.concat([...pieces]);
  expect(file).toHaveLength(bytes);
  expect(file.includes('t299999')).toBe(true);
});

describe('export', () => {
  it.each(['byte-level', 'sentence-piece'])('of %s to GGUF and back keeps weights and ids', async (name) => {
    await importGguf(golden(`${name}.gguf`), at('model'), { dtype: 'float16' });
    await exportGguf(at('model'), at('f16.gguf'), { dtype: 'f16', name: 'Tiny' });
    await importGguf(at('f16.gguf'), at('again'), { dtype: 'float16' });
    expect(distance(at('model'), at('again'))).toBe(0);
    const { cases } = JSON.parse(readFileSync(golden(`${name}.json`), 'utf8')) as {
      cases: { text: string; ids: number[] }[];
    };
    const tokenizer = loadTokenizer(at('again'));
    for (const { text, ids } of cases) expect([...tokenizer.encode(text)], text).toEqual(ids);
    for (const file of ['generation_config.json', 'tokenizer_config.json', 'config.json'])
      expect(readFileSync(join(at('again'), file), 'utf8')).toBe(
        readFileSync(join(at('model'), file), 'utf8'),
      );
    await exportGguf(at('model'), at('q8.gguf'), { dtype: 'q8_0', name: 'Tiny' });
    await importGguf(at('q8.gguf'), at('coarse'), { dtype: 'float32' });
    expect(distance(at('model'), at('coarse'))).toBeLessThan(0.5 / 127 + 1e-3);
    expect(distance(at('model'), at('coarse'))).toBeGreaterThan(0);
  });

  /** A small model of a family, with the tokenizer of `byte-level.gguf` and weights that half precision keeps. */
  async function writeModel(modelType: string, more: object) {
    await importGguf(golden('byte-level.gguf'), at('llama'), { dtype: 'float32' });
    const config = parseModelConfig({
      model_type: modelType,
      vocab_size: 300,
      hidden_size: 64,
      num_hidden_layers: 2,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      intermediate_size: 96,
      max_position_embeddings: 128,
      head_dim: 16,
      eos_token_id: 2,
      ...more,
    });
    const weights = initializeWeights(config, 3);
    for (const { shape, data } of weights.values())
      if (shape.length === 1) data.forEach((_, i) => (data[i] = 0.5 + i / 64));
    saveModelFolder(at('model'), { config, weights, dtype: 'float16', tokenizerFrom: at('llama') });
    return config;
  }
  const llama3 = { low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 };
  const gemma = { query_pre_attn_scalar: 16, sliding_window: 32 };

  it.each<readonly [string, object]>([
    ['llama', { rope_theta: 5e5, rope_scaling: { rope_type: 'llama3', factor: 32, ...llama3 } }],
    ['llama', { rope_scaling: { rope_type: 'linear', factor: 4 }, attention_bias: true, mlp_bias: true }],
    ['qwen2', { tie_word_embeddings: false, head_dim: null }],
    ['qwen3', { tie_word_embeddings: true }],
    ['mistral', { tie_word_embeddings: false, sliding_window: null }],
    ['smollm3', { num_hidden_layers: 5 }],
    ['olmo2', { rms_norm_eps: 1e-6 }],
    ['gemma2', { ...gemma, final_logit_softcapping: 20, attn_logit_softcapping: 40 }],
    ['gemma3_text', { ...gemma, num_hidden_layers: 7, final_logit_softcapping: 25 }],
    [
      'gemma3_text',
      { ...gemma, num_hidden_layers: 6, rope_theta: 2e6, rope_scaling: { rope_type: 'linear', factor: 8 } },
    ],
  ])('of %s to GGUF and back keeps every weight and how they compute: %j', async (modelType, more) => {
    const config = await writeModel(modelType, more);
    await exportGguf(at('model'), at('a.gguf'), { dtype: 'f16', name: 'Tiny' });
    await importGguf(at('a.gguf'), at('again'), { dtype: 'float16' });
    expect(distance(at('model'), at('again'))).toBe(0);
    const { config: read } = loadModelFolder(at('again'));
    expect(read.family.modelType).toBe(modelType === 'mistral' ? 'llama' : modelType);
    expect(read.shape).toEqual(config.shape);
  });

  it.each<readonly [string, object, string]>([
    ['qwen2', { rope_scaling: { rope_type: 'yarn', factor: 4 } }, 'rope_scaling of the type "yarn"'],
    [
      'qwen2',
      { rope_scaling: { rope_type: 'llama3', factor: 8, ...llama3 } },
      'rope_scaling of the type "llama3"',
    ],
    [
      'llama',
      { rope_scaling: { rope_type: 'llama3', factor: 8, ...llama3, low_freq_factor: 2 } },
      'its config.json',
    ],
    ['qwen3', { attention_bias: true }, 'attention_bias'],
    ['mistral', { sliding_window: 32 }, 'sliding_window of layer 0'],
    ['smollm3', { no_rope_layers: [1, 0] }, 'the rotary embedding of layer 1'],
    ['gemma2', { ...gemma, query_pre_attn_scalar: 6 }, 'query_pre_attn_scalar of layer 0'],
    ['gemma2', { ...gemma, attn_logit_softcapping: null }, 'attn_logit_softcapping of layer 0'],
    ['gemma3_text', { ...gemma, sliding_window_pattern: 2 }, 'sliding_window of layer 1'],
  ])('of %s is refused where GGUF would say something else: %j', async (modelType, more, what) => {
    await writeModel(modelType, more);
    await expect(exportGguf(at('model'), at('a.gguf'), { dtype: 'f16', name: 'Tiny' })).rejects.toMatchObject(
      {
        code: 'model.unsupported_config',
        message: `${at('model')}: ${what} is not written to GGUF; export to a Hugging Face folder instead`,
      },
    );
    expect(readdirSync(folder).sort()).toEqual(['llama', 'model']);
  });

  it('keeps named templates and whether texts begin with the first token', async () => {
    await importGguf(golden('byte-level.gguf'), at('model'), { dtype: 'float32' });
    const path = join(at('model'), 'tokenizer_config.json');
    const config = JSON.parse(readFileSync(path, 'utf8')) as {
      chat_template: string;
      add_bos_token: boolean;
    };
    expect(config.add_bos_token).toBe(false);
    const templates = [
      { name: 'default', template: config.chat_template },
      { name: 'tool_use', template: 'tools' },
    ];
    writeFileSync(path, JSON.stringify({ ...config, add_bos_token: true, chat_template: templates }));
    await exportGguf(at('model'), at('a.gguf'), { dtype: 'f16', name: 'Tiny' });
    await importGguf(at('a.gguf'), at('again'), { dtype: 'float32' });
    const read = (name: string): unknown => JSON.parse(readFileSync(join(at('again'), name), 'utf8'));
    expect(read('tokenizer_config.json')).toMatchObject({ add_bos_token: true, chat_template: templates });
    const start = { id: '<|im_start|>', type_id: 0 };
    expect(read('tokenizer.json')).toMatchObject({
      post_processor: { single: [{ SpecialToken: start }, { Sequence: { id: 'A' } }] },
    });
    // what runs decides
    const without = { ...(read('tokenizer_config.json') as object), add_bos_token: false };
    writeFileSync(join(at('again'), 'tokenizer_config.json'), JSON.stringify(without));
    await exportGguf(at('again'), at('b.gguf'), { dtype: 'f16', name: 'Tiny' });
    const file = openGguf(at('b.gguf'));
    file.close();
    expect(file.metadata.get('tokenizer.ggml.add_bos_token')).toBe(true);
  });

  it('puts several ids that end a turn into GGUF and back', async () => {
    await importGguf(golden('byte-level.gguf'), at('model'), { dtype: 'float32' });
    const path = join(at('model'), 'generation_config.json');
    writeFileSync(path, JSON.stringify({ eos_token_id: [2, 0] }));
    await exportGguf(at('model'), at('a.gguf'), { dtype: 'q8_0', name: 'Tiny' });
    const file = openGguf(at('a.gguf'));
    file.close();
    expect(file.metadata.get('tokenizer.ggml.eot_token_id')).toBe(0);
    expect(file.tensors.get('blk.0.attn_norm.weight')?.type.name).toBe('F32');
    expect(file.tensors.get('blk.0.attn_q.weight')?.type.name).toBe('Q8_0');
    await importGguf(at('a.gguf'), at('again'), { dtype: 'float32' });
    expect(loadTokenizer(at('again')).stopTokens).toEqual([2, 0]);
  });

  it('to a folder changes the number format and nothing else', async () => {
    await importGguf(golden('byte-level.gguf'), at('model'), { dtype: 'float32' });
    const kept = {
      'generation_config.json': '{"eos_token_id": [2, 1],\n "top_p":0.9}',
      'tokenizer.model': 'pieces',
      'README.md': '# Tiny',
      LICENSE: 'free',
      'warm-start.json': '{"demonstrations":[]}',
    };
    for (const [name, text] of Object.entries(kept)) writeFileSync(join(at('model'), name), text);
    await convertModelFolder(at('model'), at('half'), { dtype: 'bfloat16' });
    for (const name of [...Object.keys(kept), 'tokenizer.json', 'tokenizer_config.json'])
      expect(readFileSync(join(at('half'), name))).toEqual(readFileSync(join(at('model'), name)));
    const { config, formats, close } = openModelFolder(at('half'));
    close();
    expect([...new Set(formats.values())]).toEqual(['BF16']);
    expect(config.json).toMatchObject({ torch_dtype: 'bfloat16', dtype: 'bfloat16' });
    expect(distance(at('model'), at('half'))).toBeLessThan(2 ** -8);
    await convertModelFolder(at('half'), at('whole'), { dtype: 'float32' });
    expect(distance(at('half'), at('whole'))).toBe(0);
  });

  it('of a tokenizer that cuts at spaces where none are left, as those of Gemma do, keeps ids', async () => {
    await importGguf(golden('sentence-piece.gguf'), at('model'), { dtype: 'float32' });
    const path = join(at('model'), 'tokenizer.json');
    const tokenizer = JSON.parse(readFileSync(path, 'utf8')) as object;
    const cut = { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false };
    writeFileSync(path, JSON.stringify({ ...tokenizer, pre_tokenizer: cut }));
    await exportGguf(at('model'), at('a.gguf'), { dtype: 'f16', name: 'Tiny' });
    await importGguf(at('a.gguf'), at('again'), { dtype: 'float32' });
    const [before, after] = [loadTokenizer(at('model')), loadTokenizer(at('again'))];
    for (const text of ['a b  c', ' the end', 'x\ny '])
      expect(after.encode(text)).toEqual(before.encode(text));
    writeFileSync(
      path,
      JSON.stringify({ ...tokenizer, pre_tokenizer: { ...cut, pattern: { String: 'e' } } }),
    );
    await expect(exportGguf(at('model'), at('b.gguf'), { dtype: 'f16', name: 'Tiny' })).rejects.toThrow(
      /GGUF has no name for how tokenizer\.json treats spaces/,
    );
  });

  it.each([null, { type: 'NFC' }, { type: 'Sequence', normalizers: [] }, { type: 'Prepend', prepend: '▁' }])(
    'refuses the normalizer %j beside pieces of SentencePiece',
    async (normalizer) => {
      await importGguf(golden('sentence-piece.gguf'), at('model'), { dtype: 'float32' });
      const path = join(at('model'), 'tokenizer.json');
      const tokenizer = JSON.parse(readFileSync(path, 'utf8')) as object;
      writeFileSync(path, JSON.stringify({ ...tokenizer, normalizer }));
      await expect(exportGguf(at('model'), at('a.gguf'), { dtype: 'f16', name: 'Tiny' })).rejects.toThrow(
        /GGUF has no name for how tokenizer\.json treats spaces/,
      );
    },
  );

  it('refuses a tokenizer that GGUF has no name for, and writes nothing', async () => {
    await importGguf(golden('byte-level.gguf'), at('model'), { dtype: 'float32' });
    const path = join(at('model'), 'tokenizer.json');
    const tokenizer = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...tokenizer, normalizer: { type: 'Lowercase' } }));
    await expect(exportGguf(at('model'), at('a.gguf'), { dtype: 'f16', name: 'Tiny' })).rejects.toMatchObject(
      {
        code: 'model.malformed_tokenizer',
        message: expect.stringContaining('GGUF has no name for how tokenizer.json cuts text') as string,
      },
    );
    expect(existsSync(at('a.gguf'))).toBe(false);
    expect(readdirSync(folder)).toEqual(['model']);
  });
});
