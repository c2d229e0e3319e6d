import { link, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Of, testArtifactStore } from '../../../testing/artifact-store.suite.js';
import { DirectoryArtifactStore } from './directory-artifact-store.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-artifacts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const put = (store: DirectoryArtifactStore, key: string, content: string) =>
  store.put(key, Readable.from([Buffer.from(content)]), { sha256: sha256Of(Buffer.from(content)) });
const read = async (store: DirectoryArtifactStore, key: string, content: string) => {
  const sha256 = sha256Of(Buffer.from(content));
  return text(await store.open(key, { bytes: content.length, sha256 }));
};

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

  it('reports a failure that comes before anybody listens to whoever reads', async () => {
    class FailingStore extends DirectoryArtifactStore {
      protected override read() {
        const source = new Readable({ read: () => undefined });
        setImmediate(() => source.destroy(new Error('EIO')));
        return Promise.resolve(source);
      }
    }
    const stream = await new FailingStore(join(folder, 'failing')).open('a/b', {
      bytes: 1,
      sha256: '0'.repeat(64),
    });
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(stream.destroyed).toBe(true);
    await expect(text(stream)).rejects.toMatchObject({
      code: 'artifact.unavailable',
      message: expect.stringContaining('EIO') as string,
    });
  });

  it('stores again in a folder that it has removed meanwhile', async () => {
    const store = new DirectoryArtifactStore(join(folder, 'again'));
    for (const content of ['one', 'two']) {
      await put(store, 'runs/r/a', content);
      await put(store, 'runs/r/b', content);
      expect(await read(store, 'runs/r/a', content)).toBe(content);
      await store.remove('runs/r');
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

  it('accepts what another server has stored meanwhile', async () => {
    const store = new DirectoryArtifactStore(join(folder, 'two'));
    await put(store, 'x/a', 'content');
    await link(join(folder, 'two', 'objects', 'x', 'a'), join(folder, 'two', 'objects', 'x', 'b'));
    expect(await put(store, 'x/b', 'content')).toBe(7);
    expect(await read(store, 'x/b', 'content')).toBe('content');
    expect(await readdir(join(folder, 'two', 'incoming'))).toEqual([]);
  });

  it('reports that its folder cannot be used', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = new DirectoryArtifactStore(join(folder, 'file'));
    await expect(store.check()).rejects.toMatchObject({ code: 'artifact.unavailable' });
    await expect(put(store, 'a', 'x')).rejects.toMatchObject({ code: 'artifact.unavailable' });
  });
});
