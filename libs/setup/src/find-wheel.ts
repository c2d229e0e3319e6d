/** @file Finds a pinned wheel: in pip's folders first, then in its indexes (JSON or HTML of the simple index). */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, hasCode } from '@espalier/contracts';
import type { PinnedWheel } from '@espalier/runtime';
import type { PipSettings } from './pip-settings.js';
import { request, type RequestOptions } from './requests.js';

/** A file of this machine, or an address to download from. */
export type WheelPlace = { readonly file: string } | { readonly address: string };

/** Prints the index that pip takes without a setting; run by the user, who has pip. */
const askPip = "python3 -c 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)'";

/** @throws setup.no_source, setup.unreachable */
export async function findWheel(
  wheel: PinnedWheel,
  settings: PipSettings,
  options: RequestOptions,
): Promise<WheelPlace> {
  const [name = ''] = Object.keys(wheel.files);
  const local = settings.findLinks
    .map((link) => folderOf(link))
    .flatMap((folder) => (folder === undefined ? [] : [join(folder, name)]))
    .find((file) => existsSync(file));
  if (local !== undefined) return { file: local };
  if (settings.indexes.length === 0)
    throw new AppError(
      'setup.no_source',
      `${options.operation}: pip of this machine is configured with no index; set PIP_INDEX_URL to the simple index that you use, or to pip's own (export PIP_INDEX_URL="$(${askPip})"), or fetch ${name} (pip download --no-deps ${pythonOf(name)}${wheel.package}==${wheel.version}) and give --wheel FILE`,
    );
  let failure: AppError | undefined;
  for (const index of settings.indexes) {
    // as pip does: an index that fails does not hide what the next one has
    const address = await findInIndex(index, name, wheel, options).catch((error: unknown) => {
      if (!hasCode(error, 'setup.unreachable')) throw error;
      failure ??= error;
    });
    if (address !== undefined) return { address };
  }
  if (failure !== undefined) throw failure;
  throw new AppError(
    'setup.no_source',
    `${options.operation}: no index of pip has ${name}; set PIP_INDEX_URL to one that has it, or give --wheel FILE`,
  );
}

function folderOf(link: string): string | undefined {
  if (link.startsWith('file:')) return fileURLToPath(link);
  if (/^[a-z]+:\/\//i.test(link)) return undefined;
  const path = link.startsWith('~/') ? join(homedir(), link.slice(2)) : link;
  return existsSync(path) && statSync(path).isDirectory() ? path : undefined;
}

const accept =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

async function findInIndex(
  index: string,
  name: string,
  wheel: PinnedWheel,
  options: RequestOptions,
): Promise<string | undefined> {
  requireAddress(index, options.operation);
  const page = `${index}${index.endsWith('/') ? '' : '/'}${wheel.package}/`;
  return request(page, { ...options, headers: { accept } }, async (answer, address) => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const links = (answer.headers['content-type'] ?? '').includes('json') ? jsonLinks(text) : htmlLinks(text);
    const found = links
      .map((link) => new URL(link, address))
      .find(({ pathname }) => lastOf(pathname) === name);
    if (found === undefined) return undefined;
    // as pip does: what the index is asked with, its own files are asked with
    const asked = new URL(page);
    if (found.host === asked.host && found.username === '')
      Object.assign(found, { username: asked.username, password: asked.password });
    found.hash = '';
    return found.href;
  });
}

/** @throws setup.no_source for what no request can be sent to */
function requireAddress(index: string, operation: string): void {
  const { protocol } = URL.canParse(index) ? new URL(index) : {};
  if (protocol === 'http:' || protocol === 'https:') return;
  // a name and a password are not for messages
  const shown = index.slice(index.lastIndexOf('@') + 1);
  throw new AppError(
    'setup.no_source',
    `${operation}: the index "${shown}" of pip is no http or https address; set PIP_INDEX_URL to one, name a folder with the wheel in PIP_FIND_LINKS, or give --wheel FILE`,
  );
}

const lastOf = (pathname: string): string => decodeURIComponent(pathname.split('/').at(-1) ?? '');

function jsonLinks(text: string): string[] {
  const { files = [] } = JSON.parse(text) as { readonly files?: readonly { readonly url?: string }[] };
  return files.flatMap(({ url }) => (url === undefined ? [] : [url]));
}

function htmlLinks(text: string): string[] {
  return [...text.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(([, double, single]) =>
    (double ?? single ?? '').replaceAll('&amp;', '&'),
  );
}

/** The sha256 of a file, without holding it in memory. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** What pip must be told to fetch the build for another Python than its own. */
function pythonOf(name: string): string {
  const [, minor] = /-cp3(\d+)-/.exec(name) ?? [];
  return minor === undefined ? '' : `--only-binary=:all: --python-version 3.${minor} `;
}
