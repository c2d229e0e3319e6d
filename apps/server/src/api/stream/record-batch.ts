/** @file Consecutive records of a run, and the stream messages built from them. */
import type { MetricColumns, StreamBatch, StreamRecord } from '@espalier/protocol';
import type { RunRecord } from '../../core/database/entities/run-record.js';

/** characters that count as one metric value */
const charactersPerValue = 20;

type Values = Readonly<Record<string, number | null>>;

/** All records of a run with `after` < cursor ≤ `cursor`. */
export class RecordBatch {
  private counted: number | undefined;
  private readonly messages = new Map<string, StreamBatch>();

  constructor(
    readonly runId: string,
    readonly after: number,
    readonly cursor: number,
    readonly records: readonly RunRecord[],
  ) {}

  /** Its size in memory and on the wire, in metric values. */
  get size(): number {
    return (this.counted ??= this.records.reduce((sum, record) => sum + sizeOf(record), 0));
  }

  /** Returns the records after a cursor inside the batch. */
  cut(after: number): RecordBatch {
    if (after === this.after) return this;
    return new RecordBatch(
      this.runId,
      after,
      this.cursor,
      this.records.filter(({ cursor }) => cursor > after),
    );
  }

  /** Returns the first records up to a size, but at least one. */
  begin(most: number): RecordBatch {
    if (this.size <= most) return this;
    let count = 0;
    let size = 0;
    for (const record of this.records) {
      size += sizeOf(record);
      if (size > most && count > 0) break;
      count += 1;
    }
    if (count === this.records.length) return this;
    const records = this.records.slice(0, count);
    return new RecordBatch(this.runId, this.after, records.at(-1)?.cursor ?? this.after, records);
  }

  /** Returns the stream message, built once per selection of metrics; undefined: all of them. */
  message(names?: readonly string[]): StreamBatch {
    const key = names === undefined ? '' : JSON.stringify(names);
    let message = this.messages.get(key);
    if (message === undefined) {
      const { runId, after, cursor } = this;
      const records = this.records.filter(({ kind }) => kind !== 'metrics').map(toStreamRecord);
      message = { runId, after, cursor, metrics: toColumns(this.records, names), records };
      this.messages.set(key, message);
    }
    return message;
  }
}

/** A row of metrics has four columns of its own; other records are some text, a line of a log up to 20,000 characters. */
function sizeOf({ kind, body }: RunRecord): number {
  if (kind !== 'metrics') return 20 + Math.ceil(textOf(body) / charactersPerValue);
  let size = 4;
  for (const _ in body['values'] as Values) size += 1;
  return size;
}

/** Characters of all texts inside a value. */
function textOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + textOf(part), 0);
}

function toStreamRecord({ cursor, kind, time, step, attempt, body }: RunRecord): StreamRecord {
  return { cursor, kind, time, step, attempt, body };
}

/** Puts metric rows into columns; rows without a requested metric are left out. */
export function toColumns(records: readonly RunRecord[], names?: readonly string[]): MetricColumns {
  const wanted = names === undefined ? undefined : new Set(names);
  const rows = records.filter(
    ({ kind, body }) =>
      kind === 'metrics' &&
      (names === undefined || names.some((name) => Object.hasOwn(body['values'] as Values, name))),
  );
  // a metric may have the name of an object property
  const values = new Map<string, (number | null)[]>();
  const notFinite = new Map<string, number[]>();
  rows.forEach(({ body }, index) => {
    const row = body['values'] as Values;
    for (const name in row) {
      if (wanted !== undefined && !wanted.has(name)) continue;
      let column = values.get(name);
      if (column === undefined) values.set(name, (column = new Array<number | null>(rows.length).fill(null)));
      column[index] = row[name] ?? null;
      if (row[name] === null) notFinite.set(name, [...(notFinite.get(name) ?? []), index]);
    }
  });
  return {
    cursors: rows.map(({ cursor }) => cursor),
    steps: rows.map(({ step }) => step),
    times: rows.map(({ time }) => time),
    attempts: rows.map(({ attempt }) => attempt),
    values: Object.fromEntries(values),
    ...(notFinite.size > 0 && { notFinite: Object.fromEntries(notFinite) }),
  };
}
