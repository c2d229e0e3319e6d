/** @file Reads what workers reported of their devices while they had a run. */
import type { RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Series } from '../charts/series.js';
import { useClockOffset } from '../data/clock.js';
import { useSession } from '../session/session-context.js';
import { attemptsOf } from './attempts.js';
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
    queryFn: async (): Promise<readonly DeviceRecord[]> => {
      const began = Math.min(...attempts.map(({ assignedAt }) => Date.parse(assignedAt)));
      const hours = (Date.now() + offset - began) / hourMs + 1 / 60;
      const points = Math.max(1, Math.min(mostSpans, Math.ceil(hours * 60)));
      const devices = new Map<string, Set<string>>();
      for (const { workerName, devices: own } of attempts)
        devices.set(workerName, new Set([...(devices.get(workerName) ?? []), ...own]));
      const workers = (await client.overview.workers()).filter(({ name }) => devices.has(name));
      return Promise.all(
        workers.slice(-mostWorkers).map(async ({ id, name }) => ({
          worker: name,
          devices: [...(devices.get(name) ?? [])],
          spans: await client.workers.deviceHistory(id, { hours, points }),
          spanMs: Math.max(60_000, (hours * hourMs) / points),
        })),
      );
    },
    enabled: attempts.length > 0,
    refetchInterval: run.state === 'running' ? again : false,
  });
  return useMemo(() => deviceUse(data ?? [], steps), [data, steps]);
}
