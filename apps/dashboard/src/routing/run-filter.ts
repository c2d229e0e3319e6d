/** @file The filter that all views of a run share: a range of steps, and which trajectories. It is in the address. */

import { type SearchChange, wholeNumber } from './router.js';

/** Steps from the first to the last of them. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What a range and a choice of trajectories are called in an address, in the order in which they are told. */
export const filterNames = [
  'from',
  'to',
  'tag',
  'split',
  'success',
  'label',
  'kept',
  'outcome',
  'reason',
  'group',
  'masked',
  'clipped',
  'least',
  'most',
  'text',
  'sort',
] as const;

/** Takes them all off. */
export const noFilter: SearchChange = Object.fromEntries(filterNames.map((name) => [name, undefined]));

/** The part of an address that other views of the run keep, with a question mark; empty: there is none. */
export function keptSearch(search: URLSearchParams, more: Readonly<Record<string, string>> = {}): string {
  const kept: Record<string, string> = {};
  for (const name of filterNames) kept[name] = search.get(name) ?? '';
  const given = Object.entries({ ...kept, ...more }).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** The steps that an address names, without an end where it has none; undefined: all. */
export function readRange(search: URLSearchParams): Range | undefined {
  const from = wholeNumber(search.get('from'));
  const to = wholeNumber(search.get('to'));
  if (from === undefined && to === undefined) return undefined;
  return { from: from ?? 0, to: Math.max(from ?? 0, to ?? Infinity) };
}

/** Such as "steps 3–7". */
export function tellRange({ from, to }: Range): string {
  if (to === Infinity) return `from step ${from}`;
  return from === to ? `step ${from}` : `steps ${from}–${to}`;
}
