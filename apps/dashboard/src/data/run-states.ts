/** @file States of runs and jobs, and the groups in which the page speaks of them. */
import type { JobState } from './types.js';

/** What a list of runs is narrowed to, by its name in an address. */
export const stateGroups = {
  live: ['queued', 'assigned', 'running', 'pausing', 'cancelling', 'importing'],
  paused: ['paused'],
  finished: ['finished'],
  failed: ['failed'],
  cancelled: ['cancelled'],
} as const satisfies Readonly<Record<string, readonly JobState[]>>;

/** The states of a group; undefined where an address names none. */
export const statesOf = (group: string | null): readonly JobState[] | undefined =>
  Object.hasOwn(stateGroups, group ?? '') ? stateGroups[group as keyof typeof stateGroups] : undefined;

const computing = new Set<string>(['running', 'pausing', 'cancelling', 'assigned']);
const ended = new Set<string>(['finished', 'failed', 'cancelled']);

/** Whether numbers of one of these runs still change. */
export const isLive = (runs: readonly { readonly state: JobState }[]): boolean =>
  runs.some(({ state }) => computing.has(state));

/** Whether a run or a job is over, unless somebody resumes it. */
export const hasEnded = (state: string): boolean => ended.has(state);
