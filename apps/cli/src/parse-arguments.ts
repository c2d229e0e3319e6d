import { AppError } from '@espalier/contracts';
import { basename, isAbsolute, relative, resolve } from 'node:path';
import { parse } from 'yaml';

/** Gathers a repeatable option. */
export function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}

/** Parses a whole number of at least `least`. @throws cli.usage */
export function parseCount(name: string, least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least) return value;
    throw new AppError('cli.usage', `${name} ${text}: expected a whole number of at least ${least}`);
  };
}

/** Parses whole numbers from 0 with commas. @param what they are, with an example @throws cli.usage */
export function parseCounts(name: string, what: string): (text: string) => number[] {
  return (text) => {
    const values = text.split(',').map((part) => (/^\d{1,9}$/.test(part.trim()) ? Number(part) : Number.NaN));
    if (values.every(Number.isInteger)) return [...new Set(values)].sort((a, b) => a - b);
    throw new AppError('cli.usage', `${name} ${text}: expected ${what}`);
  };
}

/** Parses a number of at least 0. @throws cli.usage */
export function parseAmount(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
    throw new AppError('cli.usage', `${name} ${text}: expected a number of at least 0`);
  };
}

/** Parses a number above 0 up to 1. @throws cli.usage */
export function parseShare(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (value > 0 && value <= 1) return value;
    throw new AppError('cli.usage', `${name} ${text}: expected a number above 0, at most 1`);
  };
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Parses a duration such as `90s`, `10m` or `2h`, to seconds. @throws cli.usage */
export function parseDuration(name: string): (text: string) => number {
  return (text) => {
    const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text.trim()) ?? [];
    const seconds = Number(amount) * (unitSeconds[unit] ?? Number.NaN);
    if (amount !== '' && Number.isFinite(seconds)) return Math.ceil(seconds);
    throw new AppError('cli.usage', `${name} ${text}: expected a duration such as 90s, 10m or 2h`);
  };
}

const largestSeed = 2 ** 32 - 1;

/** Parses a seed. @throws cli.usage */
export function parseSeed(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= largestSeed) return value;
  throw new AppError('cli.usage', `seed ${text}: expected a whole number in 0..${largestSeed}`);
}

/**
 * Parses a list of seeds: `7`, `3,5,9`, `10000..10031` (both ends belong to it), or a mixture.
 *
 * @throws cli.usage
 */
export function* parseSeeds(text: string): Generator<number> {
  for (const part of text.split(',')) {
    const [first = '', last = first, ...more] = part.trim().split('..');
    const from = parseSeed(first);
    const to = parseSeed(last);
    if (more.length > 0)
      throw new AppError('cli.usage', `--seeds ${text}: expected e.g. 7, 3,5,9 or 10000..10031`);
    if (to < from) {
      throw new AppError(
        'cli.usage',
        `--seeds ${text}: the range ${from}..${to} is backwards; write ${to}..${from}`,
      );
    }
    for (let seed = from; seed <= to; seed++) yield seed;
  }
}

/** Parses `--params`: a mapping as JSON (or YAML). @throws cli.usage */
export function parseParams(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0 });
  } catch (cause) {
    throw new AppError('cli.usage', `--params ${text}: not JSON; write e.g. '{"size": 8}'`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('cli.usage', `--params ${text}: not a mapping; write e.g. '{"size": 8}'`);
  }
  return value as Record<string, unknown>;
}

/**
 * Gives the words that called this program, as a person would type them again.
 *
 * @param script what Node was given to run
 */
export function calledAs(script = process.argv[1] ?? 'espalier', env = process.env): string {
  const event = env['npm_lifecycle_event'];
  // the quickstart calls it by its file, which no user would type
  if (event === 'cli' || event === 'quickstart') return 'npm run cli --';
  // npm links the program by its name, and Node keeps the name of the link
  if (basename(script) === 'espalier') return event === 'npx' ? 'npx espalier' : 'espalier';
  const near = relative(resolve('.'), script);
  return `node ${quoteWord(isAbsolute(near) || near.startsWith('..') ? script : near)}`;
}

/** Quotes a word for a shell when it needs it. */
export function quoteWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Parses a whole number within a range. @throws cli.usage */
export function parseInteger(name: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw new AppError('cli.usage', `${name} ${text}: expected a whole number from ${least} to ${most}`);
  };
}
