/** @file The metrics that belong to no feature: requests, refusals, history, sockets, jobs by state. */
import { Injectable } from '@nestjs/common';
import { jobStates } from '@espalier/protocol';
import { DataSource } from 'typeorm';
import { SocketAccess } from '../access/socket-access.js';
import { LiveBus } from '../../core/database/live-bus.js';
import type { RunRecord } from '../../core/database/entities/run-record.js';
import { GraphqlSocket } from '../graphql/server/graphql-socket.js';
import type { AnsweredRequest } from '../rest/create-adapter.js';
import { type CountedEvent, countedEvents, JobCounters } from '../../core/scheduling/job-counters.js';
import { WebhookService } from '../../core/history/alerts/webhook.service.js';
import { Job } from '../../core/database/entities/job.js';
import { ErrorReport } from '../errors/error-report.js';
import { MetricsRegistry } from './metrics-registry.js';

@Injectable()
export class ServerMetrics {
  private readonly requests;

  constructor(
    registry: MetricsRegistry,
    report: ErrorReport,
    bus: LiveBus,
    access: SocketAccess,
    graphql: GraphqlSocket,
    source: DataSource,
    counters: JobCounters,
    webhooks: WebhookService,
  ) {
    this.requests = registry.histogram('http_seconds', 'Time to answer a request.', [
      'method',
      'route',
      'status',
    ]);
    const refusals = registry.counter('refusals_total', 'Errors sent to clients, by code.', ['code']);
    report.onError(({ code }) => refusals.inc({ code }));
    const records = registry.counter('events_total', 'Records added to the history of runs.', ['kind']);
    const points = registry.counter('points_total', 'Metric values stored.');
    bus.on('records', '*', (message) => {
      for (const record of message.records) {
        records.inc({ kind: record.kind });
        if (record.kind === 'metrics') points.inc(pointsIn(record));
      }
    });
    registry.gauge('sockets', 'Sockets open now.', [], (gauge) => gauge.set(access.count()));
    registry.gauge('graphql_operations', 'GraphQL operations running now on sockets.', [], (gauge) =>
      gauge.set(graphql.running),
    );
    for (const [event, [name, help]] of Object.entries(countedEvents))
      registry.counter(name, help, [], () => counters.values[event as CountedEvent]);
    registry.gauge('jobs', 'Jobs by state.', ['state'], async (gauge) => {
      for (const [state, count] of await countJobs(source)) gauge.set({ state }, count);
    });
    const waiting = 'Alerts that a webhook has not taken yet.';
    registry.gauge('webhook_waiting', waiting, ['webhook'], async (gauge) => {
      for (const [webhook, count] of await webhooks.countWaiting()) gauge.set({ webhook }, count);
    });
  }

  /** Counts a request. */
  answered({ method, route, status, seconds }: AnsweredRequest): void {
    this.requests.observe({ method, route, status: String(status) }, seconds);
  }
}

function pointsIn(record: RunRecord): number {
  const values = record.body['values'];
  return typeof values === 'object' && values !== null ? Object.keys(values).length : 0;
}

async function countJobs(source: DataSource): Promise<Map<string, number>> {
  const rows = await source
    .getRepository(Job)
    .createQueryBuilder('job')
    .select('job.state', 'state')
    .addSelect('COUNT(*)', 'count')
    .groupBy('job.state')
    .getRawMany<{ state: string; count: number | string }>();
  const counts = new Map(Object.keys(jobStates).map((state) => [state, 0]));
  for (const { state, count } of rows) counts.set(state, Number(count));
  return counts;
}
