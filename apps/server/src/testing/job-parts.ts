/** @file The services for jobs and workers without Nest, on their own database and a manual clock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobNeeds } from '@espalier/protocol';
import { serverOptions } from '../config/server-options.js';
import { createId } from '../core/database/create-id.js';
import { openDatabase } from '../core/database/open/open-database.js';
import { EventIngest } from '../core/scheduling/attempts/event-ingest.service.js';
import { LiveBus } from '../core/database/live-bus.js';
import { RunLog } from '../core/database/run-log.js';
import { AssignmentService } from '../core/scheduling/attempts/assignment.service.js';
import { AttemptService } from '../core/scheduling/attempts/attempt.service.js';
import { ClaimService } from '../core/scheduling/placement/claims.service.js';
import { ExplainService } from '../core/scheduling/explain.service.js';
import { JobChanges } from '../core/scheduling/job-changes.js';
import { JobCounters } from '../core/scheduling/job-counters.js';
import type { Job } from '../core/database/entities/job.js';
import { JobQueue } from '../core/scheduling/job-queue.js';
import { JobService } from '../core/scheduling/job.service.js';
import { JobTimer } from '../core/scheduling/job-timer.js';
import { ReservedDevices } from '../core/scheduling/placement/reserved-devices.js';
import { ConcurrencyLimits } from '../core/scheduling/concurrency-limits.js';
import { LaunchTable } from '../core/launchers/launch-table.js';
import { LeaseTable } from '../core/scheduling/attempts/lease-table.js';
import { newJob } from '../core/scheduling/new-job.js';
import { SchedulerService } from '../core/scheduling/scheduler.service.js';
import { TrajectoriesInFlight } from '../core/history/trajectories/trajectories-in-flight.js';
import { MetricTails } from '../core/history/metrics/metric-tails.js';
import { newRun } from '../core/runs/create/new-run.js';
import { Run } from '../core/database/entities/run.js';
import { HandshakeService } from '../core/scheduling/attempts/handshake.service.js';
import { DeviceHistory } from '../core/workers/device-history.service.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { WorkerRows } from '../core/workers/worker-rows.service.js';
import { ManualClock } from './manual-clock.js';

export type JobParts = Awaited<ReturnType<typeof createJobParts>>;

/** Puts everything together; `close` removes the database. */
export async function createJobParts(given: Parameters<typeof serverOptions.parse>[0] = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-jobs-'));
  const options = serverOptions.parse(given);
  const source = await openDatabase({ ...options.database, file: join(folder, 'database.sqlite') });
  // Nothing here is about a machine that loses power, and thousands of writes would wait for the disk.
  if (options.database.kind === 'sqlite') await source.query('PRAGMA synchronous = OFF');
  const clock = new ManualClock();
  const bus = new LiveBus();
  const counters = new JobCounters();
  const pool = new WorkerPool();
  const log = new RunLog(source, bus);
  const queue = new JobQueue(log, clock);
  const quotas = new ConcurrencyLimits(source, pool, bus);
  const changes = new JobChanges(log, bus, clock);
  const leases = new LeaseTable(clock, options);
  const attempts = new AttemptService(changes, queue, pool, leases, counters, log, clock, options);
  const claims = new ClaimService(changes, queue, pool, leases, quotas, counters, log, clock);
  const assignments = new AssignmentService(source, pool, attempts, counters, clock);
  const reserved = new ReservedDevices(pool, clock, options);
  const scheduler = new SchedulerService(queue, pool, attempts, assignments, quotas, log, reserved);
  const launches = new LaunchTable(log, clock, options);
  const explanations = new ExplainService(source, pool, queue, quotas, reserved, clock, launches);
  const jobs = new JobService(log, changes, queue, pool, clock);
  const rows = new WorkerRows(log, bus, pool, clock);
  const history = new DeviceHistory(source, log, clock, options);
  const handshakes = new HandshakeService(
    source,
    rows,
    history,
    pool,
    attempts,
    claims,
    counters,
    clock,
    options,
  );
  const ingest = new EventIngest(
    log,
    bus,
    new MetricTails(),
    attempts,
    claims,
    new TrajectoriesInFlight(bus),
  );
  await new JobTimer(log, scheduler, attempts, queue, leases, pool, counters, clock).start();
  return {
    options,
    source,
    clock,
    bus,
    counters,
    pool,
    log,
    leases,
    queue,
    quotas,
    attempts,
    scheduler,
    launches,
    explanations,
    jobs,
    rows,
    history,
    handshakes,
    ingest,
    /** Creates a run with a queued job. */
    async createJob(needs: Partial<JobNeeds> = {}, more: Partial<Job> = {}): Promise<Job> {
      const given = {
        project: 'p',
        createdAt: clock.now(),
        createdBy: more.createdBy ?? 'k',
        needs: { kind: 'cpu' as const, count: 1, memoryMb: 0, labels: [], ...needs },
      };
      const run = newRun({ ...given, id: createId('run'), name: 'n', spec: {}, specHash: 'h' });
      await source.getRepository(Run).insert(run as never);
      return jobs.create(newJob({ ...given, id: createId('job'), runId: run.id, ...more }));
    },
    async close(): Promise<void> {
      await scheduler.stop();
      await log.settled();
      await source.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}
