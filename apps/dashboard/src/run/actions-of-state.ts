/** @file Which actions the state of a run allows. */
import type { JobState } from '../data/types.js';

export type Action = 'pause' | 'resume' | 'cancel';

const canPause: readonly JobState[] = ['queued', 'assigned', 'running'];
const canResume: readonly JobState[] = ['paused', 'cancelled', 'failed'];
const canCancel: readonly JobState[] = ['queued', 'assigned', 'running', 'pausing', 'paused'];

/** What the state of a run allows. */
export function actionsOf(state: JobState, isImported: boolean): readonly Action[] {
  if (isImported) return [];
  return [
    ...(canPause.includes(state) ? (['pause'] as const) : []),
    ...(canResume.includes(state) ? (['resume'] as const) : []),
    ...(canCancel.includes(state) ? (['cancel'] as const) : []),
  ];
}
