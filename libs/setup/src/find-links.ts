/** @file The places that pip looks through besides its indexes (find-links): folders, pages, and wheels themselves. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AppError, isAppError } from '@espalier/contracts';
import type { PinnedWheel } from '@espalier/runtime';
import { findEntry, hashOf, type Subject, unreadable, unusable, wrongHash } from './check-file.js';
import { fileNameOf, findLinks, findOnPage, htmlLinks } from './index-page.js';
import { printSetting, type RequestOptions } from './requests.js';

/** A file of this machine, or an address to download from. */
export type WheelPlace = { readonly file: string } | { readonly address: string };

type Find = () => Promise<WheelPlace | undefined>;

/**
 * Looks through places one after another, as pip does: one that fails, or has another file by the name, does not hide what
 * the next one has.
 *
 * @throws what the first place failed with, where none has the wheel
 */
export async function findFirst(finds: readonly Find[]): Promise<WheelPlace | undefined> {
  let failure: AppError | undefined;
  for (const find of finds) {
    try {
      const place = await find();
      if (place !== undefined) return place;
    } catch (error) {
      if (!isAppError(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

/** Places of this machine before pages of others, as pip prefers them. */
export function orderLinks(links: readonly string[]): string[] {
  const isRemote = (link: string): boolean => isAddress(link) && !isFileAddress(link);
  return [...links.filter((link) => !isRemote(link)), ...links.filter(isRemote)];
}

const isAddress = (link: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(link) || isFileAddress(link);
const isFileAddress = (link: string): boolean => /^file:/i.test(link);

/**
 * Looks for a wheel where an entry of find-links leads.
 *
 * @throws setup.no_source for what cannot be used, setup.wrong_file for another file by the name, setup.unreachable
 */
export async function findByLink(
  link: string,
  wheel: PinnedWheel,
  options: RequestOptions,
): Promise<WheelPlace | undefined> {
  const { operation } = options;
  const [name = ''] = Object.keys(wheel.files);
  if (isAddress(link) && !isFileAddress(link)) {
    const { protocol, pathname } = URL.canParse(link) ? new URL(link) : { protocol: '', pathname: '' };
    if (!/^https?:$/.test(protocol))
      throw unusable(
        subjectOf(printSetting(link), operation),
        'it is neither a folder nor an http or https address',
      );
    if (fileNameOf(pathname) === name) return { address: link };
    // no page, and up to gigabytes
    if (/\.(whl|zip|tar\.\w+|tgz)$/i.test(pathname)) return undefined;
    const address = await findOnPage(link, name, options);
    return address === undefined ? undefined : { address };
  }
  const path = pathOf(link, operation);
  const entry = findEntry(path, subjectOf(path, operation));
  if (entry?.isDirectory() === true) return checkFile(join(path, name), wheel, operation);
  if (basename(path) === name) return checkFile(path, wheel, operation);
  return entry?.isFile() === true && /\.html?$/i.test(path) ? findInFile(path, wheel, operation) : undefined;
}

const subjectOf = (place: string, operation: string): Subject => ({
  attempt: `${operation}: "${place}", where pip looks for files`,
  remedy: 'correct PIP_FIND_LINKS (or find-links in pip.conf), or give --wheel FILE',
});

/** The path that an entry of find-links names. */
function pathOf(link: string, operation: string): string {
  if (!isFileAddress(link)) return link.startsWith('~/') ? join(homedir(), link.slice(2)) : link;
  try {
    return fileURLToPath(link);
  } catch (cause) {
    // of another host, or with %-signs that stand for nothing
    const finding = cause instanceof Error ? cause.message : String(cause);
    throw unusable(subjectOf(link, operation), `it names no folder of this machine: ${finding}`, cause);
  }
}

async function checkFile(
  file: string,
  wheel: PinnedWheel,
  operation: string,
): Promise<WheelPlace | undefined> {
  const [pinned = ''] = Object.values(wheel.files);
  const subject = subjectOf(file, operation);
  const entry = findEntry(file, subject);
  if (entry === undefined) return undefined;
  // also a pipe, which would be read for ever
  if (!entry.isFile()) throw unusable(subject, 'it is no file');
  const hash = await hashOf(file, subject);
  if (hash !== pinned) throw wrongHash(operation, file, hash, [pinned]);
  return { file };
}

/** Looks for a wheel on a page that is a file of this machine. */
async function findInFile(
  page: string,
  wheel: PinnedWheel,
  operation: string,
): Promise<WheelPlace | undefined> {
  const [name = ''] = Object.keys(wheel.files);
  let text: string;
  try {
    text = readFileSync(page, 'utf8');
  } catch (cause) {
    throw unusable(subjectOf(page, operation), unreadable(cause), cause);
  }
  return findFirst(
    findLinks(htmlLinks(text), name, pathToFileURL(page).href).map((found) => async () => {
      found.hash = '';
      if (found.protocol !== 'file:') return { address: found.href };
      return checkFile(pathOf(found.href, operation), wheel, operation);
    }),
  );
}
