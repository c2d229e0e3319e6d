import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../tokenizer/tokenizer-folder.js';
import { createTokenizer } from '../tokenizer/tokenizer.js';
import { loadModelFolder } from '../weights/model-folder.js';
import { encodeGguf } from './encode-gguf.js';
import { openGguf } from './gguf-file.js';
import { GgufMetadata } from './gguf-metadata.js';
import { findStopTokens } from './gguf-tokenizer.js';
import { openGgufModel } from './gguf-model.js';
import { importGguf } from './import-gguf.js';
import { parseGguf } from './parse-gguf.js';
import { tensorTypeNamed } from './tensor-types.js';

interface Golden {
  readonly cases: readonly { readonly text: string; readonly ids: readonly number[] }[];
  readonly weights: Readonly<Record<string, string>>;
}

const golden = (name: string): string => join(goldenFolder('gguf'), name);
const readGolden = (name: string): Golden => JSON.parse(readFileSync(golden(name), 'utf8')) as Golden;
const hashOf = (data: Float32Array): string =>
  createHash('sha256')
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest('hex');
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));

/** Changes bytes in place, or gives others. */
type Change = (bytes: Buffer) => Buffer | undefined;

/** Gives the bytes of a file with some replaced. */
function changed(name: string, change: Change): Buffer {
  const bytes = readFileSync(golden(name));
  return change(bytes) ?? bytes;
}

const parse = (bytes: Buffer) =>
  parseGguf((begin, end) => new Uint8Array(bytes.subarray(begin, end)), bytes.length, 'a.gguf');

describe('number formats of GGUF', () => {
  const { dequantize } = JSON.parse(readFileSync(golden('blocks.json'), 'utf8')) as {
    dequantize: Record<string, { bytes: string; numbers: string }>;
  };

  it.each(Object.entries(dequantize))('%s: every bit is that of the package gguf', (name, given) => {
    const expected = new Float32Array(bytesOf(given.numbers).buffer);
    const target = new Float32Array(expected.length);
    tensorTypeNamed(name)[1].dequantize(bytesOf(given.bytes), target);
    expect(target).toEqual(expected);
  });
});

describe('a GGUF file', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gguf-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['byte-level', 'sentence-piece'])(
    '%s becomes a model folder with the same ids and numbers',
    async (name) => {
      const out = join(folder, 'model');
      const progress: number[] = [];
      await importGguf(golden(`${name}.gguf`), out, {
        dtype: 'float32',
        onProgress: (bytes, ofBytes) => progress.push(bytes / ofBytes),
      });
      expect(progress.at(-1)).toBe(1);
      const { cases, weights } = readGolden(`${name}.json`);
      const tokenizer = loadTokenizer(out);
      for (const { text, ids } of cases) expect([...tokenizer.encode(text)], text).toEqual(ids);
      const loaded = loadModelFolder(out);
      const hashes = [...loaded.weights].map(([key, { data }]) => [key, hashOf(data)]);
      expect(Object.fromEntries(hashes)).toEqual(weights);
      expect(loaded.config.shape).toMatchObject({ headSize: 8, normEpsilon: 1e-5 });
      expect(loaded.config.json.rope_theta).toBe(100000);
      expect(readdirSync(folder)).toEqual(['model']);
      expect(readdirSync(out).sort()).toEqual([
        'config.json',
        'generation_config.json',
        'model.safetensors',
        'tokenizer.json',
        'tokenizer_config.json',
      ]);
    },
  );

  it('keeps special tokens, stop tokens and the chat template', async () => {
    const out = join(folder, 'model');
    await importGguf(golden('byte-level.gguf'), out, { dtype: 'bfloat16' });
    const tokenizer = loadTokenizer(out);
    expect([tokenizer.endOfTurn, tokenizer.pad, [...tokenizer.stopTokens]]).toEqual([2, 2, [2]]);
    expect(tokenizer.renderMessages([{ role: 'user', content: 'a' }], { generation: true })).toBe(
      '<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n',
    );
    expect(loadModelFolder(out).config.json).toMatchObject({ torch_dtype: 'bfloat16', eos_token_id: 2 });
    const template = "{% for m in messages %}{{ m['content'] }}{% endfor %}";
    const { tokenizer: files, close } = openGgufModel(golden('byte-level.gguf'), { template });
    close();
    const rendered = createTokenizer(files).renderMessages([{ role: 'user', content: 'b' }], {
      generation: true,
    });
    expect(rendered).toBe('b');
  });

  it('without a chat template can be looked at', () => {
    const bytes = changed('byte-level.gguf', rename('tokenizer.chat_template', 'tokenizer.chat_templat_'));
    expect(openGgufModel(bytes, { needsTemplate: false }).config.family.modelType).toBe('llama');
    const { tokenizer } = openGgufModel(bytes, { template: 'a' });
    expect(tokenizer.config['chat_template']).toBe('a');
  });

  it('with an end of turn that is no token is refused', () => {
    const { metadata } = parse(readFileSync(golden('byte-level.gguf')));
    const ids = (id: number) =>
      findStopTokens(
        new GgufMetadata({ metadata: new Map([...metadata, ['tokenizer.ggml.eot_token_id', id]]) }, 'a.gguf'),
      );
    expect(ids(7)).toEqual([2, 7]);
    expect(() => ids(300)).toThrow(/tokenizer\.ggml\.eot_token_id is 300; there are 300 tokens/);
  });

  it('that names no end of a turn stops at the control token that says so, as llama.cpp does', () => {
    const { metadata } = parse(readFileSync(golden('sentence-piece.gguf')));
    const stopTokens = (texts: Readonly<Record<number, string>>, type: number, eot?: number) => {
      const tokens = [...(metadata.get('tokenizer.ggml.tokens') as string[])];
      const types = Array.from(metadata.get('tokenizer.ggml.token_type') as ArrayLike<number>);
      for (const [id, text] of Object.entries(texts)) {
        tokens[Number(id)] = text;
        types[Number(id)] = type;
      }
      const changed = new Map([
        ...metadata,
        ['tokenizer.ggml.tokens', tokens] as const,
        ['tokenizer.ggml.token_type', types] as const,
        ...(eot === undefined ? [] : [['tokenizer.ggml.eot_token_id', eot] as const]),
      ]);
      return findStopTokens(new GgufMetadata({ metadata: changed }, 'a.gguf'));
    };
    const end = metadata.get('tokenizer.ggml.eos_token_id');
    expect(stopTokens({}, 3)).toEqual([end]);
    expect(stopTokens({ 100: '<end_of_turn>' }, 3)).toEqual([end, 100]);
    expect(stopTokens({ 100: '<end_of_turn>' }, 1)).toEqual([end]);
    expect(stopTokens({ 100: '<end_of_turn>' }, 3, 101)).toEqual([end, 101]);
    expect(stopTokens({ 99: '<|endoftext|>', 100: '<|eot_id|>', 101: '<|eom_id|>' }, 3)).toEqual([
      end,
      100,
      101,
    ]);
  });

  it('is not converted where the disk is too small or the folder exists, and nothing stays behind', async () => {
    const source = golden('byte-level.gguf');
    const out = join(folder, 'model');
    await expect(importGguf(source, out, { dtype: 'float32', freeBytes: 300_000 })).rejects.toMatchObject({
      code: 'model.disk_full',
      message: expect.stringContaining('MB, but the disk has 0.3 MB free') as string,
    });
    const abort = new AbortController();
    const stopped = importGguf(source, out, {
      dtype: 'float32',
      signal: abort.signal,
      onProgress: (bytes) => bytes > 100_000 && abort.abort(),
    });
    await expect(stopped).rejects.toThrow(/aborted/);
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(out, '');
    await expect(importGguf(source, out, { dtype: 'float32' })).rejects.toMatchObject({
      code: 'model.folder_exists',
    });
  });

  it('may be larger than 2 GiB', () => {
    const path = join(folder, 'big.gguf');
    const half = tensorTypeNamed('F16');
    const name = 'blk.0.ffn_up.weight';
    const tensors = [
      { name: 'token_embd.weight', shape: [2 ** 20, 1100], type: half, pieces: () => [] },
      { name, shape: [2, 32], type: half, pieces: () => [] },
    ];
    const { bytes, pieces } = encodeGguf(new Map([['general.name', ['string', 'Big']]]), tensors);
    const [header = new Uint8Array()] = pieces;
    writeFileSync(path, header);
    truncateSync(path, bytes);
    const descriptor = openSync(path, 'r+');
    writeSync(descriptor, Uint8Array.of(0x00, 0x3c, 0x00, 0xc0), 0, 4, bytes - 64);
    closeSync(descriptor);
    const file = openGguf(path);
    try {
      const tensor = file.tensors.get(name)!;
      expect(tensor.begin).toBeGreaterThan(2 ** 31);
      const row = new Float32Array(32);
      file.read(tensor, 32, row);
      expect([...row.subarray(0, 3)]).toEqual([1, -2, 0]);
      expect(() => file.read(tensor, 64, row)).toThrow(RangeError);
    } finally {
      file.close();
    }
  });

  it('with a number that is not finite is refused by the name of the tensor, and nothing stays behind', async () => {
    const path = join(folder, 'nan.gguf');
    const tensor = parse(readFileSync(golden('byte-level.gguf'))).tensors.get('blk.1.attn_norm.weight')!;
    writeFileSync(
      path,
      changed('byte-level.gguf', (bytes) => void bytes.writeFloatLE(NaN, tensor.begin + 8)),
    );
    await expect(importGguf(path, join(folder, 'model'), { dtype: 'float32' })).rejects.toMatchObject({
      code: 'model.malformed_gguf',
      message: expect.stringContaining('tensor "blk.1.attn_norm.weight" is NaN at index 2') as string,
    });
    expect(readdirSync(folder)).toEqual(['nan.gguf']);
  });
});

/** Replaces a text of the file by another one of the same length. */
const rename =
  (from: string, to: string): Change =>
  (bytes) => {
    const at = bytes.indexOf(from);
    expect(at).toBeGreaterThan(0);
    bytes.write(to.padEnd(from.length), at);
    return undefined;
  };

describe('a GGUF file that cannot be used', () => {
  const unsupported = 'model.unsupported_gguf';
  const malformed = 'model.malformed_gguf';
  const whole = readFileSync(golden('byte-level.gguf'));
  const typeOf = (name: string): number => whole.indexOf(name) + name.length + 4 + 2 * 8;

  const broken: readonly [name: string, change: Change, code: string, sentence: string][] = [
    ['a text', () => Buffer.from('{"a": 1} and more than 24 bytes'), malformed, 'it is no GGUF file'],
    ['nothing', () => Buffer.alloc(0), malformed, 'the file has 0 bytes'],
    ['version 1', (bytes) => void bytes.writeUInt32LE(1, 4), unsupported, 'GGUF version 1; expected 2 or 3'],
    ['big-endian', (bytes) => void bytes.writeUInt32BE(3, 4), unsupported, 'the file is big-endian'],
    [
      'a cut tensor',
      (bytes) => bytes.subarray(0, -40),
      malformed,
      'but the file has 205272; it is cut short',
    ],
    ['a cut header', (bytes) => bytes.subarray(0, 700), malformed, 'the file is cut short or corrupt'],
    [
      '2^62 announced tensors',
      (bytes) => void bytes.writeUInt32LE(2 ** 30, 12),
      malformed,
      'tensors are announced',
    ],
    [
      'an unknown format',
      (bytes) => void bytes.writeUInt32LE(23, typeOf('blk.1.attn_q.weight')),
      unsupported,
      'tensor "blk.1.attn_q.weight" has the number format IQ4_XS; supported are F32, F16,',
    ],
    [
      'a format without a name',
      (bytes) => void bytes.writeUInt32LE(77, typeOf('blk.1.attn_q.weight')),
      unsupported,
      'tensor "blk.1.attn_q.weight" has the number format number 77',
    ],
    [
      'a huge shape',
      (bytes) => void bytes.writeUInt32LE(2 ** 31, typeOf('blk.1.attn_q.weight') - 4),
      malformed,
      'tensor "blk.1.attn_q.weight" has the shape',
    ],
  ];

  it.each(broken)('%s', (_name, change, code, sentence) => {
    const bytes = changed('byte-level.gguf', change);
    expect(() => parse(bytes)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(sentence) as string }) as Error,
    );
  });

  it.each([
    [
      'architecture',
      rename('llama', 'phi3 '),
      unsupported,
      'general.architecture is "phi3 "; supported are llama, qwen2, qwen3, smollm3, olmo2, gemma2, gemma3',
    ],
    [
      'tokenizer',
      rename('gpt2', 'bert'),
      unsupported,
      'tokenizer.ggml.model is "bert"; supported are "gpt2" and "llama"',
    ],
    [
      'pre-tokenizer',
      rename('smollm', 'viking'),
      unsupported,
      'tokenizer.ggml.pre is "viking"; supported are gpt-2, smollm',
    ],
    [
      'tensor',
      rename('blk.1.ffn_gate', 'blk.1.ffn_gats'),
      unsupported,
      'tensor "blk.1.ffn_gats.weight" is not one of',
    ],
    [
      'layer',
      rename('blk.1.ffn_gate', 'blk.7.ffn_gate'),
      unsupported,
      'tensor "blk.7.ffn_gate.weight" is not one of',
    ],
    [
      'key',
      rename('llama.block_count', 'llama.block_cound'),
      unsupported,
      'llama.block_count is missing; expected a number',
    ],
    [
      'template',
      rename('tokenizer.chat_template', 'tokenizer.chat_templat_'),
      'model.malformed_tokenizer',
      'there is no chat template in tokenizer.chat_template; give one with --template FILE',
    ],
  ] as const)('for its %s', (_name, change, code, sentence) => {
    const folder = mkdtempSync(join(tmpdir(), 'gguf-'));
    const path = join(folder, 'a.gguf');
    writeFileSync(path, changed('byte-level.gguf', change));
    try {
      expect(() => openGgufModel(path)).toThrow(
        expect.objectContaining({ code, message: expect.stringContaining(sentence) as string }) as Error,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
