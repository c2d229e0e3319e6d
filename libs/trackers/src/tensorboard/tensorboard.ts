/** @file TensorBoard: event files in a folder, no server needed. */
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createAppendFile } from '@espalier/files';
import { flatOptions } from '../flat-options.js';
import type { OpenTracker, TrackedRun } from '../tracker.js';
import { encodeRecord, encodeSummary, encodeVersion, type SummaryValue } from './event-file.js';

/** Each process writes a file of its own, as TensorFlow does; TensorBoard reads them as one run. */
export function createTensorBoard(folder: (run: TrackedRun) => string): OpenTracker {
  return async (run, state) => {
    const path = folder(run);
    mkdirSync(path, { recursive: true });
    const now = Date.now();
    // the file names sort by time, which is the order in which TensorBoard reads them
    const name = `events.out.tfevents.${String(now).padStart(13, '0')}.${hostname()}.${process.pid}`;
    const write = (events: readonly Uint8Array[]): void => {
      const file = createAppendFile(join(path, name));
      try {
        for (const event of events) file.append(encodeRecord(event));
        file.sync();
      } finally {
        file.close();
      }
    };
    write([encodeVersion(now)]);
    if (state === undefined) write([encodeSummary(now, 0, [{ tag: 'options', text: optionTable(run) }])]);
    return {
      state: {},
      log: async (rows) =>
        write(
          rows.map(({ time, step, values }) =>
            encodeSummary(
              time,
              step,
              Object.entries(values).map(([tag, scalar]): SummaryValue => ({ tag, scalar })),
            ),
          ),
        ),
      end: async ({ outcome, message, health, time }) => {
        const text = [outcome, message, ...(health ? [`health: ${health.state}`] : [])].join('\n\n');
        write([encodeSummary(time, 0, [{ tag: 'outcome', text }])]);
      },
    };
  };
}

/** A table in Markdown, with what could break it escaped. */
function optionTable({ spec }: TrackedRun): string {
  const cell = (text: string): string => text.replaceAll(/[|\\`<>]/g, '\\$&').replaceAll('\n', ' ');
  const rows = flatOptions(spec).map(([name, value]) => `| ${cell(name)} | ${cell(value)} |`);
  return ['| option | value |', '| --- | --- |', ...rows].join('\n');
}
