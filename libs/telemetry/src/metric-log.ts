/**
 * @file `metrics.jsonl`: one row per metrics event, only ever appended. A value that is no number is stored
 * as null and read as NaN.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { AppError, type EventSink } from '@espalier/contracts';
import { createAppendFile } from './append-file.js';

export interface MetricRow {
  /** iteration, as in the event */
  readonly step: number;
  /** ms since the epoch */
  readonly time: number;
  /** 1 for the first start of the run, one more per resume */
  readonly attempt: number;
  readonly values: Readonly<Record<string, number>>;
}

/**
 * Creates a sink that appends metrics events; the attempt number is that of the last `run-started` event.
 */
export function createMetricSink(path: string): EventSink & { close(): void } {
  const file = createAppendFile(path);
  let attempt = 1;
  return {
    emit(event) {
      if (event.kind === 'run-started') attempt = event.attempt;
      if (event.kind !== 'metrics') return;
      const row = { step: event.step, time: event.time, attempt, values: event.values };
      file.append(`${JSON.stringify(row)}\n`);
    },
    flush: async () => file.sync(),
    close: () => file.close(),
  };
}

/**
 * Reads the rows of a metric log; a last line that was cut off by a crash is left out.
 *
 * @throws telemetry.broken_log when any other line is not a row
 */
export function readMetrics(path: string): MetricRow[] {
  return completeLines(path).map((line, index) => parseRow(line, path, index + 1));
}

/**
 * Cuts a log back to its first `rows` rows, so that a resumed run neither repeats nor misses one.
 * The file is replaced as a whole. Returns how many rows were dropped.
 *
 * @throws telemetry.broken_log when there are fewer rows than the checkpoint knows of
 */
export function truncateMetrics(path: string, rows: number): number {
  const lines = completeLines(path);
  if (lines.length < rows) {
    throw new AppError(
      'telemetry.broken_log',
      `resume ${path}: ${lines.length} rows, but the checkpoint was made after ${rows}; restore the file`,
    );
  }
  const text = lines
    .slice(0, rows)
    .map((line) => `${line}\n`)
    .join('');
  replaceFile(path, text);
  return lines.length - rows;
}

/** Writes a file beside its place, makes it safe, and moves it there. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, content);
  const descriptor = openSync(temporary, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, path);
}

/** Lines that end in a newline: the rest is an unfinished write. */
function completeLines(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines;
}

function parseRow(line: string, path: string, number: number): MetricRow {
  try {
    const row = JSON.parse(line) as MetricRow;
    const values = Object.entries(row.values).map(([name, value]) => [
      name,
      (value as number | null) ?? Number.NaN,
    ]);
    return { ...row, values: Object.fromEntries(values) as Record<string, number> };
  } catch (cause) {
    throw new AppError('telemetry.broken_log', `read ${path}: line ${number} is no metric row`, { cause });
  }
}
