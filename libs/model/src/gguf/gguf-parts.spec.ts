import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeGguf, type TypedValue } from './encode-gguf.js';
import { openGguf } from './gguf-file.js';
import { openGgufModel } from './gguf-model.js';
import { openGgufParts } from './gguf-parts.js';
import { importGguf } from './import-gguf.js';

let folder = '';
const at = (name: string): string => join(folder, name);
const part = (number: number, of = 3, stem = 'tiny'): string => at(`${stem}-0000${number}-of-0000${of}.gguf`);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gguf-'));
  for (const name of readdirSync(goldenFolder('gguf')))
    if (/^(tiny|bare)/.test(name)) cpSync(join(goldenFolder('gguf'), name), at(name));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a part with metadata of its own and the tensors of one of the golden parts, whose numbers are zero. */
function writePart(
  path: string,
  metadata: Readonly<Record<string, number | string>>,
  from: string,
  isKept: (name: string) => boolean = () => true,
): void {
  const file = openGguf(from);
  file.close();
  const typed = Object.entries(metadata).map(([key, value]): [string, TypedValue] => [
    key,
    typeof value === 'number' ? ['uint32', value] : ['string', value],
  ]);
  const tensors = [...file.tensors.values()]
    .filter(({ name }) => isKept(name))
    .map(({ name, shape, type, begin, end }) => ({
      name,
      shape,
      type: [type.name === 'F32' ? 0 : 2, type] as const,
      pieces: () => [new Uint8Array(end - begin)],
    }));
  const { pieces } = encodeGguf(new Map(typed), tensors);
  writeFileSync(path, Buffer.concat([...pieces]));
}

const keys = { 'split.no': 1, 'split.count': 3, 'split.tensors.count': 20 };

const refused = (sentence: string | RegExp) =>
  expect.objectContaining({
    code: 'model.malformed_gguf',
    message: expect.stringMatching(sentence) as string,
  }) as Error;

describe('a GGUF model in parts', () => {
  it.each([
    ['tiny', 3],
    ['bare', 2],
  ])('%s, as the package gguf writes it, becomes the folder of the whole file', async (stem, count) => {
    const progress: number[] = [];
    await importGguf(at('tiny.gguf'), at('whole'), { dtype: 'float32' });
    await importGguf(part(1, count, stem), at('joined'), {
      dtype: 'float32',
      onProgress: (bytes, ofBytes) => progress.push(bytes / ofBytes),
    });
    expect(progress.at(-1)).toBe(1);
    expect(readdirSync(at('joined')).sort()).toEqual(readdirSync(at('whole')).sort());
    for (const name of readdirSync(at('whole')))
      expect(readFileSync(join(at('joined'), name)).equals(readFileSync(join(at('whole'), name))), name).toBe(
        true,
      );
  });

  it('opens no other file for a whole one, even if it was merged from parts', () => {
    const { tensors, close } = openGgufParts(at('tiny.gguf'));
    close();
    expect(tensors.size).toBe(20);
    writePart(at('merged.gguf'), { 'split.count': 0, 'split.tensors.count': 20 }, at('tiny.gguf'));
    const merged = openGgufParts(at('merged.gguf'));
    merged.close();
    expect(merged.tensors.size).toBe(20);
  });

  it('is named by its first part', () => {
    expect(() => openGgufParts(part(2))).toThrow(
      refused(/the file is part 2 of 3; name the first one, .*tiny-00001-of-00003\.gguf$/),
    );
  });

  it('needs the names that parts have', () => {
    renameSync(part(1), at('model.gguf'));
    expect(() => openGgufParts(at('model.gguf'))).toThrow(
      refused(
        /the file is part 1 of 3, but its name does not say so; .* downloaded: NAME-00001-of-00003\.gguf/,
      ),
    );
    // as large as a number of the file may be
    writePart(part(1), { ...keys, 'split.no': 0, 'split.count': 2 ** 32 - 1 }, part(2));
    expect(() => openGgufParts(part(1))).toThrow(refused(/part 1 of 4294967295, but its name/));
  });

  it('looks for no part behind the first that is missing', () => {
    const first = at('tiny-00001-of-99999.gguf');
    writePart(first, { ...keys, 'split.no': 0, 'split.count': 99_999 }, part(2));
    const begin = process.cpuUsage();
    expect(() => openGgufParts(first)).toThrow(refused(/part 2 of 99999 is missing, .*tiny-00002-of-99999/));
    // to look for all took 300 ms
    expect(process.cpuUsage(begin).user + process.cpuUsage(begin).system).toBeLessThan(100_000);
  });

  it.each([
    [[3], /part 3 of 3 is missing, .*tiny-00003-of-00003\.gguf; copy or download/],
    [[2, 3], /part 2 of 3 is missing, .*tiny-00002-of-00003\.gguf; copy or download/],
  ])('without the parts %j is refused, and nothing is written', async (numbers, sentence) => {
    for (const number of numbers) rmSync(part(number));
    await expect(importGguf(part(1), at('model'), { dtype: 'float32' })).rejects.toThrow(refused(sentence));
    expect(readdirSync(folder)).not.toContain('model');
  });

  it('with a part that is cut short is refused by the name of the part', () => {
    writeFileSync(part(3), readFileSync(part(3)).subarray(0, -64));
    expect(() => openGgufParts(part(1))).toThrow(
      refused(/tiny-00003-of-00003\.gguf: .*the file has \d+; it is cut short/),
    );
  });

  it('names the part that holds a tensor with NaN', async () => {
    const tensor = openGguf(part(3)).tensors.get('output_norm.weight')!;
    const bytes = readFileSync(part(3));
    bytes.writeFloatLE(NaN, tensor.begin);
    writeFileSync(part(3), bytes);
    await expect(importGguf(part(1), at('model'), { dtype: 'float32' })).rejects.toThrow(
      refused(/tiny-00003-of-00003\.gguf: tensor "output_norm\.weight" is NaN at index 0/),
    );
  });

  it.each([
    ['another place', () => cpSync(part(3), part(2)), /is part 3 of 3; by its name it is part 2 of 3/],
    ['a whole file', () => cpSync(at('tiny.gguf'), part(2)), /is part 1 of 1; by its name it is part 2 of 3/],
    [
      'another count',
      () => writePart(part(2), { ...keys, 'split.count': 4 }, part(2)),
      /is part 2 of 4; by its name it is part 2 of 3/,
    ],
    [
      'another number of tensors',
      () => writePart(part(2), { ...keys, 'split.tensors.count': 30 }, part(2)),
      /of another model than tiny-00001-of-00003\.gguf: "split\.tensors\.count" differs/,
    ],
    [
      'another architecture',
      () => writePart(part(2), { ...keys, 'general.architecture': 'qwen2' }, part(2)),
      /of another model than tiny-00001-of-00003\.gguf: "general\.architecture" differs/,
    ],
    [
      'a tensor twice',
      () => writePart(part(2), keys, part(1)),
      /tensor "token_embd\.weight" is in tiny-00001-of-00003\.gguf, too/,
    ],
    [
      'a tensor too few',
      () => writePart(part(2), keys, part(2), (name) => name !== 'blk.0.attn_norm.weight'),
      /the parts have 19 tensors together, but split\.tensors\.count is 20; copy or download all parts/,
    ],
    ['no word about its place', () => writePart(part(2), {}, part(2)), /is part 1 of 1; by its name/],
  ])('with a part that says %s is refused', (_name, change, sentence) => {
    change();
    expect(() => openGgufParts(part(1))).toThrow(refused(sentence));
  });

  it('with a part whose tensors have other shapes is refused by the name of that part', () => {
    const other = at('other.gguf');
    writePart(other, keys, part(2));
    const bytes = readFileSync(other);
    // the first extent of a vector of 32 numbers
    bytes.writeUInt32LE(16, bytes.indexOf('blk.0.attn_norm.weight') + 'blk.0.attn_norm.weight'.length + 4);
    writeFileSync(part(2), bytes);
    expect(() => openGgufModel(part(1))).toThrow(
      expect.objectContaining({
        code: 'model.unsupported_gguf',
        message: expect.stringMatching(
          /tiny-00002-of-00003\.gguf: tensor "blk\.0\.attn_norm\.weight" has the shape \[16\]/,
        ) as string,
      }) as Error,
    );
  });
});
