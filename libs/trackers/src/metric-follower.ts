/** @file Reads what was appended to the metrics file of a run since the last look. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { decodeMetricRow, type MetricRow } from '@espalier/recorder';

export interface MetricFollower {
  /**
   * The rows from number `from` on, as far as their lines are complete.
   *
   * @throws recorder.corrupt_log
   */
  read(from: number): MetricRow[];
}

/** Follows a metrics file; a file that was cut (a run that resumes) is read from its start again. */
export function createMetricFollower(path: string): MetricFollower {
  let offset = 0;
  let line = 0;
  let rest = Buffer.alloc(0);
  let waiting: { readonly number: number; readonly row: MetricRow }[] = [];
  return {
    read(from) {
      if (!existsSync(path)) return [];
      const descriptor = openSync(path, 'r');
      try {
        const { size } = fstatSync(descriptor);
        if (size < offset) {
          [offset, line, rest, waiting] = [0, 0, Buffer.alloc(0), []];
        }
        const added = Buffer.alloc(size - offset);
        offset += readSync(descriptor, added, 0, added.length, offset);
        const bytes = Buffer.concat([rest, added]);
        const end = bytes.lastIndexOf(0x0a) + 1;
        rest = bytes.subarray(end);
        for (const text of bytes.toString('utf8', 0, end).split('\n').slice(0, -1)) {
          waiting.push({ number: line, row: decodeMetricRow(text, path, line + 1) });
          line += 1;
        }
      } finally {
        closeSync(descriptor);
      }
      waiting = waiting.filter(({ number }) => number >= from);
      return waiting.map(({ row }) => row);
    },
  };
}
