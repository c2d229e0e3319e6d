/** @file Weight files: the header is mutated as JSON and put back with a fitting, or deliberately unfitting, length. */
import { encodeSafetensors, parseSafetensors } from '@espalier/model';
import type { RandomStream } from '@espalier/random';
import type { FuzzTarget } from '../fuzz-target.js';
import { mutateJson } from '../mutate-json.js';

const words = [
  'F32', 'F16', 'BF16', 'I64', 'BOOL', 'F8_E4M3', '__metadata__', '__proto__', 'constructor', 'dtype', 'shape',
  'data_offsets', 'embed', 'model.layers.0.q', '', '\u0000', '[0,0]', '{"a":1}', '":{', '\\u0061',
]; // prettier-ignore

function buildCorpus(): Uint8Array[] {
  const floats = (count: number): Float32Array => Float32Array.from({ length: count }, (_, i) => i / 7);
  return [
    encodeSafetensors(new Map([['w', { shape: [2, 3], data: floats(6) }]])),
    encodeSafetensors(
      new Map([
        ['embed', { dtype: 'BF16' as const, shape: [4, 2], data: floats(8) }],
        ['norm', { dtype: 'F16' as const, shape: [2], data: floats(2) }],
        ['ids', { dtype: 'I64' as const, shape: [3], data: new BigInt64Array(3) }],
        ['empty', { shape: [0, 5], data: floats(0) }],
      ]),
      { format: 'pt', note: 'größer' },
    ),
    encodeSafetensors(
      new Map(Array.from({ length: 24 }, (_, i) => [`layer.${i}`, { shape: [1], data: floats(1) }])),
    ),
    encodeSafetensors(new Map()),
  ];
}

function mutateHeader(stream: RandomStream, input: Uint8Array): Uint8Array {
  if (input.length < 8) return input;
  const length = Number(new DataView(input.buffer, input.byteOffset, 8).getBigUint64(0, true));
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(input.subarray(8, 8 + length)));
  } catch {
    return input;
  }
  const text = new TextEncoder().encode(JSON.stringify(mutateJson(stream, header, words)) ?? 'null');
  const tail = input.subarray(8 + Math.min(length, input.length - 8));
  const bytes = new Uint8Array(8 + text.length + tail.length);
  const written = stream.int(8) === 0 ? stream.int(bytes.length + 8) : text.length;
  new DataView(bytes.buffer).setBigUint64(0, BigInt(written), true);
  bytes.set(text, 8);
  bytes.set(tail, 8 + text.length);
  return bytes;
}

/** Builds the target. */
export function createSafetensorsTarget(): FuzzTarget {
  const read = (input: Uint8Array): void => {
    const { tensors } = parseSafetensors(input, 'fuzz.safetensors');
    for (const [name, { shape, data }] of tensors) {
      const size = shape.reduce((product, length) => product * length, 1);
      if (data.length !== size) throw new Error(`${name}: ${data.length} numbers for [${shape.join()}]`);
    }
  };
  return { name: 'safetensors', corpus: buildCorpus(), words, mutate: mutateHeader, read };
}
