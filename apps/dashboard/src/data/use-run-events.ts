/** @file What happened to a run besides metrics and trajectories, from its beginning, pushed. */
import { useEffect, useState } from 'react';
import { useSession } from '../session/session-context.js';
import type { RunRecord } from './types.js';
import { useLive } from './use-live.js';

const kinds = [
  'state',
  'run-started',
  'run-ended',
  'process-ended',
  'checkpoint',
  'level',
  'warning',
  'monitor',
] as const;

/** The records of these kinds in their order; a reconnect repeats none. */
export function useRunEvents(runId: string): readonly RunRecord[] {
  const { client } = useSession();
  const [records, setRecords] = useState<readonly RunRecord[]>([]);
  useEffect(() => setRecords([]), [runId]);
  useLive(
    runId,
    () => client.live.events(runId, 0, kinds),
    (batch) =>
      setRecords((old) => {
        const last = old.at(-1)?.cursor ?? 0;
        const added = batch.records.filter(({ cursor }) => cursor > last);
        return added.length === 0 ? old : [...old, ...added];
      }),
  );
  return records;
}
