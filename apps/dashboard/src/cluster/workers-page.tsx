/** @file Machines with their devices, and the queue with the reason why each job waits. */
import { Term } from '../charts/term.js';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { JobRow, WorkerRow } from '../data/types.js';
import { useLive } from '../data/use-live.js';
import { usePages } from '../data/use-pages.js';
import { useNow } from '../data/use-now.js';
import { formatAge, formatBytes, formatMoment, formatShare } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { More } from '../parts/more.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { DeviceHistory, useDeviceHistory } from './device-history.js';

const liveStates = ['queued', 'assigned', 'running', 'pausing', 'cancelling'] as const;

export default function WorkersPage() {
  const { client } = useSession();
  const queries = useQueryClient();
  const now = useNow();
  const workers = usePages({
    queryKey: ['workers'],
    read: (page) => client.overview.workers(page),
    count: () => client.totals.workers(),
    refetchInterval: 10_000,
  });
  const jobs = usePages({
    queryKey: ['jobs'],
    read: (page) => client.overview.jobs(liveStates, page),
    count: () => client.totals.jobs(liveStates),
  });
  useLive(
    'jobs',
    () => client.live.jobs(),
    () => void queries.invalidateQueries({ queryKey: ['jobs'] }),
  );
  useLive(
    'workers',
    () => client.live.workers(),
    () => {
      void queries.invalidateQueries({ queryKey: ['workers'] });
      // why a job waits depends on the workers
      void queries.invalidateQueries({ queryKey: ['jobs'] });
    },
  );
  useEffect(() => {
    document.title = 'Workers · Espalier';
  }, []);
  return (
    <div className="stack">
      <h1>
        Workers{' '}
        <Term
          title="each number of a device"
          of={[
            'Device.threads',
            'Device.freeMemoryMb, memoryMb',
            'Device.utilisation',
            'Device.temperatureCelsius',
          ]}
        />
      </h1>
      {workers.error !== null && <ErrorNote error={workers.error} retry={workers.refetch} />}
      {workers.items === undefined && workers.error === null && <Waiting what="workers" />}
      {workers.items?.length === 0 && (
        <div className="card">
          <Notice title="No worker has connected yet">
            <p>On the machine that should train, run:</p>
            <pre>espalier worker --server {window.location.origin} --key WORKER_KEY</pre>
          </Notice>
        </div>
      )}
      <div className="panels">
        {workers.items?.map((worker) => (
          <WorkerCard key={worker.id} worker={worker} now={now} />
        ))}
      </div>
      <More of={workers} what="workers" />
      <h1>
        Queue <Term title="each number of a job" of={['Job.needs.count', 'Job.priority']} />
      </h1>
      {jobs.error !== null && <ErrorNote error={jobs.error} retry={jobs.refetch} />}
      {jobs.items === undefined && jobs.error === null && <Waiting what="the queue" />}
      {jobs.items?.length === 0 && <p className="muted">No job is waiting or running.</p>}
      {jobs.items !== undefined && jobs.items.length > 0 && <Queue jobs={jobs.items} now={now} />}
      <More of={jobs} what="jobs" />
    </div>
  );
}

function Queue({ jobs, now }: { readonly jobs: readonly JobRow[]; readonly now: number }) {
  return (
    <div className="card scroll">
      <table className="actions stacking">
        <thead>
          <tr>
            <th>State</th>
            <th>Run</th>
            <th>Job</th>
            <th>Needs</th>
            <th className="number-cell">Priority</th>
            <th>Since</th>
            <th>Waiting because</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <td>
                <Badge of={job.state} />
              </td>
              <td className="mono">
                <Link href={toPath('runs', job.runId)}>{job.runId}</Link>
              </td>
              <td>{job.kind}</td>
              <td>
                {job.needs.count} {job.needs.kind}
              </td>
              <td className="number-cell">{job.priority}</td>
              <td title={formatMoment(job.queuedAt)}>{formatAge(job.queuedAt, now)}</td>
              <td>
                <Text of={job.whyWaiting ?? ''} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WorkerCard({ worker, now }: { readonly worker: WorkerRow; readonly now: number }) {
  const history = useDeviceHistory(worker.id);
  return (
    <section className="card worker">
      <header>
        <h2>
          <Text of={worker.name} />
        </h2>
        <Badge
          of={worker.online ? (worker.draining ? 'warning' : 'running') : 'cancelled'}
          text={worker.online ? (worker.draining ? 'draining' : 'online') : 'offline'}
        />
        <span className="small faint">
          <Text of={worker.host} /> · seen {formatAge(worker.lastSeenAt, now)} · <Text of={worker.version} />
        </span>
      </header>
      <ul>
        {worker.devices.map((device) => (
          <li key={device.id}>
            <b>
              <Text of={device.name} />
            </b>
            <div className="small muted">
              {device.kind}
              {device.threads > 0 && (
                <>
                  , {device.threads} {device.threads === 1 ? 'thread' : 'threads'}
                </>
              )}
              , {formatBytes(device.freeMemoryMb * 2 ** 20)} of {formatBytes(device.memoryMb * 2 ** 20)} free
              {device.utilisation !== null && <>, {formatShare(device.utilisation)} busy</>}
              {device.temperatureCelsius !== null && <>, {device.temperatureCelsius} °C</>}
            </div>
            {history.data !== undefined && <DeviceHistory device={device} spans={history.data} now={now} />}
            {device.faults.map((fault) => (
              <div key={fault} className="error small">
                <Text of={fault} />
              </div>
            ))}
          </li>
        ))}
        {history.error !== null && (
          <li>
            <ErrorNote error={history.error} retry={() => void history.refetch()} />
          </li>
        )}
        {worker.jobs.nodes.map((job) => (
          <li key={job.id} className="row small">
            <Badge of={job.state} /> {job.kind}
            <Link className="mono" href={toPath('runs', job.runId)}>
              {job.runId}
            </Link>
          </li>
        ))}
        {worker.jobs.pageInfo.hasNextPage && <li className="small muted">more jobs, in the queue below</li>}
      </ul>
    </section>
  );
}
