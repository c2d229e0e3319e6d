/** @file What the devices of a worker did in the last day: how busy they were, and how much of their memory was in use. */
import { useQuery } from '@tanstack/react-query';
import { Sparkline } from '../charts/sparkline.js';
import type { DeviceSpan, WorkerRow } from '../data/types.js';
import { formatShare } from '../format/numbers.js';
import { useSession } from '../session/session-context.js';

type Device = WorkerRow['devices'][number];
type Reading = DeviceSpan['devices'][number];

const hours = 24;
const points = 96;
const spanMs = (hours * 3_600_000) / points;

/** Reads the history of a worker's devices, and again every minute. */
export function useDeviceHistory(workerId: string) {
  const { client } = useSession();
  return useQuery<readonly DeviceSpan[]>({
    queryKey: ['device-history', workerId],
    queryFn: () => client.workers.deviceHistory(workerId, { hours, points }),
    refetchInterval: 60_000,
  });
}

/** Two small lines; gaps where the worker was not connected. */
export function DeviceHistory({
  device,
  spans,
  now,
}: {
  readonly device: Device;
  readonly spans: readonly DeviceSpan[];
  readonly now: number;
}) {
  const lines = [
    { title: 'busy', values: placeSpans(spans, device.id, now, ({ utilisation }) => utilisation) },
    {
      title: 'memory in use',
      values: placeSpans(spans, device.id, now, ({ freeMemoryMb }) =>
        freeMemoryMb === null ? null : 1 - freeMemoryMb / device.memoryMb,
      ),
    },
  ];
  return (
    <div className="row small muted device-history">
      {lines.map(({ title, values }) => {
        const known = values.filter((value) => value !== null);
        if (known.length === 0) return null;
        const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
        const words = `${title}, last ${hours} hours: ${formatShare(mean)} on average, ${formatShare(Math.max(...known))} at most`;
        return (
          <span key={title} title={words}>
            <Sparkline values={values} from={0} to={1} label={words} width={160} /> {title}, {hours} h
          </span>
        );
      })}
    </div>
  );
}

/** Values by their place in the last day, the newest last; null where there was no report. */
export function placeSpans(
  spans: readonly DeviceSpan[],
  id: string,
  now: number,
  pick: (reading: Reading) => number | null,
): (number | null)[] {
  const values = Array.from({ length: points }, (): number | null => null);
  for (const { at, devices } of spans) {
    const reading = devices.find((one) => one.id === id);
    // the newest span began one span ago
    const back = Math.round((now - Date.parse(at)) / spanMs) - 1;
    // a clock that is off puts the newest in the future
    const place = points - 1 - Math.max(0, back);
    if (reading !== undefined && place >= 0) values[place] = pick(reading);
  }
  return values;
}
