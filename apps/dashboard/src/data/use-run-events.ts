/** @file What happened to a run besides metrics and trajectories, from its beginning, pushed. */
import { useEffect, useRef, useState } from 'react';
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

/** records that are drawn without waiting for more */
const drawnAtOnce = 20_000;

/** The records of these kinds in their order; a reconnect repeats none. */
export function useRunEvents(runId: string): readonly RunRecord[] {
  const { client } = useSession();
  const [records, setRecords] = useState<readonly RunRecord[]>([]);
  const waiting = useRef<RunRecord[]>([]);
  const timer = useRef<number>();
  useEffect(() => {
    setRecords([]);
    waiting.current = [];
    return () => window.clearTimeout(timer.current);
  }, [runId]);
  const draw = (): void => {
    const given = waiting.current;
    waiting.current = [];
    setRecords((old) => {
      const last = old.at(-1)?.cursor ?? 0;
      const added = given.filter(({ cursor }) => cursor > last);
      return added.length === 0 ? old : [...old, ...added];
    });
  };
  useLive(
    runId,
    () => client.live.events(runId, 0, kinds),
    (batch) => {
      waiting.current.push(...batch.records);
      window.clearTimeout(timer.current);
      // a long history comes in hundreds of batches: not drawn after each
      const isMany = waiting.current.length >= drawnAtOnce;
      if (isMany) draw();
      else timer.current = window.setTimeout(draw, 30);
    },
  );
  return records;
}
