import { link, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { testArtifactStore } from '../../../testing/artifact-store.suite.js';
import { DirectoryArtifactStore } from './directory-artifact-store.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-artifacts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const put = (store: DirectoryArtifactStore, key: string, content: string) =>
  store.put(key, Readable.from([Buffer.from(content)]));

describe('the artifact store in a folder', () => {
  testArtifactStore(() =>
    Promise.resolve({
      store: new DirectoryArtifactStore(join(folder, 'suite')),
      damage: (key) => {
        const path = join(folder, 'suite', 'objects', key);
        const bytes = readFileSync(path);
        bytes[0] = (bytes[0] ?? 0) ^ 1;
        writeFileSync(path, bytes);
        return Promise.resolve();
      },
      leftovers: () => readdir(join(folder, 'suite', 'incoming')),
      stop: () => Promise.resolve(),
    }),
  );

  it('keeps a failure that comes before anybody listens, and tells whoever reads', async () => {
    class FailingStore extends DirectoryArtifactStore {
      protected override read() {
        const source = new Readable({ read: () => undefined });
        setImmediate(() => source.destroy(new Error('EIO')));
        return Promise.resolve({ source, stored: { bytes: 1, sha256: '0'.repeat(64) } });
      }
    }
    const stream = await new FailingStore(join(folder, 'failing')).open('a/b');
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(stream.destroyed).toBe(true);
    await expect(text(stream)).rejects.toMatchObject({
      code: 'artifact.unavailable',
      message: expect.stringContaining('EIO') as string,
    });
  });

  it('makes a missing hash anew, as after a crash between bytes and hash', async () => {
    const store = new DirectoryArtifactStore(join(folder, 'crash'));
    const { sha256 } = await put(store, 'a/b', 'content');
    await rm(join(folder, 'crash', 'hashes', 'a', 'b'));
    expect(await store.stat('a/b')).toMatchObject({ sha256 });
    expect(await text(await store.open('a/b'))).toBe('content');
  });

  it('makes a hash anew that a power cut left empty', async () => {
    const store = new DirectoryArtifactStore(join(folder, 'cut'));
    const { sha256 } = await put(store, 'a/b', 'content');
    await writeFile(join(folder, 'cut', 'hashes', 'a', 'b'), '');
    expect(await store.stat('a/b')).toMatchObject({ sha256 });
    expect(await text(await store.open('a/b'))).toBe('content');
  });

  it('stores again in a folder that it has removed meanwhile', async () => {
    const store = new DirectoryArtifactStore(join(folder, 'again'));
    for (const content of ['one', 'two']) {
      await put(store, 'runs/r/a', content);
      await put(store, 'runs/r/b', content);
      expect(await text(await store.open('runs/r/a'))).toBe(content);
      expect(await store.remove('runs/r')).toBe(2);
      expect(await readdir(join(folder, 'again', 'objects'))).toEqual([]);
    }
  });

  it('deletes uploads that a crash left, but not those of today', async () => {
    const incoming = join(folder, 'stale', 'incoming');
    await mkdir(incoming, { recursive: true });
    for (const name of ['old', 'new']) await writeFile(join(incoming, name), 'half');
    await utimes(join(incoming, 'old'), new Date(0), new Date(0));
    await new DirectoryArtifactStore(join(folder, 'stale')).check();
    expect(await readdir(incoming)).toEqual(['new']);
  });

  it('never overwrites what another server stored meanwhile', async () => {
    const store = new DirectoryArtifactStore(join(folder, 'two'));
    await put(store, 'x/a', 'mine');
    await link(join(folder, 'two', 'objects', 'x', 'a'), join(folder, 'two', 'objects', 'x', 'b'));
    await expect(put(store, 'x/b', 'other')).rejects.toMatchObject({ code: 'artifact.conflict' });
    expect(await text(await store.open('x/b'))).toBe('mine');
  });

  it('lets one of two different uploads win, whole', async () => {
    const [a, b] = [1, 2].map(() => new DirectoryArtifactStore(join(folder, 'race')));
    if (a === undefined || b === undefined) throw new Error('two stores');
    for (let round = 0; round < 20; round++) {
      const key = `k/${round}`;
      const contents = ['a'.repeat(5000), 'b'.repeat(5000)] as const;
      const ends = await Promise.allSettled([put(a, key, contents[0]), put(b, key, contents[1])]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const winner = ends.findIndex(({ status }) => status === 'fulfilled');
      expect(await text(await a.open(key))).toBe(contents[winner]);
    }
  });

  it('refuses a key below another key and above one', async () => {
    const store = new DirectoryArtifactStore(join(folder, 'tree'));
    await put(store, 'a/b', 'content');
    for (const key of ['a', 'a/b/c'])
      await expect(put(store, key, 'x')).rejects.toMatchObject({ code: 'artifact.conflict' });
    expect(await readdir(join(folder, 'tree', 'incoming'))).toEqual([]);
  });

  it('says when its folder cannot be used', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = new DirectoryArtifactStore(join(folder, 'file'));
    await expect(store.check()).rejects.toMatchObject({ code: 'artifact.unavailable' });
    await expect(put(store, 'a', 'x')).rejects.toMatchObject({ code: 'artifact.unavailable' });
  });
});
