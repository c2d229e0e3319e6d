/**
 * @file Bounds for untrusted data: text, times and counts. Every schema of messages, requests, imports and cursors uses
 * them, so that valid data fits both databases and every serializer.
 */
import { metricNameRule } from '@espalier/contracts';
import { z } from 'zod';

/** Control characters and lone surrogates; multi-line text may have tabs and newlines. */
const unprintable = /[\p{Cc}\p{Cs}]/u;
const unprintableInLines = /[^\P{Cc}\t\n\r]|\p{Cs}/u;
const everyUnprintable = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

interface TextBounds {
  /** characters at least; default: 0 */
  readonly least?: number;
  /** accepts tabs and newlines */
  readonly isMultiline?: boolean;
  /** what is said of a wrong length, such as `expected a tag of 1 to 64 characters` */
  readonly expected?: string;
}

/** Text as a person or a program names things: of a bounded length, without control characters and lone surrogates. */
export function text(
  most: number,
  { least = 0, isMultiline = false, expected }: TextBounds = {},
): z.ZodString {
  const pattern = isMultiline ? unprintableInLines : unprintable;
  const finding = isMultiline
    ? 'expected no control characters but tabs and newlines'
    : 'expected no control characters';
  return z
    .string()
    .min(least, expected)
    .max(most, expected)
    .refine((value) => !pattern.test(value), finding);
}

/** Text that a program printed or a model wrote: cut at a length, with U+FFFD for what `text` refuses. */
export function printedText(most: number): z.ZodString {
  return z.string().overwrite((value) => cleanText(value, most));
}

/** Cuts a text and puts U+FFFD in place of control characters and lone surrogates; tabs and newlines stay. */
export function cleanText(value: string, most: number): string {
  return value.slice(0, most).replaceAll(everyUnprintable, '\u{fffd}');
}

/** A list of a bounded length, which is checked before any element. */
export function list<T extends z.ZodType>(element: T, most: number, least = 0) {
  return z.array(z.custom<z.input<T>>()).min(least).max(most).pipe(z.array(element));
}

const latest = Date.UTC(2200, 0, 1);
/** A time, from 1970: the clock of a machine may never have been set. */
export const time = z
  .number()
  .min(0)
  .max(latest)
  .overwrite(Math.round)
  .describe('ms since the epoch, before the year 2200');

/** Formats a time as ISO 8601; clamps one that is out of range, which is never stored. */
export function toIsoTime(moment: number): string {
  return new Date(Math.min(Math.max(Number(moment) || 0, 0), latest)).toISOString();
}

/** Like `toIsoTime`; null stays null. */
export const toIsoTimeOrNull = (moment: number | null): string | null =>
  moment === null ? null : toIsoTime(moment);

/** The largest number of a column of 32 bits. */
export const maxCount = 2 ** 31 - 1;
/** A count or an index. */
export const count = z.int().min(0).max(maxCount);
/** A count that is -1 before the first. */
export const step = z.int().min(-1).max(maxCount).describe('completed iterations; -1: none applies');
/** Bytes, or a place in the history of a run. */
export const size = z.int().min(0);

export const metricName = text(200, { least: 1 }).refine(
  metricNameRule.allows,
  'expected the name of a metric: letters, digits and punctuation, a letter, digit or underscore first',
);
