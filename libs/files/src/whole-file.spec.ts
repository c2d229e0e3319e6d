import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashFile, saveWholeFile, writeAll } from './whole-file.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-whole-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('saveWholeFile', () => {
  it('writes chunks one after another, and copies a file', () => {
    const path = join(folder, 'pieces');
    saveWholeFile(path, [Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(8)]);
    saveWholeFile(`${path}.copy`, { copyOf: path });
    expect([...readFileSync(`${path}.copy`)]).toEqual([1, 2, 8]);
  });

  it('keeps the old file when the new one cannot be written, and leaves nothing else', () => {
    const path = join(folder, 'kept');
    saveWholeFile(path, 'old');
    function* chunks(): Generator<Uint8Array> {
      yield Uint8Array.of(1);
      throw new Error('no more');
    }
    expect(() => saveWholeFile(path, chunks())).toThrow('no more');
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['kept'], 'old']);
  });
});

describe('writeAll', () => {
  it('writes an array of more than 2 GiB', () => {
    // pages of zeros take no memory, and this file no disk
    const file = openSync(devNull, 'w');
    const bytes = 2 * 2 ** 30 + 8;
    expect(writeAll(file, new Uint8Array(bytes))).toBe(bytes);
    closeSync(file);
  });

  it('writes an array in chunks that do not divide it', () => {
    const path = join(folder, 'chunks');
    const file = openSync(path, 'w');
    expect(writeAll(file, Uint8Array.of(1, 2, 3, 4, 5, 6, 7), 3)).toBe(7);
    closeSync(file);
    expect([...readFileSync(path)]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('hashFile', () => {
  it('hashes a file, or its first bytes', () => {
    const path = join(folder, 'hashed');
    const bytes = Buffer.alloc((1 << 20) + 5, 'abc');
    writeFileSync(path, bytes);
    const sha256 = (part: Uint8Array): string => createHash('sha256').update(part).digest('hex');
    expect(hashFile(path)).toBe(sha256(bytes));
    for (const length of [0, 1, 1 << 20, (1 << 20) + 1, bytes.length, bytes.length + 9])
      expect(hashFile(path, length)).toBe(sha256(bytes.subarray(0, length)));
  });
});
