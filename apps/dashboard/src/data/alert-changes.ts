/** @file Every alert that is raised, acknowledged, assigned or judged is pushed; what was read of alerts is read again. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useSession } from '../session/session-context.js';
import { useLive } from './use-live.js';

/** many alerts at once are read once, ms */
const quietMs = 300;

/** Follows the alerts of all runs that the key sees. */
export function useAlertChanges(): void {
  const { client } = useSession();
  const queries = useQueryClient();
  const timer = useRef<number>();
  const changed = useRef(new Set<string>());
  useLive(
    'alerts',
    () => client.live.alerts(),
    ({ runId }) => {
      changed.current.add(runId);
      if (timer.current !== undefined) return;
      timer.current = window.setTimeout(() => {
        timer.current = undefined;
        void queries.invalidateQueries({ queryKey: ['alerts'] });
        for (const id of changed.current) void queries.invalidateQueries({ queryKey: ['alarms', id] });
        changed.current.clear();
      }, quietMs);
    },
  );
}

/** How many alerts nobody has acknowledged; undefined: not read yet. */
export function useOpenAlerts(): number | undefined {
  const { client } = useSession();
  return useQuery({
    queryKey: ['alerts', 'open'],
    meta: { what: 'how many alerts are open' },
    queryFn: () => client.totals.alerts({ open: true }),
    staleTime: Infinity,
  }).data;
}

/** Acknowledges alerts, all or none; what was read of them is read again at once, before the push tells. */
export function useAcknowledge(onDone?: () => void) {
  const { client } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) => client.overview.acknowledgeAll(ids),
    onSuccess: async () => {
      onDone?.();
      await queries.invalidateQueries({ queryKey: ['alerts'] });
      await queries.invalidateQueries({ queryKey: ['alarms'] });
    },
  });
}
