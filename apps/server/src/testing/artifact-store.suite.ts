/** @file What every artifact store must do; run by each driver's spec. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../core/artifacts/store/artifact-store.js';

/** One driver with what it writes to. */
export interface ArtifactStoreSubject {
  readonly store: ArtifactStore;
  /** Changes one byte of what is stored under a key, behind the driver's back. */
  damage(key: string): Promise<void>;
  /** Names of everything that is neither an artifact nor needed for one. */
  leftovers(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Bytes this process has read from files and sockets, where the system tells. */
function bytesRead(): number {
  const counters = existsSync('/proc/self/io') ? readFileSync('/proc/self/io', 'utf8') : '';
  return Number(/^rchar: (\d+)$/m.exec(counters)?.[1] ?? 0);
}

export const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Describes an artifact store. */
export function testArtifactStore(begin: () => Promise<ArtifactStoreSubject>): void {
  let subject: ArtifactStoreSubject;
  let store: ArtifactStore;
  let run: string;
  const put = (key: string, content: string | Buffer, expected = {}) =>
    store.put(`${run}/${key}`, Readable.from([Buffer.from(content)]), expected);
  const read = async (key: string) => await buffer(await store.open(`${run}/${key}`));

  beforeAll(async () => {
    subject = await begin();
    ({ store } = subject);
  });
  beforeEach(() => {
    run = `runs/${randomUUID()}`;
  });
  afterAll(async () => {
    await store.close();
    await subject.stop();
  });

  it('gives back what was put, with its hash', async () => {
    const content = Buffer.from('forty-two\n');
    const stored = { bytes: 10, sha256: sha256Of(content) };
    expect(await put('deep/er/a.txt', content)).toEqual(stored);
    expect(await read('deep/er/a.txt')).toEqual(content);
    expect(await store.stat(`${run}/deep/er/a.txt`)).toEqual({ key: `${run}/deep/er/a.txt`, ...stored });
  });

  it('keeps empty content and names with spaces and signs', async () => {
    expect(await put('leer', '')).toEqual({ bytes: 0, sha256: sha256Of(Buffer.alloc(0)) });
    expect(await read('leer')).toHaveLength(0);
    await put('Trial 1/_a+b=c@d -.e.json', 'x');
    expect((await store.list(run)).map(({ key }) => key)).toEqual([
      `${run}/Trial 1/_a+b=c@d -.e.json`,
      `${run}/leer`,
    ]);
    expect((await read('Trial 1/_a+b=c@d -.e.json')).toString()).toBe('x');
  });

  it.each([true, false])('carries 20 MiB in odd pieces (hash announced: %s)', async (announced) => {
    const content = randomBytes(20 * 1024 * 1024 + 3);
    const pieces = function* () {
      for (let at = 0; at < content.length; at += 700_001) yield content.subarray(at, at + 700_001);
    };
    const stored = { bytes: content.length, sha256: sha256Of(content) };
    const expected = announced ? stored : {};
    expect(await store.put(`${run}/big`, Readable.from(pieces()), expected)).toEqual(stored);
    expect((await read('big')).equals(content)).toBe(true);
  });

  it('accepts the same content again and refuses other content', async () => {
    const first = await put('a', 'one');
    expect(await put('a', 'one')).toEqual(first);
    expect(await put('a', 'one', first)).toEqual(first);
    await expect(put('a', 'two')).rejects.toMatchObject({ code: 'artifact.conflict' });
    await expect(put('a', 'two', { sha256: sha256Of(Buffer.from('two')) })).rejects.toMatchObject({
      code: 'artifact.conflict',
    });
    expect((await read('a')).toString()).toBe('one');
  });

  it.each([
    ['hash', { sha256: 'ab'.repeat(32) }],
    ['size', { bytes: 4 }],
    ['size beside a right hash', { bytes: 4, sha256: sha256Of(Buffer.from('one')) }],
  ])('keeps nothing whose %s is not the announced one', async (_what, expected) => {
    await expect(put('a', 'one', expected)).rejects.toMatchObject({ code: 'artifact.mismatch' });
    await expect(store.stat(`${run}/a`)).rejects.toMatchObject({ code: 'artifact.not_found' });
    expect(await subject.leftovers()).toEqual([]);
  });

  it.each([
    ['little', 1000, false],
    ['much', 18 * 1024 * 1024, false],
    ['much, announced,', 18 * 1024 * 1024, true],
  ])('keeps nothing of an upload that breaks off after %s', async (_what, bytes, announced) => {
    const pieces = function* () {
      for (let sent = 0; sent < bytes; sent += 500_000) yield Buffer.alloc(Math.min(500_000, bytes - sent));
      throw new Error('connection reset');
    };
    const expected = announced ? { sha256: sha256Of(Buffer.alloc(bytes)) } : {};
    await expect(store.put(`${run}/a`, Readable.from(pieces()), expected)).rejects.toMatchObject({
      code: 'artifact.interrupted',
    });
    expect(await store.list(run)).toEqual([]);
    expect(await subject.leftovers()).toEqual([]);
  });

  it('settles two uploads of one key at once', async () => {
    const [a, b] = await Promise.allSettled([put('same', 'x'.repeat(1000)), put('same', 'x'.repeat(1000))]);
    expect([a.status, b.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await read('same')).toHaveLength(1000);
  });

  it('says when nothing is there', async () => {
    for (const call of [() => store.stat(`${run}/a`), () => store.open(`${run}/a`)])
      await expect(call()).rejects.toMatchObject({ name: 'AppError', code: 'artifact.not_found' });
    expect(await store.list(run)).toEqual([]);
    expect(await store.remove(run)).toBe(0);
  });

  it('notices on reading that the stored bytes have changed', async () => {
    await put('a', 'important');
    await subject.damage(`${run}/a`);
    await expect(read('a')).rejects.toMatchObject({ code: 'artifact.corrupt' });
  });

  it('begins a range at its first byte and ends it at its last', async () => {
    const content = randomBytes(6 * 1024 * 1024);
    await put('big', content);
    const end = content.length - 1;
    const before = bytesRead();
    for (const [start, last] of [
      [end - 1000, end],
      [end, end],
      [5_000_000, 5_000_009],
    ] as const) {
      const part = await buffer(await store.open(`${run}/big`, { start, end: last }));
      expect(part.equals(content.subarray(start, last + 1))).toBe(true);
    }
    expect(bytesRead() - before).toBeLessThan(content.length / 4);
    expect((await buffer(await store.open(`${run}/big`, { start: 0, end }))).equals(content)).toBe(true);
  });

  it('notices a range that the stored bytes do not have any more', async () => {
    await put('short', 'abcdef');
    const past = store.open(`${run}/short`, { start: 4, end: 9 });
    await expect(past.then((stream) => buffer(stream))).rejects.toMatchObject({ code: 'artifact.corrupt' });
  });

  it('lists and removes at or below a key, not beside it', async () => {
    for (const key of ['step-1/a', 'step-1/b/c', 'step-10/a', 'step-1.txt']) await put(key, key);
    const keys = async (prefix: string) =>
      (await store.list(prefix)).map(({ key }) => key.slice(run.length + 1));
    expect(await keys(`${run}/step-1`)).toEqual(['step-1/a', 'step-1/b/c']);
    expect(await keys(`${run}/step-1/a`)).toEqual(['step-1/a']);
    expect(await store.remove(`${run}/step-1`)).toBe(2);
    expect(await keys(run)).toEqual(['step-1.txt', 'step-10/a']);
    expect(await store.remove(`${run}/step-1.txt`)).toBe(1);
    await put('step-1/a', 'other content after removal');
    expect(await keys(run)).toEqual(['step-1/a', 'step-10/a']);
    expect((await store.list('')).length).toBeGreaterThanOrEqual(2);
    await expect(store.remove('')).rejects.toMatchObject({ code: 'artifact.invalid_key' });
  });

  describe('keys', () => {
    const bad = [
      '',
      '/etc/passwd',
      'a/../../b',
      '..',
      '.',
      'a//b',
      'a/',
      'a\\b',
      'a\u0000b',
      'a\nb',
      'x'.repeat(201),
      'a/'.repeat(500) + 'a',
      'a\ud800',
    ];

    it.each(bad)('such as %j are refused by every method', async (key) => {
      for (const call of [
        () => store.put(key, Readable.from([])),
        () => store.open(key),
        () => store.stat(key),
        () => store.remove(key),
        ...(key === '' ? [] : [() => store.list(key)]),
      ])
        await expect(call()).rejects.toMatchObject({ code: 'artifact.invalid_key' });
    });
  });

  it('is found usable', async () => {
    await store.check();
  });
}
