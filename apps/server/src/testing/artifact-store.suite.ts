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
  const put = (key: string, content: string | Buffer, announced = {}) => {
    const bytes = Buffer.from(content);
    const sha256 = sha256Of(bytes);
    return store.put(`${run}/${key}`, Readable.from([bytes]), { sha256, ...announced });
  };
  const describeContent = (content: string | Buffer) => {
    const bytes = Buffer.from(content);
    return { bytes: bytes.length, sha256: sha256Of(bytes) };
  };
  /** Reads what must be the content. */
  const read = async (key: string, content: string | Buffer) =>
    await buffer(await store.open(`${run}/${key}`, describeContent(content)));

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

  it('gives back what was put', async () => {
    const content = Buffer.from('forty-two\n');
    expect(await store.has(`${run}/deep/er/a.txt`)).toBe(false);
    expect(await put('deep/er/a.txt', content)).toBe(10);
    expect(await read('deep/er/a.txt', content)).toEqual(content);
    expect(await store.has(`${run}/deep/er/a.txt`)).toBe(true);
    expect(await store.has(`${run}/deep/er`)).toBe(false);
  });

  it('stores empty content and names with spaces and signs', async () => {
    expect(await put('empty', '')).toBe(0);
    expect(await read('empty', '')).toHaveLength(0);
    await put('Trial 1/_a+b=c@d -.e.json', 'x');
    expect(await store.list(run)).toEqual([`${run}/Trial 1/_a+b=c@d -.e.json`, `${run}/empty`]);
    expect((await read('Trial 1/_a+b=c@d -.e.json', 'x')).toString()).toBe('x');
  });

  it.each([true, false])('stores 20 MiB in odd pieces (size announced: %s)', async (announced) => {
    const content = randomBytes(20 * 1024 * 1024 + 3);
    const pieces = function* () {
      for (let at = 0; at < content.length; at += 700_001) yield content.subarray(at, at + 700_001);
    };
    const { bytes, sha256 } = describeContent(content);
    const expected = announced ? { bytes, sha256 } : { sha256 };
    expect(await store.put(`${run}/big`, Readable.from(pieces()), expected)).toBe(bytes);
    expect((await read('big', content)).equals(content)).toBe(true);
  });

  it('accepts the same content again', async () => {
    expect(await put('a', 'one')).toBe(3);
    expect(await put('a', 'one', { bytes: 3 })).toBe(3);
    expect((await read('a', 'one')).toString()).toBe('one');
  });

  it.each([
    ['little', 'one', { sha256: 'ab'.repeat(32) }],
    ['size', 'one', { bytes: 4 }],
    ['much', Buffer.alloc(18 * 1024 * 1024), { sha256: 'ab'.repeat(32) }],
  ])('stores nothing that is not what was announced (%s)', async (_what, content, announced) => {
    await expect(put('a', content, announced)).rejects.toMatchObject({ code: 'artifact.mismatch' });
    expect(await store.list(run)).toEqual([]);
    expect(await subject.leftovers()).toEqual([]);
  });

  it.each([
    ['little', 1000],
    ['much', 18 * 1024 * 1024],
  ])('stores nothing of an upload that breaks off after %s', async (_what, bytes) => {
    const pieces = function* () {
      for (let sent = 0; sent < bytes; sent += 500_000) yield Buffer.alloc(Math.min(500_000, bytes - sent));
      throw new Error('connection reset');
    };
    const upload = store.put(`${run}/a`, Readable.from(pieces()), describeContent(Buffer.alloc(bytes)));
    await expect(upload).rejects.toMatchObject({ code: 'artifact.interrupted' });
    expect(await store.list(run)).toEqual([]);
    expect(await subject.leftovers()).toEqual([]);
  });

  it('settles two uploads of one key at once', async () => {
    const content = 'x'.repeat(1000);
    const [a, b] = await Promise.allSettled([put('same', content), put('same', content)]);
    expect([a.status, b.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await read('same', content)).toHaveLength(1000);
  });

  it('reports that nothing is there', async () => {
    await expect(read('a', '')).rejects.toMatchObject({ name: 'AppError', code: 'artifact.not_found' });
    expect(await store.list(run)).toEqual([]);
    await store.remove(run);
  });

  it('notices on reading that the stored bytes have changed', async () => {
    await put('a', 'important');
    await subject.damage(`${run}/a`);
    await expect(read('a', 'important')).rejects.toMatchObject({ code: 'artifact.corrupt' });
  });

  it('begins a range at its first byte and ends it at its last', async () => {
    const content = randomBytes(6 * 1024 * 1024);
    await put('big', content);
    const stored = describeContent(content);
    const end = content.length - 1;
    const before = bytesRead();
    for (const [start, last] of [
      [end - 1000, end],
      [end, end],
      [5_000_000, 5_000_009],
    ] as const) {
      const part = await buffer(await store.open(`${run}/big`, stored, { start, end: last }));
      expect(part.equals(content.subarray(start, last + 1))).toBe(true);
    }
    expect(bytesRead() - before).toBeLessThan(content.length / 4);
    expect((await buffer(await store.open(`${run}/big`, stored, { start: 0, end }))).equals(content)).toBe(
      true,
    );
  });

  it('notices a range that the stored bytes do not have any more', async () => {
    await put('short', 'abcdef');
    const past = store.open(`${run}/short`, describeContent('abcdefghij'), { start: 4, end: 9 });
    await expect(past.then((stream) => buffer(stream))).rejects.toMatchObject({ code: 'artifact.corrupt' });
  });

  it('lists and removes at or below a key, not beside it', async () => {
    for (const key of ['step-1/a', 'step-1/b/c', 'step-10/a', 'step-1.txt']) await put(key, key);
    const keys = async (prefix: string) => (await store.list(prefix)).map((key) => key.slice(run.length + 1));
    expect(await keys(`${run}/step-1`)).toEqual(['step-1/a', 'step-1/b/c']);
    expect(await keys(`${run}/step-1/a`)).toEqual(['step-1/a']);
    await store.remove(`${run}/step-1`);
    expect(await keys(run)).toEqual(['step-1.txt', 'step-10/a']);
    await store.remove(`${run}/step-1.txt`);
    await put('step-1/a', 'stored again');
    expect(await keys(run)).toEqual(['step-1/a', 'step-10/a']);
    expect((await store.list('')).length).toBeGreaterThanOrEqual(2);
    await expect(store.remove('')).rejects.toMatchObject({ code: 'artifact.invalid_path' });
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
        () => store.put(key, Readable.from([]), describeContent('')),
        () => store.open(key, describeContent('')),
        () => store.has(key),
        () => store.remove(key),
        ...(key === '' ? [] : [() => store.list(key)]),
      ])
        await expect(call()).rejects.toMatchObject({ code: 'artifact.invalid_path' });
    });
  });

  it('is found usable', async () => {
    await store.check();
  });
}
