/** @file Pages with links to wheels, as a simple index has them, in JSON or HTML. */
import { AppError } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import { decodeText, indexRemedy, printAddress, request, type RequestOptions } from './requests.js';

const accept =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

/** The address of a file that a page links to, if it does. @throws setup.unreachable */
export function findOnPage(page: string, name: string, options: RequestOptions): Promise<string | undefined> {
  return request(page, { ...options, headers: { accept } }, async (answer, address) => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const links = (answer.headers['content-type'] ?? '').includes('json') ? jsonLinks(text) : htmlLinks(text);
    if (links === undefined)
      throw new AppError(
        'setup.unreachable',
        `${options.operation}: ${printAddress(address)} answers in JSON, but with no page of a package; ${indexRemedy}`,
      );
    const found = findLinks(links, name, address).find(({ protocol }) => protocol !== 'file:');
    if (found === undefined) return undefined;
    // as pip does: what the index is asked with, its own files are asked with
    const asked = new URL(page);
    if (found.host === asked.host && found.username === '')
      Object.assign(found, { username: asked.username, password: asked.password });
    found.hash = '';
    return found.href;
  });
}

/** The links to files of that name. Those of other files may be malformed, or lead where nothing can be fetched. */
export const findLinks = (links: readonly string[], name: string, base: string): URL[] =>
  links
    .flatMap((link) => (URL.canParse(link, base) ? [new URL(link, base)] : []))
    .filter(({ pathname, protocol }) => /^(https?|file):$/.test(protocol) && fileNameOf(pathname) === name);

/** The name of the file that the path of an address ends with. */
export const fileNameOf = (pathname: string): string => decodeText(pathname.split('/').at(-1) ?? '');

/** Undefined for what is no page of a package. */
function jsonLinks(text: string): string[] | undefined {
  const page = parse(text);
  if (!isRecord(page) || !Array.isArray(page['files'])) return undefined;
  return page['files'].flatMap((file: unknown) =>
    isRecord(file) && typeof file['url'] === 'string' ? [file['url']] : [],
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function htmlLinks(text: string): string[] {
  return [...text.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(([, double, single]) =>
    (double ?? single ?? '').replaceAll('&amp;', '&'),
  );
}
