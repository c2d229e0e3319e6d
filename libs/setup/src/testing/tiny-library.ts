/** @file A small library in wheels, and an index of packages that serves it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { libraryFolder, type PinnedLibrary } from '@espalier/runtime';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, vi } from 'vitest';

export const wheelName = 'tiny-1.0-py3-none-any.whl';
export const big = new Uint8Array(300_000).map((_, i) => (i * i) % 251);
export const bytes = zipSync({
  'tiny/libs/libtiny.so': big,
  'tiny/libs/libother.so': Uint8Array.of(1),
  'tiny-1.0.dist-info/licenses/LICENSE': new TextEncoder().encode('free'),
});
export const sha256 = createHash('sha256').update(bytes).digest('hex');

export const tiny: PinnedLibrary = {
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

export const sha256Of = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
export const extraBytes = zipSync({
  'extra/libextra.so.1': Uint8Array.of(2),
  'extra/libmore.so.1': Uint8Array.of(3),
  'extra-1.dist-info/licenses/LICENSE': new TextEncoder().encode('free'),
});
export const extraName = 'extra-1-py3-none-any.whl';
/** A library of two wheels, as CUDA's is of five. */
export const pair: PinnedLibrary = {
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

/** For each test an index of its own and an empty cache folder. */
export const served = {
  /** the cache, where tests may put files of their own, too */
  folder: '',
  /** address of the index */
  root: '',
  answer: serveJson as (request: IncomingMessage, response: ServerResponse) => void,
};

let server: Server;

/** Opens it before each test of a file. */
export function useIndex(): void {
  beforeEach(async () => {
    served.folder = mkdtempSync(join(tmpdir(), 'espalier-setup-'));
    vi.stubEnv('ESPALIER_CACHE', served.folder);
    server = createServer((request, response) => served.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    served.root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    served.answer = serveJson;
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await new Promise((resolve) => server.close(resolve));
    rmSync(served.folder, { recursive: true, force: true });
  });
}

export function serveJson({ url }: IncomingMessage, response: ServerResponse): void {
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

/** What is beside the library's place. */
export const left = (): string[] => readdirSync(dirname(libraryFolder(tiny)));
