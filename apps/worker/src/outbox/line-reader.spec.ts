import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLineReader } from './line-reader.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-lines-'));
  path = join(folder, 'lines');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('createLineReader', () => {
  it('returns a line once its newline is there, numbered from 1', () => {
    const reader = createLineReader(path);
    expect(reader.read(10, 1000)).toEqual([]);
    appendFileSync(path, 'a\nb');
    expect(reader.read(10, 1000)).toEqual([{ sequence: 1, text: 'a' }]);
    expect(reader.read(10, 1000)).toEqual([]);
    appendFileSync(path, 'c\n\nd\n');
    expect(reader.read(10, 1000).map(({ text }) => text)).toEqual(['bc', '', 'd']);
    expect(reader.position).toBe(4);
  });

  it('seeks to any line, also backwards', () => {
    appendFileSync(path, 'a\nb\nc\nd\n');
    const reader = createLineReader(path);
    reader.seek(2);
    expect(reader.read(1, 1000)).toEqual([{ sequence: 3, text: 'c' }]);
    reader.seek(1);
    expect(reader.read(9, 1000).map(({ sequence, text }) => `${sequence}${text}`)).toEqual([
      '2b',
      '3c',
      '4d',
    ]);
  });

  it('limits a batch by count and by size, with at least one line', () => {
    appendFileSync(path, `${'x'.repeat(500)}\n`.repeat(5));
    const reader = createLineReader(path);
    expect(reader.read(2, 1e6)).toHaveLength(2);
    expect(reader.read(9, 10)).toHaveLength(1);
    expect(reader.read(9, 600)).toHaveLength(2);
  });

  it('decodes multi-byte characters across chunks', () => {
    const line = 'ä€😀'.repeat(60_000);
    appendFileSync(path, `${line}\n${line}\n`);
    const reader = createLineReader(path);
    expect(reader.read(9, 1e9).map(({ text }) => text)).toEqual([line, line]);
  });

  it('truncates an overlong line and returns the complete lines after it, from any position', () => {
    appendFileSync(path, `${'x'.repeat(3_000_000)}\nnext\n`);
    const reader = createLineReader(path);
    const [long, next] = reader.read(9, 1e9);
    expect(long?.text).toBe('x'.repeat(1024 * 1024));
    expect(next).toEqual({ sequence: 2, text: 'next' });
    reader.seek(1);
    expect(reader.read(9, 1e9)).toEqual([{ sequence: 2, text: 'next' }]);
  });

  it('does not return the remainder of an overlong line as a line when the file grows meanwhile', () => {
    const reader = createLineReader(path);
    appendFileSync(path, 'x'.repeat(2_000_000));
    expect(reader.read(9, 1e9)).toEqual([]);
    appendFileSync(path, 'yyy');
    expect(reader.read(9, 1e9)).toEqual([]);
    appendFileSync(path, 'zzz\nnext\n');
    expect(reader.read(9, 1e9).map(({ text }) => text.length)).toEqual([1024 * 1024, 4]);
  });
});
