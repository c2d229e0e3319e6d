import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type InstallOptions, type InstallProgress, installLibrary } from './install-library.js';
import {
  bytes,
  extraBytes,
  extraName,
  left,
  pair,
  served,
  serveJson,
  sha256Of,
  useIndex,
} from './testing/tiny-library.js';

useIndex();

describe('a native library of several wheels', () => {
  const installPair = (options: Partial<InstallOptions> = {}) =>
    installLibrary(pair, {
      signal: new AbortController().signal,
      settings: { indexes: [`${served.root}/simple`], findLinks: [], certificate: undefined },
      ...options,
    });

  it('takes the files that the user has, and the others from the index', async () => {
    const file = join(served.folder, 'mine.whl');
    writeFileSync(file, bytes);
    const asked: (string | undefined)[] = [];
    served.answer = (request, response) => {
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
    served.answer = (request, response) =>
      request.url === `/files/${extraName}`
        ? void response.end(extraBytes.subarray(0, 100))
        : serveJson(request, response);
    await expect(installPair()).rejects.toMatchObject({ code: 'setup.wrong_file' });
    expect(left()).toEqual([]);
  });

  it('refuses a file that is none of its wheels and says which it could be', async () => {
    const file = join(served.folder, 'extra-2-py3-none-any.whl');
    writeFileSync(file, 'another version');
    await expect(installPair({ wheels: [file] })).rejects.toMatchObject({
      code: 'setup.wrong_file',
      message: expect.stringContaining(`expected ${sha256Of(extraBytes)}; nothing`),
    });
  });

  it('links what a Python environment has, each package whole or not', async () => {
    const site = join(served.folder, 'venv/lib/python3.12/site-packages');
    const libraries = join(site, 'nvidia/extra/lib');
    mkdirSync(libraries, { recursive: true });
    const machine = { folder: join(served.folder, 'venv') };
    const nowhere = { folder: join(served.folder, 'venw') };
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
        machine: { folder: place === libraries ? place : join(served.folder, place) },
        force: true,
      });
      expect(readlinkSync(join(installed, 'libextra.so.1'))).toBe(join(libraries, 'libextra.so.1'));
      expect(existsSync(join(installed, 'extra-LICENSE'))).toBe(false);
      expect(existsSync(join(installed, 'libtiny.so'))).toBe(true);
    }
  });

  it('links what the linker of this machine finds, and fetches what it does not', async () => {
    const place = join(served.folder, 'elsewhere');
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
