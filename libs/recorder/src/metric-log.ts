/**
 * @file `metrics.jsonl`: one row per metrics event, append-only. NaN and infinities are stored as null and read as
 * NaN. Each row has a checksum, `crc` (checked-line.ts).
 */
import { resolve } from 'node:path';
import { AppError, type EventSink } from '@espalier/contracts';
import { createAppendFile, completeLines, decodeCheckedLine, encodeCheckedLine } from '@espalier/files';

export interface MetricRow {
  /** as in the event */
  readonly step: number;
  /** ms since the epoch */
  readonly time: number;
  /** 1 for the first start of the run, one more per resume */
  readonly attempt: number;
  readonly values: Readonly<Record<string, number>>;
}

/**
 * Creates a sink that appends metrics events with the attempt of the last `run-started` event.
 */
export function createMetricSink(path: string): EventSink & { close(): void } {
  const file = createAppendFile(path);
  let attempt = 1;
  return {
    emit(event) {
      if (event.kind === 'run-started') attempt = event.attempt;
      if (event.kind !== 'metrics') return;
      const row = { step: event.step, time: event.time, attempt, values: event.values };
      file.append(encodeCheckedLine(row));
    },
    flush: async () => file.sync(),
    marks: () => ({ [resolve(path)]: file.mark() }),
    close: () => file.close(),
  };
}

/**
 * Reads the rows of a metric log; an incomplete last line is ignored.
 *
 * @throws recorder.corrupt_log when any other line is not a row
 */
export function readMetrics(path: string): MetricRow[] {
  return completeLines(path).map((line, index) => decodeMetricRow(line, path, index + 1));
}

/** Decodes a line of a metric log; `number` is its number, from 1. @throws recorder.corrupt_log */
export function decodeMetricRow(line: string, path: string, number: number): MetricRow {
  const row = decodeCheckedLine(line) as MetricRow | undefined;
  if (row === undefined) {
    throw new AppError(
      'recorder.corrupt_log',
      `read ${path}: line ${number} is corrupt: its checksum does not match; resume the run to set the file aside`,
    );
  }
  const values = Object.entries(row.values).map(([name, value]) => [
    name,
    (value as number | null) ?? Number.NaN,
  ]);
  return { ...row, values: Object.fromEntries(values) as Record<string, number> };
}
