/** @file The success in each environment of a run in several, as lines of a table. */
import type { TagEvaluation } from '@espalier/trainer';
import { clean } from '../console.js';
import { percentWithInterval } from './numbers.js';

/** One line for each tag: trained ones first, and which ones are only validated. */
export function tagLines(tags: readonly TagEvaluation[]): string[] {
  const width = Math.max(0, ...tags.map(({ tag }) => tag.length));
  return tags.map((one) => {
    const role = roleOf(one);
    return `  ${one.tag.padEnd(width)}  ${role}  ${successText(one)}`;
  });
}

/** What a tag is to the run, in a column. */
export function roleOf({ trained, level }: { readonly trained: boolean; readonly level?: number }): string {
  const role = trained ? 'trained' : level === undefined ? 'not trained' : `level ${level}`;
  return role.padEnd(13);
}

function successText({
  successRate,
  successLow,
  successHigh,
  episodes,
  failed,
  error,
}: TagEvaluation): string {
  if (successRate === null || successLow === null || successHigh === null)
    return `not measured: ${clean(error ?? 'no episode was completed').slice(0, 200)}`;
  const lost = failed === 0 ? '' : `, ${failed} failed`;
  return `${percentWithInterval(successRate, successLow, successHigh)} of ${episodes} episodes${lost}`;
}
