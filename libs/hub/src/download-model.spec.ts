import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createLock } from '@espalier/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubServer, startHubServer } from '../../../test/support/hub-server.js';
import { downloadModel, type DownloadOptions, type DownloadProgress, readHubSettings } from './index.js';
import { tokenizerFileNames } from '../../model/src/tokenizer/tokenizer-folder.js';
import { optionalFiles, requiredFiles } from './needed-files.js';

let root: string;
let hub: HubServer;
const model = { hub: 'owner/tiny', revision: 'main' };
const retries = { tries: 3, delayMs: 5, maxDelayMs: 2500, idleMs: 10_000 };
const weights = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7) % 251));

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-hub-'));
  const repository = join(root, 'repository');
  mkdirSync(repository);
  const write = (name: string, content: string | Buffer): void =>
    writeFileSync(join(repository, name), content);
  for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'generation_config.json'])
    write(name, JSON.stringify({ name }));
  write('model.safetensors', weights);
  write('pytorch_model.bin', Buffer.alloc(5000));
  write('README.md', '# tiny');
  hub = await startHubServer(repository);
});
afterEach(async () => {
  await hub.close();
  rmSync(root, { recursive: true });
});

const settingsOf = (env: Record<string, string> = {}) =>
  readHubSettings({ HF_ENDPOINT: hub.url, HF_HUB_CACHE: join(root, 'cache'), HF_HOME: root, ...env });
const download = async (options: Partial<DownloadOptions> = {}, revision = 'main') =>
  downloadModel({ ...model, revision }, { settings: settingsOf(), retries, ...options });
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const repositoryFolder = (): string => join(root, 'cache/models--owner--tiny');
const blobs = (): string[] => {
  const folder = join(repositoryFolder(), 'blobs');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const snapshot = (): string => join(repositoryFolder(), 'snapshots', hub.commit);
const transfers = () =>
  hub.requests.filter(({ route, range }) => route === 'storage' && range !== 'bytes=0-0');

describe('downloadModel', () => {
  it('fills the cache in the layout of Hugging Face with what a model needs, and no pickle', async () => {
    const events: DownloadProgress[] = [];
    const { folder, commit, bytes } = await download({ onProgress: (event) => events.push(event) });
    expect([folder, commit]).toEqual([snapshot(), hub.commit]);
    expect(readdirSync(folder).sort()).toEqual([
      'config.json',
      'generation_config.json',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect(lstatSync(join(folder, 'config.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'model.safetensors'))).toEqual(weights);
    expect(readFileSync(join(repositoryFolder(), 'refs/main'), 'utf8')).toBe(hub.commit);
    expect(events.at(-1)).toMatchObject({ kind: 'download', commit, bytes, ofBytes: bytes, etaSeconds: 0 });
  });

  it('asks nothing for a commit that is cached, and only for the commit of a branch', async () => {
    await download();
    hub.requests.length = 0;
    await download({}, hub.commit);
    expect(hub.requests).toEqual([]);
    await download({}, 'main');
    await download({}, 'refs/pr/1');
    expect(hub.requests.map(({ route }) => route)).toEqual(['info', 'info']);
  });

  it('takes the shards that the index names', async () => {
    hub.files.delete('model.safetensors');
    const index = {
      weight_map: { a: 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' },
    };
    hub.files.set('model.safetensors.index.json', Buffer.from(JSON.stringify(index)));
    hub.files.set('model-00001-of-00002.safetensors', weights.subarray(0, 50_000));
    await expect(download()).rejects.toMatchObject({
      code: 'hub.unsupported_repository',
      message: expect.stringContaining('has no model-00002-of-00002.safetensors, which') as string,
    });
    hub.files.set('model-00002-of-00002.safetensors', weights.subarray(50_000));
    const { folder } = await download();
    expect(readFileSync(join(folder, 'model-00002-of-00002.safetensors'))).toEqual(weights.subarray(50_000));
  });

  it.each([
    ['model.safetensors', /has no model\.safetensors .*pytorch_model\.bin\); choose a revision/],
    ['tokenizer.json', /has no tokenizer\.json; choose a repository with the files of a fast tokenizer/],
  ])('refuses a repository without %s before it downloads anything', async (name, message) => {
    hub.files.delete(name);
    await expect(download()).rejects.toThrow(message);
    expect(hub.requests.map(({ route }) => route)).toEqual(['info', 'tree']);
  });

  it('resumes half a file', async () => {
    const cuts = [70_000, 60_000];
    hub.fault = ({ route, range }) => {
      const breakAfter = route === 'storage' && range !== 'bytes=0-0' ? cuts.shift() : undefined;
      return breakAfter === undefined ? undefined : { breakAfter };
    };
    const { folder } = await download();
    expect(readFileSync(join(folder, 'model.safetensors'))).toEqual(weights);
    expect(transfers().map(({ range }) => range)).toEqual([undefined, 'bytes=70000-', 'bytes=130000-']);
  });

  it('resumes a transfer that stalls, and gives up when nothing arrives any more', async () => {
    hub.fault = ({ route, range }) =>
      route === 'storage' && range !== 'bytes=0-0'
        ? { stallAfter: range === undefined ? 9000 : 0 }
        : undefined;
    const impatient = { retries: { ...retries, idleMs: 300 } };
    await expect(download(impatient)).rejects.toMatchObject({ code: 'hub.offline' });
    expect(
      statSync(join(repositoryFolder(), 'blobs', blobs().find((name) => name.endsWith('.incomplete')) ?? ''))
        .size,
    ).toBe(9000);
    expect(existsSync(join(snapshot(), 'model.safetensors'))).toBe(false);
    hub.fault = () => undefined;
    await download();
    expect(transfers().at(-1)?.range).toBe('bytes=9000-');
  });

  it('stops at a signal with a part to resume from and nothing under a final name', async () => {
    const stop = new AbortController();
    hub.fault = ({ route, range }) =>
      route === 'storage' && range !== 'bytes=0-0' ? { stallAfter: 30_000 } : undefined;
    const running = download({
      signal: stop.signal,
      retries: { ...retries, idleMs: 60_000 },
      onProgress: ({ file }) => void (file === 'model.safetensors' && stop.abort()),
    });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(existsSync(join(snapshot(), 'model.safetensors'))).toBe(false);
    expect(blobs().filter((name) => name.endsWith('.incomplete'))).toHaveLength(1);
    expect(readdirSync(join(root, 'cache/.locks/models--owner--tiny'))).toEqual([]);
  });

  it('rejects wrong contents twice, then leaves nothing', async () => {
    hub.fault = ({ route, range }) =>
      route === 'storage' && range !== 'bytes=0-0' ? { corrupt: true } : undefined;
    await expect(download()).rejects.toMatchObject({ code: 'hub.corrupt' });
    expect(transfers()).toHaveLength(2);
    expect(blobs().filter((name) => name.endsWith('.incomplete'))).toEqual([]);
    expect(existsSync(join(snapshot(), 'model.safetensors'))).toBe(false);
  });

  it('starts again after wrong contents that an earlier part began with', async () => {
    hub.fault = ({ route }) => (route === 'storage' ? { status: 503 } : undefined);
    await expect(download()).rejects.toMatchObject({ code: 'hub.unavailable' });
    hub.fault = () => undefined;
    writeFileSync(
      join(repositoryFolder(), 'blobs', `${sha256(weights)}.espalier.incomplete`),
      Buffer.alloc(1000),
    );
    const { folder } = await download();
    expect(readFileSync(join(folder, 'model.safetensors'))).toEqual(weights);
  });

  it('knows before it downloads that the disk is too small', async () => {
    await expect(download({ freeBytes: 2 ** 20 })).rejects.toMatchObject({
      code: 'model.disk_full',
      message: expect.stringContaining('set HF_HUB_CACHE to a folder on another disk') as string,
    });
    expect(blobs()).toEqual([]);
  });
});

describe('an answer of the hub', () => {
  it('waits as long as 429 asks for', async () => {
    let refusals = 0;
    hub.fault = ({ route }) =>
      route === 'info' && refusals++ === 0 ? { status: 429, headers: { 'retry-after': '1' } } : undefined;
    const notes: string[] = [];
    const start = performance.now();
    await download({ onNote: (note) => notes.push(note) });
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(notes).toEqual([expect.stringMatching(/429, too many requests; trying again in 1 s$/)]);
  });

  it('gives up at once where 429 asks for longer than is bearable', async () => {
    hub.fault = () => ({ status: 429, headers: { 'retry-after': '600' } });
    await expect(download()).rejects.toMatchObject({
      code: 'hub.rate_limited',
      message: expect.stringContaining('wait 600 s, or set HF_TOKEN') as string,
    });
    expect(hub.requests).toHaveLength(1);
  });

  it('is asked for again after 5xx, and at last reported', async () => {
    let failures = 0;
    hub.fault = () => (failures++ < 2 ? { status: 502 } : undefined);
    await download();
    hub.fault = ({ route }) => (route === 'info' ? { status: 500 } : undefined);
    await expect(download()).rejects.toMatchObject({ code: 'hub.unavailable' });
  });

  it.each([
    [
      'a gated model',
      { hub: 'owner/tiny', revision: 'main' },
      'hub.denied',
      /the model is gated; accept its terms/,
    ],
    [
      'a repository that is not there',
      { hub: 'owner/none', revision: 'main' },
      'hub.not_found',
      /no such repository, or it is private/,
    ],
    [
      'a revision that is not there',
      { hub: 'owner/tiny', revision: 'v9' },
      'hub.not_found',
      /no such revision/,
    ],
  ])('names %s and the remedy', async (what, choice, code, message) => {
    if (what === 'a gated model') hub.token = 'hf_right';
    const settings = settingsOf({ HF_TOKEN: 'hf_wrong' });
    const failed = downloadModel(choice, { settings, retries });
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    await expect(failed).rejects.not.toThrow(/hf_wrong|secret/);
    expect(existsSync(repositoryFolder())).toBe(false);
  });

  it('gets the token on every request to the hub, and no secret is in a message', async () => {
    hub.token = 'hf_right';
    const notes: string[] = [];
    let failures = 0;
    hub.fault = ({ route }) => (route === 'storage' && failures++ < 1 ? { status: 500 } : undefined);
    await download({ settings: settingsOf({ HF_TOKEN: 'hf_right' }), onNote: (note) => notes.push(note) });
    expect(notes).toHaveLength(1);
    expect(notes.join()).not.toMatch(/hf_right|secret/);
    expect(() => readHubSettings({ HF_TOKEN: 'my password' })).toThrow(/begins with hf_/);
    expect(() => readHubSettings({ HF_TOKEN: 'my password' })).not.toThrow(/password/);
  });
});

describe('without a network', () => {
  const offline = { HF_HUB_OFFLINE: '1' };

  it('takes what is cached, by branch or commit', async () => {
    await download();
    const settings = settingsOf(offline);
    hub.requests.length = 0;
    expect((await download({ settings })).commit).toBe(hub.commit);
    expect((await download({ settings }, hub.commit)).folder).toBe(snapshot());
    expect(hub.requests).toEqual([]);
    await expect(download({ settings }, 'v2')).rejects.toMatchObject({
      code: 'hub.offline',
      message: expect.stringContaining(`cached are ${hub.commit} (main)`) as string,
    });
  });

  it('says what to do where nothing is cached', async () => {
    await expect(download({ settings: settingsOf(offline) })).rejects.toMatchObject({
      code: 'hub.offline',
      message: expect.stringContaining(
        'HF_HUB_OFFLINE is set, and nothing of owner/tiny is complete',
      ) as string,
    });
    await expect(download({ settings: settingsOf(offline) }, 'v1')).rejects.toThrow(
      /unset it, or download .*`espalier model download owner\/tiny --revision v1`/,
    );
    await expect(
      download({ settings: settingsOf({ HF_ENDPOINT: 'http://127.0.0.1:9' }) }),
    ).rejects.toMatchObject({
      code: 'hub.offline',
      message: expect.stringMatching(/cannot be reached .*espalier model download owner\/tiny/) as string,
    });
  });

  it('uses the commit that a branch last had where the hub cannot be reached, and says so', async () => {
    await download();
    const notes: string[] = [];
    const settings = settingsOf({ HF_ENDPOINT: 'http://127.0.0.1:9' });
    expect((await download({ settings, onNote: (note) => notes.push(note) })).commit).toBe(hub.commit);
    expect(notes.at(-1)).toContain(`using the cached commit ${hub.commit}`);
  });
});

describe('two processes', () => {
  const script = `
    import { downloadModel, readHubSettings } from ${JSON.stringify(join(import.meta.dirname, '../dist/index.js'))};
    const { commit } = await downloadModel({ hub: 'owner/tiny', revision: 'main' }, { settings: readHubSettings() });
    console.log(commit);`;
  const start = () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, HF_ENDPOINT: hub.url, HF_HUB_CACHE: join(root, 'cache'), HF_HOME: root },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const ended = async (child: ReturnType<typeof start>): Promise<number | null> =>
    new Promise((resolve) => child.on('exit', (code) => resolve(code)));

  it('download each file once', async () => {
    expect(await Promise.all([ended(start()), ended(start())])).toEqual([0, 0]);
    expect(transfers()).toHaveLength(1);
    expect(readFileSync(join(snapshot(), 'model.safetensors'))).toEqual(weights);
  }, 30_000);

  it('wait while a file is locked (hub.busy), and say for whom', async () => {
    const locks = join(root, 'cache/.locks/models--owner--tiny');
    mkdirSync(locks, { recursive: true });
    const lock = createLock(
      join(locks, `${sha256(weights)}.espalier.lock`),
      () => new AppError('hub.busy', 'held'),
    );
    const notes: string[] = [];
    const running = download({ onNote: (note) => notes.push(note) });
    while (notes.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(notes[0]).toContain(`model.safetensors is being downloaded by process ${process.pid}`);
    expect(transfers()).toEqual([]);
    lock.release();
    expect((await running).commit).toBe(hub.commit);
  });

  it('go on where a killed one left off', async () => {
    hub.fault = ({ route, range }) =>
      route === 'storage' && range === undefined ? { stallAfter: 50_000 } : undefined;
    const first = start();
    while (
      !blobs().some(
        (name) =>
          name.endsWith('.incomplete') &&
          // gone once it is whole
          statSync(join(repositoryFolder(), 'blobs', name), { throwIfNoEntry: false })?.size === 50_000,
      )
    )
      await new Promise((resolve) => setTimeout(resolve, 20));
    const killed = ended(first);
    first.kill('SIGKILL');
    await killed;
    expect(await ended(start())).toBe(0);
    expect(transfers().at(-1)?.range).toBe('bytes=50000-');
    expect(readFileSync(join(snapshot(), 'model.safetensors'))).toEqual(weights);
  }, 30_000);
});

it('the files of a tokenizer are those that libs/model keeps', () => {
  const known = new Set<string>([...requiredFiles, ...optionalFiles]);
  expect(tokenizerFileNames.filter((name) => !known.has(name))).toEqual([]);
});
