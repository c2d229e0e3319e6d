import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAppError } from '@espalier/contracts';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeSafetensors } from './encode-safetensors.js';
import { parseSafetensors } from './parse-safetensors.js';
import { loadSafetensors, openSafetensors, saveSafetensors } from './safetensors-file.js';

/** A file with this header text and so many zero bytes of data. */
function fileOf(header: string | Uint8Array, dataBytes = 0, statedLength?: bigint): Uint8Array {
  const text = typeof header === 'string' ? new TextEncoder().encode(header) : header;
  const bytes = new Uint8Array(8 + text.length + dataBytes);
  new DataView(bytes.buffer).setBigUint64(0, statedLength ?? BigInt(text.length), true);
  bytes.set(text, 8);
  return bytes;
}

const entry = (shape: unknown, offsets: unknown, dtype: unknown = 'F32') =>
  JSON.stringify({ dtype, shape, data_offsets: offsets });

function findingOf(bytes: Uint8Array): string {
  try {
    parseSafetensors(bytes, 'x.safetensors');
  } catch (error) {
    if (isAppError(error) && error.code === 'model.malformed_safetensors') return error.message;
    throw error;
  }
  return 'accepted';
}

const malformed: [rule: string, bytes: Uint8Array, sentence: RegExp][] = [
  ['a file of 7 bytes', new Uint8Array(7), /has 7 bytes/],
  ['a header longer than the file', fileOf('{}', 0, 50n), /header length is 50 bytes, but only 2 follow/],
  [
    'a pointer of Git LFS',
    new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n'),
    /is a pointer of Git LFS, .* `git lfs pull`/,
  ],
  ['a header over the limit', fileOf('{}', 0, 100_000_001n), /at most 100000000/],
  ['a header length of 2^64 - 1', fileOf('{}', 0, 2n ** 64n - 1n), /at most 100000000/],
  ['a header that is not JSON', fileOf('{"a":'), /not JSON/],
  ['a header that is not UTF-8', fileOf(new Uint8Array([0x7b, 0xff, 0x7d])), /not JSON in UTF-8/],
  ['an empty header', fileOf(''), /not JSON/],
  ['a header that is an array', fileOf('[]'), /not a JSON object/],
  ['a header that begins with a space', fileOf(' {}'), /does not begin with/],
  [
    'a duplicate tensor',
    fileOf(`{"a":${entry([1], [0, 4])},"\\u0061":${entry([1], [0, 4])}}`, 4),
    /key "a" twice/,
  ],
  [
    'a duplicate inner key',
    fileOf('{"a":{"dtype":"F32","dtype":"F32","shape":[0],"data_offsets":[0,0]}}'),
    /key "dtype" twice/,
  ],
  ['a tensor that is not an object', fileOf('{"a":3}'), /tensor "a" is not described/],
  ['an unknown dtype', fileOf(`{"a":${entry([1], [0, 4], 'F31')}}`, 4), /unknown dtype "F31"/],
  [
    'a dtype named like a property of objects',
    fileOf(`{"a":${entry([1], [0, 4], 'toString')}}`, 4),
    /unknown dtype/,
  ],
  ['a missing shape', fileOf('{"a":{"dtype":"F32","data_offsets":[0,4]}}', 4), /shape undefined/],
  ['a negative extent', fileOf(`{"a":${entry([-1], [0, 4])}}`, 4), /integers ≥ 0/],
  ['a fractional extent', fileOf(`{"a":${entry([0.5], [0, 2])}}`, 2), /integers ≥ 0/],
  ['a size that overflows', fileOf(`{"a":${entry([2 ** 40, 2 ** 40], [0, 4])}}`, 4), /overflows/],
  ['one offset', fileOf(`{"a":${entry([1], [0])}}`, 4), /two integers/],
  ['a negative offset', fileOf(`{"a":${entry([1], [-4, 0])}}`, 4), /two integers/],
  ['an end before the begin', fileOf(`{"a":${entry([1], [4, 0])}}`, 4), /begins at 4, after its end at 0/],
  ['an end beyond the data', fileOf(`{"a":${entry([2], [0, 8])}}`, 4), /ends at 8, but the data has 4/],
  [
    'a size unlike shape × dtype',
    fileOf(`{"a":${entry([2], [0, 4])}}`, 4),
    /has 4 bytes of data; shape \[2\] of F32 needs 8/,
  ],
  [
    'an overlap',
    fileOf(`{"a":${entry([2], [0, 8])},"b":${entry([2], [4, 12])}}`, 12),
    /"b" begins at 4 and overlaps "a"/,
  ],
  [
    'a hole',
    fileOf(`{"a":${entry([1], [0, 4])},"b":${entry([1], [8, 12])}}`, 12),
    /hole of 4 bytes before tensor "b"/,
  ],
  [
    'bytes behind the last tensor',
    fileOf(`{"a":${entry([1], [0, 4])}}`, 6),
    /the last 2 belong to no tensor/,
  ],
  ['metadata that is not an object', fileOf('{"__metadata__":"x"}'), /must map strings to strings/],
  ['metadata with a number', fileOf('{"__metadata__":{"epoch":3}}'), /a number under "epoch"/],
];

describe('parseSafetensors', () => {
  it.each(malformed)('refuses %s', (_rule, bytes, sentence) => {
    const finding = findingOf(bytes);
    expect(finding).toMatch(sentence);
    expect(finding).toContain('x.safetensors: ');
  });

  it('accepts scalars, empty arrays, padding behind the header and escaped quotes in names', () => {
    const { tensors } = parseSafetensors(
      fileOf(`{"a":${entry([], [0, 4])},"\\"b\\":":${entry([0, 3], [4, 4])}}   `, 4),
    );
    expect(tensors.get('a')).toMatchObject({ shape: [], data: new Float32Array(1) });
    expect(tensors.get('"b":')).toMatchObject({ shape: [0, 3], data: new Float32Array(0) });
  });

  it('reads a view that does not start at the beginning of its buffer', () => {
    const bytes = encodeSafetensors(new Map([['a', { shape: [2], data: Float32Array.of(1.5, -2) }]]));
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect(parseSafetensors(shifted.subarray(3)).tensors.get('a')?.data).toEqual(Float32Array.of(1.5, -2));
  });
});

describe('encodeSafetensors', () => {
  it('returns every dtype unchanged', () => {
    const tensors = new Map([
      ['f64', { dtype: 'F64' as const, shape: [1], data: Float64Array.of(Math.PI) }],
      ['f32', { dtype: 'F32' as const, shape: [1, 2], data: Float32Array.of(1, 2) }],
      ['f16', { dtype: 'F16' as const, shape: [3], data: Float32Array.of(0.5, -2, 65504) }],
      ['bf16', { dtype: 'BF16' as const, shape: [2], data: Float32Array.of(3, 2 ** 100) }],
      ['i64', { dtype: 'I64' as const, shape: [1], data: BigInt64Array.of(-5n) }],
      ['i32', { dtype: 'I32' as const, shape: [1], data: Int32Array.of(-7) }],
      ['u8', { dtype: 'U8' as const, shape: [3], data: Uint8Array.of(1, 2, 255) }],
    ]);
    const bytes = encodeSafetensors(tensors, { format: 'pt' });
    const read = parseSafetensors(bytes);
    expect(read.metadata).toEqual({ format: 'pt' });
    for (const [name, tensor] of tensors) expect(read.tensors.get(name)).toEqual(tensor);
    expect(Number(new DataView(bytes.buffer).getBigUint64(0, true)) % 8).toBe(0);
  });

  it('gives equal bytes whatever the order', () => {
    const a = { shape: [1], data: Float32Array.of(1) };
    const b = { shape: [1], data: Float32Array.of(2) };
    expect(
      encodeSafetensors(
        new Map([
          ['a', a],
          ['b', b],
        ]),
      ),
    ).toEqual(
      encodeSafetensors(
        new Map([
          ['b', b],
          ['a', a],
        ]),
      ),
    );
  });

  it('refuses a wrong length, a wrong array and a value beyond the dtype', () => {
    expect(() => encodeSafetensors(new Map([['w', { shape: [3], data: new Float32Array(2) }]]))).toThrow(
      /2 values, shape \[3\] needs 3/,
    );
    expect(() => encodeSafetensors(new Map([['w', { shape: [1], data: new Float64Array(1) }]]))).toThrow(
      /Float64Array cannot be stored as F32/,
    );
    expect(() =>
      encodeSafetensors(new Map([['w', { dtype: 'F16', shape: [1], data: Float32Array.of(1e6) }]])),
    ).toThrow(/does not fit F16/);
  });
});

describe('saveSafetensors', () => {
  it('leaves one whole file and nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'safetensors-'));
    try {
      const path = join(folder, 'deep', 'w.safetensors');
      saveSafetensors(path, new Map([['w', { shape: [2], data: Float32Array.of(1, 2) }]]));
      saveSafetensors(path, new Map([['w', { shape: [2], data: Float32Array.of(3, 4) }]]));
      expect(loadSafetensors(path).tensors.get('w')?.data).toEqual(Float32Array.of(3, 4));
      expect(readdirSync(join(folder, 'deep'))).toEqual(['w.safetensors']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('loadSafetensors', () => {
  const golden = goldenFolder('tiny-llama');
  it('reads files written by the reference implementation', () => {
    const { tensors } = loadSafetensors(join(golden, 'model.safetensors'));
    expect(tensors.get('model.embed_tokens.weight')?.shape).toEqual([96, 32]);
    expect(tensors.get('model.layers.1.mlp.down_proj.weight')?.shape).toEqual([32, 80]);
    for (const { data } of tensors.values()) expect((data as Float32Array).every(Number.isFinite)).toBe(true);
    for (const name of ['after_adamw', 'gradients_nll', 'gradients_clipped_surrogate']) {
      expect(loadSafetensors(join(golden, `${name}.safetensors`)).tensors.size).toBe(tensors.size);
    }
  });
});

describe('files larger than any buffer', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'large-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const gibibyte = 2 ** 30;

  /** A sparse file: one large tensor of zeros, then two numbers. */
  const sparseFile = (largeBytes: number): string => {
    const path = join(folder, 'sparse.safetensors');
    const last = Buffer.from(Float32Array.of(1.5, -2).buffer);
    const header = Buffer.from(
      `{"large":${entry([largeBytes], [0, largeBytes], 'U8')},"last":${entry([2], [largeBytes, largeBytes + 8])}}`,
    );
    const start = Buffer.alloc(8);
    start.writeBigUInt64LE(BigInt(header.length));
    writeFileSync(path, Buffer.concat([start, header]));
    truncateSync(path, 8 + header.length + largeBytes);
    writeFileSync(path, last, { flag: 'a' });
    return path;
  };

  it.each([2, 5])('reads a tensor behind the first %i GiB of a file', (size) => {
    const file = openSafetensors(sparseFile(size * gibibyte));
    try {
      expect(file.entries.get('large')?.shape).toEqual([size * gibibyte]);
      expect(file.read(file.entries.get('last')!).data).toEqual(Float32Array.of(1.5, -2));
    } finally {
      file.close();
    }
  });

  it('reads a tensor of more than 2 GiB', () => {
    const { tensors } = loadSafetensors(sparseFile(2 * gibibyte + 8));
    expect(tensors.get('large')?.data.length).toBe(2 * gibibyte + 8);
    expect(tensors.get('last')?.data).toEqual(Float32Array.of(1.5, -2));
  });

  it('names a file that became shorter while it was read', () => {
    const path = sparseFile(1 << 20);
    const file = openSafetensors(path);
    truncateSync(path, 1 << 19);
    expect(() => file.read(file.entries.get('last')!)).toThrow(/became shorter while it was read/);
    file.close();
  });
});
