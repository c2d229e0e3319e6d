/** @file The runs that were forked from a run. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { readAll } from '../data/use-pages.js';
import { useSession } from '../session/session-context.js';
import type { Fork } from './marks.js';

/** More than anybody forks by hand; the family's view says where it ends. */
const most = 1000;

export function useForks(runId: string): readonly Fork[] {
  const { client } = useSession();
  const { data } = useQuery({
    queryKey: ['forks', runId],
    queryFn: async () =>
      (await readAll((page) => client.runs.list({ parentRunId: runId }, page), most)).items,
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
