/** @file GGUF files: the header is parsed, configuration and tokenizer are made from it, and every number is read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openGgufModel } from '@espalier/model/conversion';
import type { RandomStream } from '@espalier/random';
import type { FuzzTarget } from '../fuzz-target.js';

/** Words of the format. */
export const ggufWords = [
  'GGUF', 'llama', 'qwen2', 'qwen3', 'gpt2', 'general.alignment', 'general.architecture', 'llama.block_count', 'blk.0.',
  'llama.attention.head_count', 'llama.expert_count', 'tokenizer.ggml.tokens', 'tokenizer.ggml.pre', '<|im_end|>',
  'token_embd.weight', 'output.weight', 'rope_freqs.weight', '__proto__', 'constructor', '', '\u0000', '▁',
]; // prettier-ignore

const sizes = [0, 1, 2, 3, 4, 8, 31, 32, 33, 255, 256, 65535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

/** Overwrites one number where the header is, or flips a small one up or down. */
export function mutateHeader(stream: RandomStream, input: Uint8Array): Uint8Array {
  if (input.length < 64) return input;
  const changed = input.slice();
  const view = new DataView(changed.buffer);
  const at = stream.int(Math.min(changed.length - 8, 4096));
  const kind = stream.int(4);
  if (kind === 0) view.setUint32(at, stream.pick(sizes), true);
  else if (kind === 1) view.setBigUint64(at, BigInt(stream.pick(sizes)) << BigInt(stream.int(33)), true);
  else if (kind === 2) view.setUint8(at, view.getUint8(at) + 1 + stream.int(3));
  else view.setUint8(at, stream.int(40));
  return changed;
}

/**
 * Builds the target.
 *
 * @param root of the clone, whose golden files are the start
 */
export function createGgufTarget(root: string): FuzzTarget {
  const corpus = ['tiny.gguf', 'sentence-piece.gguf'].map((name) => readGolden(root, name));
  return {
    name: 'gguf',
    corpus,
    words: ggufWords,
    maxBytes: 32_768,
    mutate: mutateHeader,
    read: readGgufModel,
  };
}

/** Bytes of a golden file. */
export const readGolden = (root: string, name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(root, 'test/golden/gguf', name)));

/** Opens a model and reads each of its numbers. */
export function readGgufModel(from: string | Uint8Array): void {
  const { weights, close } = openGgufModel(from);
  try {
    for (const [name, { shape, pieces }] of weights) {
      let count = 0;
      for (const piece of pieces()) count += piece.length;
      if (count !== shape.reduce((product, extent) => product * extent, 1))
        throw new Error(`${name}: ${count} numbers for [${shape.join()}]`);
    }
  } finally {
    close();
  }
}
