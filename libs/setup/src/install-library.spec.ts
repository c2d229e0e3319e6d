import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLock } from '@espalier/files';
import { isInstalled, libraryFolder, type PinnedLibrary } from '@espalier/runtime';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type InstallOptions, type InstallProgress, installLibrary } from './install-library.js';

const wheelName = 'tiny-1.0-py3-none-any.whl';
const big = new Uint8Array(300_000).map((_, i) => (i * i) % 251);
const bytes = zipSync({
  'tiny/libs/libtiny.so': big,
  'tiny/libs/libother.so': Uint8Array.of(1),
  'tiny-1.0.dist-info/licenses/LICENSE': new TextEncoder().encode('free'),
});
const sha256 = createHash('sha256').update(bytes).digest('hex');

const tiny: PinnedLibrary = {
  name: 'tiny',
  title: 'Tiny',
  version: '1.0',
  license: 'MIT',
  platform: `${process.platform}-${process.arch}`,
  wheels: [
    {
      package: 'tiny',
      version: '1.0',
      bytes: bytes.length,
      files: { [wheelName]: sha256, 'tiny-1.0-cp1-none-any.whl': '0'.repeat(64) },
      members: ['tiny/libs/libtiny.so', 'licenses/LICENSE'],
    },
  ],
};

let folder: string;
let server: Server;
let root: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-setup-'));
  vi.stubEnv('ESPALIER_CACHE', folder);
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answer = serveJson;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function serveJson({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === '/simple/tiny/') {
    response.setHeader('content-type', 'application/vnd.pypi.simple.v1+json');
    return void response.end(
      JSON.stringify({ files: [{ url: '../../files/tiny-0.9.whl' }, { url: `../../files/${wheelName}` }] }),
    );
  }
  response.statusCode = url === `/files/${wheelName}` ? 200 : 404;
  response.end(url === `/files/${wheelName}` ? bytes : '');
}

const install = (options: Partial<InstallOptions> = {}, index = `${root}/simple`) =>
  installLibrary(tiny, {
    signal: new AbortController().signal,
    settings: { indexes: [index], findLinks: [], certificate: undefined },
    ...options,
  });
const left = (): string[] => readdirSync(dirname(libraryFolder(tiny)));

describe('a native library', () => {
  it('comes from an index in JSON, only the needed files, with progress', async () => {
    const progress: InstallProgress[] = [];
    const installed = await install({ report: (one) => progress.push(one) });
    expect(installed).toEqual({ folder: libraryFolder(tiny), isOld: false });
    expect(readdirSync(installed.folder).sort()).toEqual(['LICENSE', 'library.json', 'libtiny.so']);
    expect(readFileSync(join(installed.folder, 'libtiny.so'))).toEqual(Buffer.from(big));
    expect(progress.at(-1)).toEqual({ kind: 'unpack', file: wheelName });
    expect(progress.at(-2)).toMatchObject({ kind: 'download', bytes: bytes.length, ofBytes: bytes.length });
    expect(left()).toEqual(['tiny-1.0-' + tiny.platform]);
    answer = (_, response) => response.destroy();
    expect((await install()).isOld).toBe(true);
  });

  it('comes from an index in HTML that redirects, with the name and password of its address', async () => {
    const seen: (string | undefined)[] = [];
    answer = (request, response) => {
      seen.push(request.headers.authorization);
      if (request.url === '/simple/tiny/') {
        response.writeHead(301, { location: '/mirror/tiny/' });
        return void response.end();
      }
      if (request.url !== '/mirror/tiny/') return serveJson(request, response);
      response.setHeader('content-type', 'text/html');
      response.end(`<a\n href="/files/${wheelName}#sha256=${sha256}">${wheelName}</a>`);
    };
    await install({}, `${root.replace('//', '//me:p%40ss@')}/simple/`);
    expect(isInstalled(tiny)).toBe(true);
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect([seen[0], seen.at(-1)]).toEqual([basic, basic]);
  });

  it('is asked for again when the connection breaks off', async () => {
    let requests = 0;
    answer = (request, response) => {
      if (request.url !== `/files/${wheelName}` || (requests += 1) > 1) return serveJson(request, response);
      response.setHeader('content-length', bytes.length);
      response.write(bytes.subarray(0, 1000));
      setTimeout(() => response.destroy(), 20);
    };
    await install();
    expect(requests).toBe(2);
    expect(isInstalled(tiny)).toBe(true);
  });

  it('is refused with another sha256, and nothing stays', async () => {
    answer = (request, response) =>
      request.url === `/files/${wheelName}` ? void response.end('not it') : serveJson(request, response);
    await expect(install()).rejects.toMatchObject({
      code: 'setup.wrong_file',
      message: expect.stringMatching(/has the sha256 [0-9a-f]{64}; expected .*; nothing was installed/),
    });
    expect(left()).toEqual([]);
  });

  it('comes from a folder that pip looks through, or from a file of the user, without an index', async () => {
    const file = join(folder, wheelName);
    writeFileSync(file, bytes);
    const settings = { indexes: [], findLinks: [join(folder, 'absent'), folder], certificate: undefined };
    expect((await install({ settings })).isOld).toBe(false);
    const given = await install({ wheels: [file], force: true, settings: { ...settings, findLinks: [] } });
    expect(given.isOld).toBe(false);
    writeFileSync(file, 'changed');
    for (const options of [{ settings }, { wheels: [file] }])
      await expect(install({ ...options, force: true })).rejects.toMatchObject({ code: 'setup.wrong_file' });
    // what was there before still is
    expect(existsSync(join(libraryFolder(tiny), 'libtiny.so'))).toBe(true);
  });

  it('is refused when the wheel lacks a file or is no zip file', async () => {
    for (const [content, finding] of [
      [zipSync({ 'tiny/libs/libtiny.so': Uint8Array.of(1) }), 'it lacks licenses/LICENSE'],
      [new TextEncoder().encode('no zip'), 'it lacks tiny/libs/libtiny.so'],
    ] as const) {
      const file = join(folder, 'other.whl');
      writeFileSync(file, content);
      const [wheel] = tiny.wheels;
      const pinned = createHash('sha256').update(content).digest('hex');
      const library = { ...tiny, wheels: [{ ...wheel!, files: { 'other.whl': pinned } }] };
      const signal = new AbortController().signal;
      await expect(installLibrary(library, { wheels: [file], signal })).rejects.toThrow(finding);
      expect(left()).toEqual([]);
    }
  });

  it('says what to do where pip has no index, or one without it', async () => {
    const settings = { indexes: [], findLinks: [], certificate: undefined };
    await expect(install({ settings })).rejects.toMatchObject({
      code: 'setup.no_source',
      message: expect.stringMatching(
        /configured with no index; set PIP_INDEX_URL .*pip download --no-deps tiny==1\.0.*--wheel FILE/,
      ),
    });
    await expect(install({}, `${root}/other`)).rejects.toMatchObject({
      code: 'setup.unreachable',
      message: expect.stringContaining('/other/tiny/ answers 404; check PIP_INDEX_URL'),
    });
    await expect(install({ wheels: [join(folder, 'no.whl')] })).rejects.toMatchObject({
      code: 'setup.no_source',
      details: { missing: true },
    });
  });

  it('is not pinned for every platform', async () => {
    const signal = new AbortController().signal;
    await expect(installLibrary({ ...tiny, platform: 'vax-vms' }, { signal })).rejects.toMatchObject({
      code: 'setup.unsupported_platform',
      message: expect.stringContaining('it is pinned for vax-vms, this is'),
    });
  });

  it('is installed by one process at a time, and not at all when stopped', async () => {
    await install();
    const lock = createLock(`${libraryFolder(tiny)}.lock`, () => expect.fail());
    await expect(install({ force: true })).rejects.toMatchObject({ code: 'setup.locked' });
    lock.release();
    await expect(install({ force: true, signal: AbortSignal.abort() })).rejects.toThrow('abort');
    expect(isInstalled(tiny)).toBe(true);
    expect(left()).toEqual(['tiny-1.0-' + tiny.platform]);
  });
});
