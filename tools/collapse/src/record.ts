/**
 * @file The stored runs of the corpus: one line of JSON for each, compressed. Metrics are those that the run reported, rounded to
 * six digits and otherwise as they were.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { saveWholeFile } from '@espalier/files';

/** Rules are tuned on one half and judged on the other. */
export type Half = 'tuning' | 'held-back';

export interface RecordedRun {
  readonly family: string;
  readonly half: Half;
  readonly seed: number;
  /** what was changed in which configuration */
  readonly config: string;
  readonly set: readonly string[];
  /** by name, one value for each iteration; null: not measured then */
  readonly metrics: Readonly<Record<string, readonly (number | null)[]>>;
}

export const recordFile = fileURLToPath(
  new URL('../../../docs/results/collapse-corpus.jsonl.gz', import.meta.url),
);

export function loadRecord(file = recordFile): RecordedRun[] {
  if (!existsSync(file)) return [];
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as RecordedRun);
}

export function saveRecord(runs: readonly RecordedRun[], file = recordFile): void {
  const sorted = runs.toSorted((a, b) => a.family.localeCompare(b.family) || a.seed - b.seed);
  saveWholeFile(file, gzipSync(`${sorted.map((run) => JSON.stringify(run)).join('\n')}\n`, { level: 9 }));
}

/** The metrics of one iteration of a stored run. */
export function rowAt({ metrics }: RecordedRun, index: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([name, values]) => {
      const value = values[index];
      return value === null || value === undefined ? [] : [[name, value]];
    }),
  );
}

export const stepsOf = ({ metrics }: RecordedRun): number => metrics['rollout/success_rate']?.length ?? 0;
