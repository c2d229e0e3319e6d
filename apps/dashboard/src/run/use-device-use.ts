/** @file Reads what workers reported of their devices while they had a run. */
import type { RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Series } from '../charts/series.js';
import { attemptsOf } from '../data/attempts-of.js';
import { useClockOffset } from '../data/clock.js';
import { readAll } from '../data/use-pages.js';
import { useSession } from '../session/session-context.js';
import { type DeviceRecord, type DeviceUse, deviceUse } from './device-use.js';

const hourMs = 3_600_000;
/** Spans that the server gives at once. */
const mostSpans = 1440;
/** Of a run that changed its worker often, the newest are read. */
const mostWorkers = 4;
const again = 60_000;

export function useDeviceUse(run: RunDetails, steps: Series | undefined): DeviceUse {
  const { client } = useSession();
  const offset = useClockOffset();
  const attempts = attemptsOf(run);
  const { data } = useQuery({
    queryKey: ['device-use', run.id, attempts.length],
    meta: { what: 'the use of devices' },
    queryFn: async (): Promise<readonly DeviceRecord[]> => {
      const began = Math.min(...attempts.map(({ assignedAt }) => Date.parse(assignedAt)));
      const hours = (Date.now() + offset - began) / hourMs + 1 / 60;
      const points = Math.max(1, Math.min(mostSpans, Math.ceil(hours * 60)));
      const uses = new Map<string, DeviceRecord['uses'][number][]>();
      // the newest attempts first, and so their workers
      for (const { workerName, devices, assignedAt, endedAt } of attempts.toReversed()) {
        const own = uses.get(workerName) ?? [];
        uses.set(workerName, own);
        own.push({ devices, from: Date.parse(assignedAt), to: Date.parse(endedAt ?? '') || Infinity });
      }
      const { items: workers } = await readAll((page) => client.overview.workers(page));
      const read = [...uses].slice(0, mostWorkers).map(async ([name, own]) => {
        const id = workers.find((one) => one.name === name)?.id;
        // one that was forgotten
        const spans = id === undefined ? [] : await client.workers.deviceHistory(id, { hours, points });
        return { worker: name, uses: own, spans, spanMs: Math.max(60_000, (hours * hourMs) / points) };
      });
      return Promise.all(read);
    },
    enabled: attempts.length > 0,
    refetchInterval: run.state === 'running' ? again : false,
  });
  return useMemo(() => deviceUse(data ?? [], steps), [data, steps]);
}
