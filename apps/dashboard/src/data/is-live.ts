import type { Run } from '@espalier/client';

const liveStates = new Set<Run['state']>(['running', 'pausing', 'cancelling', 'assigned']);

/** Whether numbers of one of these runs still change. */
export const isLive = (runs: readonly Pick<Run, 'state'>[]): boolean =>
  runs.some(({ state }) => liveStates.has(state));
