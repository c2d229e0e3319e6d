/** @file The cache that is shared with other tools: what it may hold already, and where it cannot be written. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubServer, startHubServer } from '../../../test/support/hub-server.js';
import { downloadDescription, downloadModel, type DownloadOptions, readHubSettings } from './index.js';

let root: string;
let hub: HubServer;
const weights = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7) % 251));
const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-hub-cache-'));
  const source = join(root, 'source');
  mkdirSync(source);
  for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json'])
    writeFileSync(join(source, name), JSON.stringify({ name }));
  writeFileSync(join(source, 'model.safetensors'), weights);
  hub = await startHubServer(source);
});
afterEach(async () => {
  await hub.close();
  rmSync(root, { recursive: true });
});

const repository = (): string => join(root, 'cache/models--owner--tiny');
const blob = (name: string): string => join(repository(), 'blobs', name);
const options = (env: Record<string, string> = {}): DownloadOptions => ({
  settings: readHubSettings({
    HF_ENDPOINT: hub.url,
    HF_HUB_CACHE: join(root, 'cache'),
    HF_HOME: root,
    ...env,
  }),
  retries: { tries: 3, delayMs: 5, maxDelayMs: 2500, idleMs: 300 },
});
const download = (revision = 'main', env: Record<string, string> = {}) =>
  downloadModel({ hub: 'owner/tiny', revision }, options(env));
/** sha256 of the weights, as the hub names them */
const weightsHash = async (): Promise<string> => {
  await download();
  const name = readdirSync(join(repository(), 'blobs')).find((entry) => entry.length === 64) ?? '';
  rmSync(repository(), { recursive: true });
  mkdirSync(join(repository(), 'blobs'), { recursive: true });
  return name;
};

describe('the cache', () => {
  it('leaves the part alone that a Python process is writing', async () => {
    const pythonPart = `${await weightsHash()}.incomplete`;
    writeFileSync(blob(pythonPart), 'half of it');
    const { folder } = await download();
    expect(readFileSync(join(folder, 'model.safetensors'))).toEqual(weights);
    expect(readFileSync(blob(pythonPart), 'utf8')).toBe('half of it');
  });

  it('holds revisions whose names are paths', async () => {
    await download('refs/pr/1');
    expect(readFileSync(join(repository(), 'refs/refs/pr/1'), 'utf8')).toBe(hub.commit);
    for (const revision of ['v2', 'refs/pr'])
      await expect(download(revision, { HF_HUB_OFFLINE: '1' })).rejects.toMatchObject({
        code: 'hub.offline',
        details: { cached: [`${hub.commit} (refs/pr/1)`] },
      });
  });

  it('takes a file without contents', async () => {
    hub.files.set('merges.txt', Buffer.alloc(0));
    const { folder } = await download();
    expect(readFileSync(join(folder, 'merges.txt'))).toHaveLength(0);
    expect(existsSync(blob(emptyBlob))).toBe(true);
  });

  it.each([
    ['a folder below a file', (): string => join(root, 'source/config.json/cache')],
    ['a file system that takes no folders', (): string => '/proc/espalier/cache'],
  ])('is refused where it is %s', async (_what, cache) => {
    await expect(download('main', { HF_HUB_CACHE: cache() })).rejects.toMatchObject({
      code: 'hub.unusable_cache',
      message: expect.stringMatching(/cannot be read or written .*; set HF_HUB_CACHE/) as string,
    });
  });

  it('says so when its disk is full', async () => {
    symlinkSync('/dev/full', blob(`${await weightsHash()}.espalier.incomplete`));
    await expect(download()).rejects.toMatchObject({
      code: 'model.disk_full',
      message: expect.stringContaining('is full; free space, or set HF_HUB_CACHE') as string,
    });
    expect(existsSync(join(repository(), 'snapshots', hub.commit, 'model.safetensors'))).toBe(false);
  });

  it('is used where only the name of a branch cannot be recorded', async () => {
    await download(hub.commit);
    writeFileSync(join(repository(), 'refs'), 'a file in the place of a folder');
    const notes: string[] = [];
    const found = await downloadModel(
      { hub: 'owner/tiny', revision: 'main' },
      { ...options(), onNote: (note) => notes.push(note) },
    );
    expect(found.commit).toBe(hub.commit);
    expect(notes).toEqual([expect.stringContaining(`cannot record that main is ${hub.commit}`)]);
  });
});

describe('a list of the hub', () => {
  it.each([
    ['info', { breakAfter: 5 }],
    ['tree', { breakAfter: 50 }],
    ['info', { stallAfter: 5 }],
    ['tree', { stallAfter: 50 }],
  ])('is asked for again when %s ends with %j', async (route, fault) => {
    let faults = 0;
    hub.fault = (request) => (request.route === route && faults++ === 0 ? fault : undefined);
    await download();
    expect(hub.requests.filter((request) => request.route === route)).toHaveLength(2);
  });

  it.each(['info', 'tree'])('is refused where %s is not JSON', async (route) => {
    hub.fault = (request) => (request.route === route ? { corrupt: true } : undefined);
    await expect(download()).rejects.toMatchObject({
      code: 'hub.unavailable',
      message: expect.stringContaining('the answer is not that of a hub; check HF_ENDPOINT') as string,
    });
  });
});

describe('shards', () => {
  beforeEach(() => {
    hub.files.delete('model.safetensors');
    const index = { weight_map: { a: '1.safetensors', b: '2.safetensors' } };
    hub.files.set('model.safetensors.index.json', Buffer.from(JSON.stringify(index)));
    hub.files.set('1.safetensors', weights);
  });

  it('that are missing are known once the index is here', async () => {
    await expect(download()).rejects.toMatchObject({ code: 'hub.unsupported_repository' });
    const paths = hub.requests.flatMap(({ path }) => (path === '' ? [] : path));
    expect(new Set(paths)).toEqual(new Set(['model.safetensors.index.json']));
  });
});

describe('downloadDescription', () => {
  const main = { hub: 'owner/tiny', revision: 'main' };
  /** Gives the weights a header. @returns the header with its length, and the bytes of the file */
  function addHead(): { readonly head: Uint8Array; readonly bytes: number } {
    const header = Buffer.from(JSON.stringify({ w: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    const head = Buffer.concat([length, header]);
    hub.files.set('model.safetensors', Buffer.concat([head, weights]));
    return { head: new Uint8Array(head), bytes: head.length + weights.length };
  }

  it('takes the small files and what the weights begin with', async () => {
    const { head, bytes } = addHead();
    const described = await downloadDescription(main, options());
    expect(described.weights).toEqual([{ name: 'model.safetensors', bytes, head }]);
    expect(readdirSync(described.folder)).not.toContain('model.safetensors');
    expect(hub.requests.filter(({ route, range }) => route === 'storage' && range === undefined)).toEqual([]);
    await download();
    expect((await downloadDescription(main, options())).weights).toBe(undefined);
  });

  it('takes no more of a server that sends whole files in place of ranges', async () => {
    const { head } = addHead();
    hub.fault = ({ route, range }) =>
      route === 'storage' && range !== 'bytes=0-0' ? { ignoresRange: true } : undefined;
    const { weights: found } = await downloadDescription(main, options());
    expect(found?.map((one) => one.head)).toEqual([head]);
  });

  it('waits before it asks again for a header that broke off', async () => {
    const { head } = addHead();
    const times: number[] = [];
    hub.fault = ({ route, range }) => {
      if (route !== 'storage' || range !== 'bytes=0-7') return undefined;
      times.push(performance.now());
      return times.length < 3 ? { breakAfter: 4 } : undefined;
    };
    const retries = { tries: 3, delayMs: 200, maxDelayMs: 2500, idleMs: 5000 };
    const { weights: found } = await downloadDescription(main, { ...options(), retries });
    expect(found?.map((one) => one.head)).toEqual([head]);
    expect(times[1]! - times[0]!).toBeGreaterThan(190);
    expect(times[2]! - times[1]!).toBeGreaterThan(390);
  });

  it('leaves a branch the commit whose weights are here', async () => {
    const { commit } = await download();
    hub.commit = 'd'.repeat(40);
    expect((await downloadDescription(main, options())).commit).toBe(hub.commit);
    expect((await download('main', { HF_HUB_OFFLINE: '1' })).commit).toBe(commit);
  });
});
