/** @file How a run can end. */

/**
 * `no-signal`: ended early because there was nothing to learn from; `collapsed` and `paused`: the collapse monitor ended it, for
 * good or until it is resumed.
 */
export const runOutcomes = ['finished', 'no-signal', 'collapsed', 'paused', 'interrupted', 'failed'] as const;
