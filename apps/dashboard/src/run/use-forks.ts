/** @file The runs that were forked from a run, and the one that it continues from. */
import type { RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession } from '../session/session-context.js';
import type { Fork } from './marks.js';

/** More are in the family's view. */
const most = 50;

export function useForks({ id, parentRunId, parentStep, continues }: RunDetails): readonly Fork[] {
  const { client } = useSession();
  const { data } = useQuery({
    queryKey: ['forks', id],
    queryFn: async () => (await client.runs.list({ parentRunId: id }, { first: most })).items,
    refetchInterval: 30_000,
  });
  return useMemo(() => {
    const forks = (data ?? []).flatMap((run): Fork[] =>
      run.parentStep === null ? [] : [{ id: run.id, title: run.title || run.name, step: run.parentStep }],
    );
    // one that continues counts its steps as its parent does
    const origin: Fork[] =
      parentRunId !== null && parentStep !== null && continues
        ? [{ id: parentRunId, title: 'from its parent', step: parentStep }]
        : [];
    return [...origin, ...forks];
  }, [data, parentRunId, parentStep, continues]);
}
