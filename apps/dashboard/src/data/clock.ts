/** @file How far the clock of this computer is off, so that ages are told by the server's, whose times are shown. */
import { useQuery } from '@tanstack/react-query';

/** Less is not told apart from a slow answer. */
const least = 5000;

/** What must be added to the clock of this computer, ms; 0: it is right, or not compared yet. */
export function useClockOffset(): number {
  const { data = 0 } = useQuery({
    queryKey: ['clock'],
    queryFn: readOffset,
    staleTime: Infinity,
    refetchInterval: 600_000,
    retry: false,
  });
  return data;
}

async function readOffset(): Promise<number> {
  const begin = Date.now();
  const response = await fetch('/health/live', { cache: 'no-store' });
  // read to its end, or the connection stays taken
  await response.text();
  const end = Date.now();
  // in whole seconds
  const told = Date.parse(response.headers.get('date') ?? '') + 500;
  const offset = told - (begin + end) / 2;
  return Number.isFinite(offset) && Math.abs(offset) > least + (end - begin) / 2 ? offset : 0;
}
