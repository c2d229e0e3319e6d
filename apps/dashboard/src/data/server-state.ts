/** @file Whether the server answers, and whether it is still the one that this page came from. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useSession } from '../session/session-context.js';

/** Asks every few seconds; when the server is back, everything is read again. */
export function useServerState(): 'here' | 'away' | 'changed' {
  const { client } = useSession();
  const queries = useQueryClient();
  const { data: version, isError } = useQuery({
    queryKey: ['server'],
    queryFn: () => client.overview.version(),
    refetchInterval: ({ state }) => (state.status === 'error' ? 1500 : 10_000),
    refetchIntervalInBackground: true,
    retry: false,
  });
  const first = useRef<string>();
  first.current ??= version;
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && !isError)
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'server' });
    wasAway.current = isError;
  }, [isError, queries]);
  if (isError) return 'away';
  return version !== undefined && version !== first.current ? 'changed' : 'here';
}
