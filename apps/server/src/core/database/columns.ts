/** @file Column types; both databases return the same JavaScript values. */
import { toIsoTimeOrNull } from '@espalier/protocol/bounds';
import type { ColumnOptions, PrimaryColumnOptions } from 'typeorm';

const toNumber = {
  to: (value: unknown) => value,
  from: (value: unknown) => (value === null || value === undefined ? null : Number(value)),
};

/** An integer up to 2^53: times in ms, cursors, byte counts. */
export const bigint: ColumnOptions = { type: 'bigint', transformer: toNumber };
/** The same, or null. */
export const nullableBigint: ColumnOptions = { ...bigint, nullable: true };
/** JSON as text; never queried by its parts. */
export const json: ColumnOptions = { type: 'simple-json' };
/** JSON as text, or null. */
export const nullableJson: ColumnOptions = { type: 'simple-json', nullable: true };
/** Text, or null. */
export const nullableText: ColumnOptions = { type: 'text', nullable: true };
/** 64-bit floating point; NaN and infinities are stored as null. */
export const nullableFloat: ColumnOptions = { type: 'double precision', nullable: true };
/** Steps are −1 where there is none. */
export const stepOrNull = (step: number): number | null => (step === -1 ? null : step);
/** Part of a primary key that is an integer up to 2^53. */
export const bigintKey: PrimaryColumnOptions = { type: 'bigint', transformer: toNumber };
/** Some times of a row as ISO 8601 text. */
export const isoTimesOf = <K extends string>(
  row: Readonly<Record<K, number | null>>,
  times: readonly K[],
): Record<K, string | null> =>
  Object.fromEntries(times.map((name) => [name, toIsoTimeOrNull(row[name])])) as Record<K, string | null>;
