import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createLock } from '@espalier/files';
import { isInstalled, libraryFolder } from '@espalier/runtime';
import { zipSync } from 'fflate';
import { describe, expect, it, vi } from 'vitest';
import { type InstallOptions, type InstallProgress, installLibrary } from './install-library.js';
import {
  big,
  bytes,
  left,
  served,
  serveJson,
  sha256,
  sha256Of,
  tiny,
  useIndex,
  wheelName,
} from './testing/tiny-library.js';
import { unpackWheel } from './unpack-wheel.js';

useIndex();

const install = (options: Partial<InstallOptions> = {}, index = `${served.root}/simple`) =>
  installLibrary(tiny, {
    signal: new AbortController().signal,
    settings: { indexes: [index], findLinks: [], certificate: undefined },
    ...options,
  });
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
    served.answer = (_, response) => response.destroy();
    expect((await install()).isOld).toBe(true);
  });

  it('comes from an index in HTML that redirects, with the name and password of its address', async () => {
    const seen: (string | undefined)[] = [];
    served.answer = (request, response) => {
      seen.push(request.headers.authorization);
      if (request.url === '/simple/tiny/') {
        response.writeHead(301, { location: '/mirror/tiny/' });
        return void response.end();
      }
      if (request.url !== '/mirror/tiny/') return serveJson(request, response);
      response.setHeader('content-type', 'text/html');
      response.end(`<a\n href="/files/${wheelName}#sha256=${sha256}">${wheelName}</a>`);
    };
    await install({}, `${served.root.replace('//', '//me:p%40ss@')}/simple/`);
    expect(isInstalled(tiny)).toBe(true);
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect([seen[0], seen.at(-1)]).toEqual([basic, basic]);
  });

  it('is asked for again when the connection breaks off', async () => {
    let requests = 0;
    served.answer = (request, response) => {
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
    served.answer = (request, response) =>
      request.url === `/files/${wheelName}` ? void response.end('not it') : serveJson(request, response);
    await expect(install()).rejects.toMatchObject({
      code: 'setup.wrong_file',
      message: expect.stringMatching(/has the sha256 [0-9a-f]{64}; expected .*; nothing was installed/),
    });
    expect(left()).toEqual([]);
  });

  it('comes from a folder that pip looks through, or from a file of the user, without an index', async () => {
    const file = join(served.folder, wheelName);
    writeFileSync(file, bytes);
    const settings = {
      indexes: [],
      findLinks: [join(served.folder, 'absent'), served.folder],
      certificate: undefined,
    };
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
      const file = join(served.folder, 'other.whl');
      writeFileSync(file, content);
      const [wheel] = tiny.wheels;
      const library = { ...tiny, wheels: [{ ...wheel!, files: { 'other.whl': sha256Of(content) } }] };
      const signal = new AbortController().signal;
      await expect(installLibrary(library, { wheels: [file], signal })).rejects.toThrow(finding);
      expect(left()).toEqual([]);
    }
  });

  it('names the variable of a cache folder that cannot be created', async () => {
    writeFileSync(join(served.folder, 'file'), '');
    vi.stubEnv('ESPALIER_CACHE', join(served.folder, 'file'));
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
    await expect(install({}, `${served.root}/other`)).rejects.toMatchObject({
      code: 'setup.unreachable',
      message: expect.stringContaining('/other/tiny/ answers 404; check PIP_INDEX_URL'),
    });
    for (const [name, finding] of [
      ['no.whl', 'no such file'],
      ['.', 'it is no file'],
    ] as const)
      await expect(install({ wheels: [join(served.folder, name)] })).rejects.toMatchObject({
        code: 'setup.no_source',
        message: expect.stringContaining(`: ${finding}; name the wheel`),
      });
  });

  it('comes from the next index where one lacks it or fails', async () => {
    const settings = {
      indexes: [`${served.root}/other`, `${served.root}/simple`],
      findLinks: [],
      certificate: undefined,
    };
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
    const settings = {
      indexes: [`${served.root}/simple`],
      findLinks: [],
      certificate: join(served.folder, 'no.pem'),
    };
    await expect(install({ settings })).rejects.toMatchObject({
      code: 'setup.unreachable',
      message: expect.stringMatching(/no\.pem, cannot be read: ENOENT.*; set PIP_CERT/),
    });
  });

  it('is refused before anything is fetched where the disk has no room', async () => {
    const [wheel] = tiny.wheels;
    const library = { ...tiny, wheels: [{ ...wheel!, unpackedBytes: 2 ** 60 }] };
    const asked: (string | undefined)[] = [];
    served.answer = (request, response) => {
      asked.push(request.url);
      serveJson(request, response);
    };
    const settings = { indexes: [`${served.root}/simple`], findLinks: [], certificate: undefined };
    const signal = new AbortController().signal;
    await expect(installLibrary(library, { settings, signal })).rejects.toMatchObject({
      code: 'setup.no_space',
      message: expect.stringMatching(/it needs 1099511627777 MiB, .* has \d+ MiB free; make room/),
    });
    expect(asked).toEqual(['/simple/tiny/']);
    expect(left()).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))('says so when the disk is full after all', async () => {
    const file = join(served.folder, wheelName);
    writeFileSync(file, bytes);
    const full = join(served.folder, 'full');
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
