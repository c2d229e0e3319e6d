import { appendFileSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openParts, type Part } from './kept-parts.js';

const fileOf = (): string => join(mkdtempSync(join(tmpdir(), 'espalier-parts-')), 'kept.jsonl');
const plan = { split: 'validation', models: [['a', ['hash']]] };
const part: Part = { entry: 'a', column: 'lake', from: 0, outcomes: [], failed: 2, error: 'late' };

describe('openParts', () => {
  it('finds what an earlier process kept', () => {
    const path = fileOf();
    const first = openParts(path, plan);
    first.add(part);
    first.close();
    const second = openParts(path, plan);
    expect(second.find('a', 'lake', 0)).toEqual(part);
    expect(second.find('a', 'lake', 64)).toBeUndefined();
    second.close();
  });

  it('forgets a line that a kill cut off, and goes on behind it', () => {
    const path = fileOf();
    const first = openParts(path, plan);
    first.add(part);
    first.close();
    appendFileSync(
      path,
      readFileSync(path, 'utf8').split('\n')[1]?.replace('"from":0', '"from":64').slice(0, 60) ?? '',
    );
    const second = openParts(path, plan);
    expect(second.find('a', 'lake', 64)).toBeUndefined();
    second.add({ ...part, from: 128 });
    second.close();
    const third = openParts(path, plan);
    expect([0, 64, 128].map((from) => third.find('a', 'lake', from)?.from)).toEqual([0, undefined, 128]);
    third.close();
  });

  it('plays a damaged part again', () => {
    const path = fileOf();
    const first = openParts(path, plan);
    first.add(part);
    first.close();
    writeFileSync(path, readFileSync(path, 'utf8').replace('"failed":2', '"failed":0'));
    const second = openParts(path, plan);
    expect(second.find('a', 'lake', 0)).toBeUndefined();
    second.close();
  });

  it.each([0, 9, 40])('begins anew where a kill left %i bytes of the first line', (bytes) => {
    const path = fileOf();
    openParts(path, plan).close();
    truncateSync(path, bytes);
    const second = openParts(path, plan);
    second.add(part);
    second.close();
    const third = openParts(path, plan);
    expect(third.find('a', 'lake', 0)).toEqual(part);
    third.close();
  });

  it.each(['notes', '{"kind":"part"'])(
    'refuses %j without the end of a line, and leaves it as it is',
    (text) => {
      const path = fileOf();
      writeFileSync(path, text);
      expect(() => openParts(path, plan)).toThrow(
        expect.objectContaining({
          code: 'cli.usage',
          message: expect.stringContaining('not a file of an evaluation'),
        }),
      );
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it('refuses the file of another evaluation, of none, and one in use', () => {
    const path = fileOf();
    const first = openParts(path, plan);
    expect(() => openParts(path, plan)).toThrow(
      expect.objectContaining({
        code: 'cli.unusable_folder',
        message: expect.stringContaining('is using it'),
      }),
    );
    first.close();
    expect(() => openParts(path, { ...plan, models: [['a', ['other']]] })).toThrow(
      expect.objectContaining({
        code: 'cli.usage',
        message: expect.stringContaining('begun with other models'),
      }),
    );
    writeFileSync(path, 'notes\n');
    expect(() => openParts(path, plan)).toThrow(
      expect.objectContaining({
        code: 'cli.usage',
        message: expect.stringContaining('not a file of an evaluation'),
      }),
    );
  });
});
