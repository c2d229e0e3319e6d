import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseModelConfig } from '../families/families.js';
import { parameterShapes } from '../model-weights.js';
import { loadModelFolder, saveModelFolder, type Weight } from './model-folder.js';
import { saveSafetensors } from './safetensors-file.js';

const json = {
  model_type: 'llama',
  vocab_size: 12,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 6,
  max_position_embeddings: 16,
  tie_word_embeddings: true,
  eos_token_id: 2,
};
const config = parseModelConfig(json);

function weightsOf(shapes = parameterShapes(config)): Map<string, Weight> {
  let value = 0;
  return new Map(
    [...shapes].map(([name, shape]) => {
      const length = shape.reduce((a, b) => a * b, 1);
      return [name, { shape, data: Float32Array.from({ length }, () => (value += 0.125)) }];
    }),
  );
}

describe('model folder', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'model-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['float32', 'float16', 'bfloat16'] as const)(
    'returns weights and configuration stored as %s',
    (dtype) => {
      const weights = weightsOf();
      saveModelFolder(folder, { config, weights, dtype });
      const read = loadModelFolder(folder);
      expect(read.config.json).toMatchObject({
        ...config.json,
        architectures: ['LlamaForCausalLM'],
        torch_dtype: dtype,
      });
      expect([...read.weights.keys()].sort()).toEqual([...weights.keys()].sort());
      const tolerance = { float32: 0, float16: 2 ** -11, bfloat16: 2 ** -8 }[dtype];
      for (const [name, { data }] of weights) {
        read.weights
          .get(name)!
          .data.forEach((value, i) =>
            expect(Math.abs(value - data[i]!)).toBeLessThanOrEqual(tolerance * data[i]!),
          );
      }
    },
  );

  it('keeps foreign files, copies the tokenizer and leaves no temporary file', () => {
    const target = join(folder, 'target');
    mkdirSync(target);
    writeFileSync(join(target, 'README.md'), 'card');
    writeFileSync(join(folder, 'tokenizer.json'), '{}');
    saveModelFolder(target, { config, weights: weightsOf(), dtype: 'float16', tokenizerFrom: folder });
    expect(readFileSync(join(target, 'README.md'), 'utf8')).toBe('card');
    expect(readdirSync(target).sort()).toEqual([
      'README.md',
      'config.json',
      'generation_config.json',
      'model.safetensors',
      'tokenizer.json',
    ]);
  });

  it('keeps generation_config.json and the tokenizer as they were', () => {
    const target = join(folder, 'target');
    const texts = {
      'generation_config.json': '{"eos_token_id":[2,3],"temperature":0.6,"top_p":0.9}',
      'tokenizer.model': 'pieces',
      'tokenizer_config.json': '{ "eos_token" : "b" }',
    };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    saveModelFolder(target, { config, weights: weightsOf(), dtype: 'float32', tokenizerFrom: folder });
    for (const [name, text] of Object.entries(texts))
      expect(readFileSync(join(target, name), 'utf8')).toBe(text);
  });

  it('reads shards by their index', () => {
    const weights = weightsOf();
    saveModelFolder(folder, { config, weights, dtype: 'float32' });
    rmSync(join(folder, 'model.safetensors'));
    const names = [...weights.keys()];
    const shards = { 'a.safetensors': names.slice(0, 4), 'b.safetensors': names.slice(4) };
    for (const [file, part] of Object.entries(shards)) {
      saveSafetensors(join(folder, file), new Map(part.map((name) => [name, weights.get(name)!])));
    }
    const index = Object.fromEntries(
      Object.entries(shards).flatMap(([file, part]) => part.map((name) => [name, file])),
    );
    const indexPath = join(folder, 'model.safetensors.index.json');
    writeFileSync(indexPath, JSON.stringify({ weight_map: index }));
    expect(loadModelFolder(folder).weights.get(names[5]!)?.data).toEqual(weights.get(names[5]!)?.data);
    writeFileSync(indexPath, JSON.stringify({ weight_map: { ...index, [names[0]!]: 'b.safetensors' } }));
    expect(() => loadModelFolder(folder)).toThrow(/said to be in b\.safetensors, which does not have it/);
    writeFileSync(indexPath, JSON.stringify({ weight_map: { ...index, [names[0]!]: '../x.safetensors' } }));
    expect(() => loadModelFolder(folder)).toThrow(/"\.\.\/x\.safetensors" is not in the folder/);
  });

  it('ignores the buffers that older versions of transformers stored', () => {
    const buffer = { data: new Float32Array(2), shape: [2] };
    const stored = new Map([
      ...weightsOf(),
      ['model.layers.0.self_attn.rotary_emb.inv_freq', buffer] as const,
    ]);
    saveModelFolder(folder, { config, weights: weightsOf(), dtype: 'float32' });
    saveSafetensors(join(folder, 'model.safetensors'), stored);
    expect([...loadModelFolder(folder).weights.keys()].sort()).toEqual([...weightsOf().keys()].sort());
    saveSafetensors(
      join(folder, 'model.safetensors'),
      new Map([...stored, ['model.extra', buffer] as const]),
    );
    expect(() => loadModelFolder(folder)).toThrow(/missing none; unexpected model\.extra/);
  });

  it('says that the index is missing where shards are there', () => {
    saveModelFolder(folder, { config, weights: weightsOf(), dtype: 'float32' });
    rmSync(join(folder, 'model.safetensors'));
    expect(() => loadModelFolder(folder)).toThrow(/there is no model\.safetensors and no model/);
    saveSafetensors(join(folder, 'model-00001-of-00002.safetensors'), weightsOf());
    expect(() => loadModelFolder(folder)).toThrow(
      /there are shards, such as model-00001-of-00002\.safetensors, and no model\.safetensors\.index\.json/,
    );
  });

  it('refuses a missing shard, a shard of another model and whole numbers, by name', () => {
    const weights = weightsOf();
    const names = [...weights.keys()];
    const shards = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;
    saveModelFolder(folder, { config, weights, dtype: 'float32' });
    rmSync(join(folder, 'model.safetensors'));
    const index = Object.fromEntries(names.map((name, i) => [name, shards[i < 4 ? 0 : 1]]));
    writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map: index }));
    const save = (shard: string, part: readonly string[], from = weights): void =>
      saveSafetensors(join(folder, shard), new Map(part.map((name) => [name, from.get(name)!])));
    save(shards[0], names.slice(0, 4));
    expect(() => loadModelFolder(folder)).toThrow(`the file "${shards[1]}" is not in the folder`);
    const other = weightsOf(parameterShapes(parseModelConfig({ ...json, intermediate_size: 8 })));
    save(shards[1], names.slice(4), other);
    expect(() => loadModelFolder(folder)).toThrow(/has the shape \[.*8.*\]; config\.json asks for \[.*6.*\]/);
    const header = JSON.stringify({
      [names[4]!]: { dtype: 'I32', shape: [1], data_offsets: [0, 4] },
    });
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    writeFileSync(join(folder, shards[1]), Buffer.concat([length, Buffer.from(header), Buffer.alloc(4)]));
    expect(() => loadModelFolder(folder)).toThrow(
      /has the dtype I32; expected floating-point numbers: take the/,
    );
  });

  it('drops the second copy of a tied head and wants the head of an untied one', () => {
    const untied = parseModelConfig({ ...json, tie_word_embeddings: false });
    saveModelFolder(folder, {
      config: untied,
      weights: weightsOf(parameterShapes(untied)),
      dtype: 'float32',
    });
    expect(loadModelFolder(folder).weights.has('lm_head.weight')).toBe(true);
    writeFileSync(join(folder, 'config.json'), JSON.stringify(json));
    expect(loadModelFolder(folder).weights.has('lm_head.weight')).toBe(false);
    expect(() => saveModelFolder(folder, { config: untied, weights: weightsOf(), dtype: 'float32' })).toThrow(
      /missing lm_head\.weight; unexpected none/,
    );
  });

  it('names what is missing, unexpected or of a wrong shape', () => {
    expect(() => loadModelFolder(folder)).toThrow(/config\.json: the file is missing/);
    writeFileSync(join(folder, 'config.json'), JSON.stringify(json));
    expect(() => loadModelFolder(folder)).toThrow(/no model\.safetensors/);
    const weights = weightsOf();
    weights.set('extra', { shape: [1], data: new Float32Array(1) });
    saveSafetensors(join(folder, 'model.safetensors'), weights);
    expect(() => loadModelFolder(folder)).toThrow(/missing none; unexpected extra/);
    weights.delete('extra');
    weights.set('model.norm.weight', { shape: [4, 2], data: new Float32Array(8) });
    saveSafetensors(join(folder, 'model.safetensors'), weights);
    expect(() => loadModelFolder(folder)).toThrow(
      /"model\.norm\.weight" has the shape \[4, 2\]; config\.json asks for \[8\]/,
    );
  });

  it.each([
    [
      'config.json',
      { bos_token_id: 12 },
      /config\.json: bos_token_id 12 is no token; .* below the vocab_size 12/,
    ],
    ['config.json', { eos_token_id: [2, 40] }, /config\.json: eos_token_id 40 is no token/],
    ['config.json', { pad_token_id: 12 }, /config\.json: pad_token_id 12 is no token/],
    [
      'generation_config.json',
      { eos_token_id: [2, 12] },
      /generation_config\.json: eos_token_id 12 is no token/,
    ],
    ['generation_config.json', { pad_token_id: -1 }, /generation_config\.json: pad_token_id -1 is no token/],
    [
      'generation_config.json',
      { bos_token_id: 'a' },
      /generation_config\.json: bos_token_id "a" is no token/,
    ],
  ])('refuses %s with %j', (name, change, sentence) => {
    saveModelFolder(folder, { config, weights: weightsOf(), dtype: 'float32' });
    const path = join(folder, name);
    const whole = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...whole, bos_token_id: null, eos_token_id: 11, pad_token_id: 0 }));
    expect(loadModelFolder(folder).weights.size).toBeGreaterThan(0);
    writeFileSync(path, JSON.stringify({ ...whole, ...change }));
    const open = () => loadModelFolder(folder);
    expect(open).toThrow(expect.objectContaining({ code: 'model.unsupported_config' }));
    expect(open).toThrow(sentence);
  });

  it('refuses a generation_config.json that is no object', () => {
    saveModelFolder(folder, { config, weights: weightsOf(), dtype: 'float32' });
    for (const text of ['[]', '{', 'null']) {
      writeFileSync(join(folder, 'generation_config.json'), text);
      expect(() => loadModelFolder(folder)).toThrow(
        expect.objectContaining({ code: 'model.malformed_config' }),
      );
    }
  });

  const golden = goldenFolder('tiny-llama');
  it('opens a checkpoint of transformers', () => {
    const { config: tiny, weights } = loadModelFolder(golden);
    expect(tiny.shape.vocabularySize).toBe(96);
    expect(weights.size).toBe(2 * 9 + 2);
  });
});
