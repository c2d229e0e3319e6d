/** @file Writes docs/results from finished runs and from what was reported earlier. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { saveWholeFile } from '@espalier/files';
import type { EntryResult } from '../collect/result.js';
import { drawDots } from '../draw/dots.js';
import { drawPanel } from '../draw/panel.js';
import type { Matrix } from '../matrix.js';
import { renderCollapse } from './collapse.js';
import { describeDifference } from './compare-entries.js';
import { gridPicture, renderReadme } from './readme.js';

/** Writes one entry's numbers and picture. */
export function saveEntry(docs: string, result: EntryResult): void {
  saveWholeFile(join(docs, `${result.name}.json`), encodeResult(result));
  saveWholeFile(join(docs, `${result.name}.svg`), drawPanel(`${result.name}: ${result.title}`, [result]));
}

/** Reads the entries of a matrix that have been reported, in its order. */
export function loadReported(docs: string, { entries }: Pick<Matrix, 'entries'>): EntryResult[] {
  return loadNamed(
    docs,
    entries.map(({ name }) => name),
  );
}

/** Reads the entries of another page that ours are compared with. */
export function loadCompared({
  compareWith,
  entries,
}: Pick<Matrix, 'compareWith' | 'entries'>): EntryResult[] {
  return compareWith === undefined
    ? []
    : loadNamed(
        compareWith.docs,
        entries.flatMap((entry) => entry.compareWith ?? []),
      );
}

function loadNamed(docs: string, names: readonly string[]): EntryResult[] {
  return [...new Set(names)]
    .map((name) => join(docs, `${name}.json`))
    .filter((file) => existsSync(file))
    .map(loadResult);
}

function loadResult(file: string): EntryResult {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8')) as Partial<EntryResult>;
    if (Array.isArray(result.seeds)) return result as EntryResult;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new AppError(
    'contracts.invalid_value',
    `read ${file}: not a report of \`npm run results\`; delete it, it is written again from the runs`,
  );
}

/** Writes the pages and the pictures of pairs from the entries that have been reported. */
export function savePages(docs: string, matrix: Matrix): void {
  const results = loadReported(docs, matrix);
  saveWholeFile(join(docs, 'README.md'), renderReadme(matrix, results, loadCompared(matrix)));
  if (matrix.grid !== undefined) {
    const byName = new Map(results.map((result) => [result.name, result]));
    saveWholeFile(join(docs, gridPicture), drawDots(matrix.title, matrix.grid, byName));
  }
  const collapse = renderCollapse(results);
  if (collapse !== undefined) saveWholeFile(join(docs, 'collapse.md'), collapse);
  for (const { name, title, entries } of matrix.pairs) {
    const found = entries.flatMap((entry) => results.filter((result) => result.name === entry));
    if (found.length === entries.length) saveWholeFile(join(docs, `${name}.svg`), drawPanel(title, found));
  }
}

/**
 * Draws two reported entries over each other.
 *
 * @returns the test of their difference and the file
 * @throws cli.usage when it is not two entries that have been reported
 */
export function saveOverlay(docs: string, matrix: Matrix, names: readonly string[]): string {
  const results = loadReported(docs, matrix);
  const [first, second] = names.map((name) => results.find((result) => result.name === name));
  if (names.length !== 2 || first === undefined || second === undefined) {
    const known = results.map(({ name }) => name).join(', ');
    throw new AppError(
      'cli.usage',
      `overlay ${names.join(',')}: not two reported entries; reported are ${known === '' ? 'none' : known}`,
    );
  }
  const file = join(docs, `overlay-${first.name}-${second.name}.svg`);
  saveWholeFile(file, drawPanel(`${first.name} and ${second.name}`, [first, second]));
  return `${describeDifference(first, second)}\nwrote ${file}`;
}

/** JSON with a line per curve instead of a line per number. */
function encodeResult(result: EntryResult): string {
  const kept: string[] = [];
  const text = JSON.stringify(
    result,
    (_key, value: unknown) => {
      const isPoints = Array.isArray(value) && Array.isArray(value[0]) && typeof value[0][0] === 'number';
      return isPoints ? `\u0001${kept.push(JSON.stringify(value)) - 1}` : value;
    },
    1,
  );
  return `${text.replace(/"\\u0001(\d+)"/g, (_whole, index: string) => kept[Number(index)] ?? '')}\n`;
}
