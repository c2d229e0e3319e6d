import type { Run } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isLive } from '../data/run-states.js';
import { useSession } from '../session/session-context.js';

/** how often the numbers are read again while a run is live, ms */
const again = 15_000;
/** Steps of one request: all values of about 30 metrics are read, and the server limits what a request may cost. */
const mostSteps = 50_000;

type Asked = Pick<Run, 'id' | 'state' | 'step'>;

/** What runs have cost so far; runs that have completed no step are missing. */
export function useLedgers(runs: readonly Asked[]) {
  const { client } = useSession();
  const parts = useMemo(() => inParts(runs), [runs]);
  return useQuery({
    queryKey: ['ledgers', parts],
    meta: { what: 'what runs have cost' },
    queryFn: async () => {
      const read = [];
      for (const ids of parts)
        read.push(...((await client.runs.compare(ids, { metrics: [], ledger: true })).ledgers ?? []));
      return read;
    },
    enabled: parts.length > 0,
    refetchInterval: isLive(runs) ? again : false,
    placeholderData: (old) => old,
  });
}

/** Ids in as few lists as the limit allows; a run that is longer than it has one of its own. */
export function inParts(runs: readonly Pick<Run, 'id' | 'step'>[]): string[][] {
  const parts: string[][] = [];
  let steps = Infinity;
  for (const { id, step } of runs) {
    const own = 1 + (step ?? 0);
    if (steps + own > mostSteps) {
      parts.push([]);
      steps = 0;
    }
    steps += own;
    parts.at(-1)?.push(id);
  }
  return parts;
}
