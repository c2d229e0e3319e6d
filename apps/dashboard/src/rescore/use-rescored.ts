/** @file What was scored again of a run, and the result that the address names. */
import type { Client } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { hasEnded } from '../data/run-states.js';
import { useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';

export type Rescored = NonNullable<Awaited<ReturnType<Client['runs']['rescored']>>>;

/** The address opens the panel with it, or names a job whose result is shown. */
export const openPanel = 'new';

/** What is asked for in the address; null: nothing. */
export const useAsked = (): string | null => useSearch()[0].get('again');

/** The evaluations that scored again, newest first; read again while one is under way. */
export function useRescorings(runId: string, isWanted: boolean) {
  const { client } = useSession();
  return useQuery({
    queryKey: ['rescorings', runId],
    queryFn: async () =>
      (await client.runs.evaluations(runId))
        .filter(({ rescoredSteps, trajectory }) => rescoredSteps !== null && trajectory === null)
        .reverse(),
    enabled: isWanted,
    refetchInterval: ({ state }) => (state.data?.some((one) => !hasEnded(one.state)) === true ? 1000 : false),
  });
}

/** The result of the one that the address names, and the new totals by trajectory; both undefined until it is there. */
export function useRescored(runId: string) {
  const { client } = useSession();
  const asked = useAsked();
  const jobId = asked === null || asked === openPanel ? undefined : asked;
  const rescorings = useRescorings(runId, jobId !== undefined);
  const evaluation = rescorings.data?.find((one) => one.jobId === jobId);
  const { data, error } = useQuery({
    queryKey: ['rescored', runId, jobId],
    queryFn: () => client.runs.rescored(jobId ?? ''),
    enabled: evaluation?.state === 'finished',
    staleTime: Infinity,
  });
  const result = jobId === undefined ? undefined : (data ?? undefined);
  const totals = useMemo(
    () => result && new Map(result.rescoredTotals?.map(({ trajectory, rescored }) => [trajectory, rescored])),
    [result],
  );
  return { jobId, evaluation, result, totals, error: rescorings.error ?? error };
}
