/** @file The runs that were forked from a run. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession } from '../session/session-context.js';
import type { Fork } from './marks.js';

/** More are in the family's view. */
const most = 50;

export function useForks(runId: string): readonly Fork[] {
  const { client } = useSession();
  const { data } = useQuery({
    queryKey: ['forks', runId],
    queryFn: async () => (await client.runs.list({ parentRunId: runId }, { first: most })).items,
    refetchInterval: 30_000,
  });
  return useMemo(
    () =>
      (data ?? []).flatMap((run) =>
        run.parentStep === null ? [] : [{ id: run.id, title: run.title || run.name, step: run.parentStep }],
      ),
    [data],
  );
}
