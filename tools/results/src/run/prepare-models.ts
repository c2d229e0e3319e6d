/** @file Makes the models that entries start from, and measures those that a warm start began with. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, loadConfig } from '@espalier/config';
import { saveWholeFile } from '@espalier/files';
import { type ChildResult, runChild } from '@espalier/sweep';
import { type Entry, lineage, type Matrix, type Model, modelsOf } from '../matrix.js';
import { cli, modelFolder } from './job.js';

export interface PrepareOptions {
  readonly out: string;
  readonly threads: number | undefined;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** What is known of a model that was made. */
export interface MadeModel {
  readonly request: string;
  /** on the wall clock */
  readonly minutes: number;
}

/** A model before its warm start, measured on the validation states of an entry. */
export interface UntrainedModel {
  readonly request: string;
  readonly success: number;
  readonly low: number;
  readonly high: number;
  readonly formatValid: number;
}

/** Exit codes of a command: 75 was stopped and can be resumed. */
const exits = { ok: 0, temporary: 75 };

type Preparation = 'done' | 'stopped' | 'failed';

export interface Prepared {
  readonly isStopped: boolean;
  /** names of entries whose model could not be made or measured */
  readonly unready: ReadonlySet<string>;
}

/** What was stored under a name by {@link prepareModels}; undefined while it is not there. */
export function readStored<T>(path: string): T | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined;
}

export const madeFile = (out: string, model: string): string => `${modelFolder(out, model)}.json`;
export const untrainedFile = (out: string, entry: string): string => join(out, entry, 'untrained.json');

/**
 * Makes what is missing, in order, until it is stopped; what was made for an equal request stays. What cannot be made holds up
 * nothing but the entries that start from it.
 */
export async function prepareModels(
  matrix: Pick<Matrix, 'models'>,
  entries: readonly Entry[],
  options: PrepareOptions,
): Promise<Prepared> {
  const unready = new Set<string>();
  const isReady = ({ name }: Entry): boolean => !unready.has(name);
  const stopped = { isStopped: true, unready };
  for (const model of modelsOf(matrix, entries)) {
    const waiting = entries.filter((entry) => isReady(entry) && lineage(matrix, entry).includes(model));
    if (waiting.length === 0) continue;
    const end = options.signal.aborted ? 'stopped' : await makeModel(model, options);
    if (end === 'stopped') return stopped;
    if (end === 'failed') for (const { name } of waiting) unready.add(name);
  }
  for (const entry of entries.filter(isReady)) {
    const end = options.signal.aborted ? 'stopped' : await measureUntrained(matrix, entry, options);
    if (end === 'stopped') return stopped;
    if (end === 'failed') unready.add(entry.name);
  }
  return { isStopped: false, unready };
}

async function makeModel(model: Model, { out, threads, signal, say }: PrepareOptions): Promise<Preparation> {
  const folder = modelFolder(out, model.name);
  const request = requestOf(model, out);
  const made = madeFile(out, model.name);
  if (existsSync(folder) && readStored<MadeModel>(made)?.request === request) return 'done';
  const log = `${folder}.log`;
  say(`${model.name}: ${'warmStart' in model ? 'warm start' : model.script} begins; log ${log}`);
  const begin = Date.now();
  const words =
    'warmStart' in model
      ? [
          cli,
          'warm-start',
          model.warmStart,
          ...(model.from === undefined ? [] : ['--from', modelFolder(out, model.from)]),
          ...setWords(model.set, threads),
        ]
      : model.script.split(' ');
  const onLine = everyFewSeconds((line) => say(`${model.name}: ${line}`));
  const ended = await runChild([...words, '--out', folder], { log, signal, onLine });
  const end = judge(model.name, ended, { log, say });
  if (end !== 'done') return end;
  const minutes = (Date.now() - begin) / 60_000;
  saveWholeFile(made, JSON.stringify({ request, minutes } satisfies MadeModel));
  say(`${model.name}: made in ${minutes.toFixed(1)} min`);
  return 'done';
}

/** A model that a warm start began with is measured once for an entry; runs validate the model they start from. */
async function measureUntrained(
  matrix: Pick<Matrix, 'models'>,
  entry: Entry,
  { out, threads, signal, say }: PrepareOptions,
): Promise<Preparation> {
  const [first, second] = lineage(matrix, entry);
  if (first === undefined || second === undefined) return 'done';
  const file = untrainedFile(out, entry.name);
  const request = canonicalJson({
    model: requestOf(first, out),
    config: loadConfig(entry.config).value,
    set: entry.set,
  });
  if (readStored<UntrainedModel>(file)?.request === request) return 'done';
  say(`${entry.name}: measuring ${first.name} as it is`);
  const log = join(out, entry.name, 'untrained.log');
  const words = [
    'eval',
    modelFolder(out, first.name),
    entry.config,
    ...setWords(entry.set, threads),
    '--json',
  ];
  let found = '';
  const onLine = (line: string): void => {
    if (line.startsWith('{')) found = line;
  };
  const ended = await runChild([cli, ...words], { log, signal, onLine });
  const end = judge(entry.name, ended, { log, say });
  if (end !== 'done') return end;
  const { successRate, successLow, successHigh, metrics } = JSON.parse(found) as {
    readonly successRate: number;
    readonly successLow: number;
    readonly successHigh: number;
    readonly metrics: Readonly<Record<string, number>>;
  };
  const measured: UntrainedModel = {
    request,
    success: successRate,
    low: successLow,
    high: successHigh,
    formatValid: metrics['validation/format_valid_share'] ?? 0,
  };
  saveWholeFile(file, JSON.stringify(measured));
  return 'done';
}

const setWords = (set: readonly string[], threads: number | undefined): string[] =>
  [...set, ...(threads === undefined ? [] : [`device.threads=${threads}`])].flatMap((one) => ['--set', one]);

function judge(
  name: string,
  { exitCode, lastLine }: ChildResult,
  { log, say }: { readonly log: string; readonly say: (line: string) => void },
): Preparation {
  if (exitCode === exits.ok) return 'done';
  const end = exitCode === exits.temporary ? 'stopped' : 'failed';
  say(`${name}: ${end} (exit ${exitCode}): ${lastLine}; log ${log}`);
  return end;
}

function requestOf(model: Model, out: string): string {
  if (!('warmStart' in model)) return canonicalJson(model);
  return canonicalJson({
    ...model,
    config: loadConfig(model.warmStart).value,
    from:
      model.from === undefined ? null : (readStored<MadeModel>(madeFile(out, model.from))?.request ?? null),
  });
}

/** Passes on a line at most every ten seconds. */
function everyFewSeconds(write: (line: string) => void): (line: string) => void {
  let last = -Infinity;
  return (line) => {
    if (line.trim() === '' || Date.now() - last < 10_000) return;
    last = Date.now();
    write(line);
  };
}
