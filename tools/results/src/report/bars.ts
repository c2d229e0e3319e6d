/** @file Whether an entry reached its bar, seed by seed, and the sentence that says so. */
import type { EntryResult, SeedResult } from '../collect/result.js';
import type { Bar } from '../matrix.js';

export interface Verdict {
  readonly isMet: boolean;
  readonly finding: string;
}

/** Describes a bar in words. */
export function describeBar(bar: Bar, minutes: number): string {
  return 'gain' in bar
    ? `at least ${(100 * bar.gain).toFixed(0)} points in ${minutes} minutes`
    : `at least ${(100 * bar.success).toFixed(0)} %, and still so ${bar.holdSteps} iterations later, in ${minutes} minutes`;
}

/** Judges one seed; the paired interval must lie above zero whatever the bar is. */
export function judgeSeed(seed: SeedResult, bar: Bar, minutes: number): Verdict {
  const isAboveZero = seed.difference.low > 0;
  if ('gain' in bar) {
    const gain = (100 * seed.difference.difference).toFixed(1);
    return { isMet: isAboveZero && seed.difference.difference >= bar.gain, finding: `${gain} points` };
  }
  const inTime = seed.validations.filter((one) => one.minutes <= minutes);
  const reached = inTime.find(({ success }) => success >= bar.success);
  if (reached === undefined) return { isMet: false, finding: `never at ${100 * bar.success} %` };
  const later = inTime.filter(({ step }) => step >= reached.step + bar.holdSteps);
  const lowest = inTime
    .filter(({ step }) => step >= reached.step)
    .reduce((least, { success }) => Math.min(least, success), Infinity);
  const holds = later.length > 0 && later.every(({ success }) => success >= bar.success);
  return {
    isMet: isAboveZero && holds,
    finding: `reached at ${reached.step}, lowest afterwards ${(100 * lowest).toFixed(1)} %`,
  };
}

/** Judges an entry: every requested seed must be finished and reach the bar. */
export function judgeEntry(entry: EntryResult): Verdict | undefined {
  const { bar, seeds, seedsAsked, budgetMinutes } = entry;
  if (bar === undefined) return undefined;
  const met = seeds.filter((seed) => judgeSeed(seed, bar, budgetMinutes).isMet).length;
  return { isMet: met === seedsAsked, finding: `${met} of ${seedsAsked}` };
}
