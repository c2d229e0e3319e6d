/** @file Alerts: what users should know about runs. */
import { AppError } from '@espalier/contracts';
import { findError } from '@espalier/contracts/error-codes';
import { cleanText, toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { AuditService } from '../../access/audit.service.js';
import { type Caller, canSee, restrictToVisible } from '../../access/caller.js';
import { stepOrNull } from '../../database/columns.js';
import { createId } from '../../database/create-id.js';
import { RunLog } from '../../database/run-log.js';
import { LiveBus } from '../../database/live-bus.js';
import { limitConcurrency } from '../../database/limit-concurrency.js';
import {
  columnKey,
  type OrderBy,
  type Page,
  type PagePart,
  readPage,
  type SortKey,
} from '../../database/page.js';
import { Alert } from '../../database/entities/alert.js';
import type { IncomingEvent } from '../records/stored-record.js';
import type { AlertConditions, AlertOrderField } from './alert-request.js';

/** How many alerts have a severity. */
export class AlertCount {
  severity!: Alert['severity'];
  total!: number;
  unacknowledged!: number;
}

/** From the least severe on. */
export const severities: readonly Alert['severity'][] = ['info', 'warning', 'error'];
const time = columnKey('alert', 'time', 'integer');
const id = columnKey('alert', 'id', 'text');
const severity: SortKey<Alert> = {
  sql: `CASE alert.severity WHEN 'error' THEN 2 WHEN 'warning' THEN 1 ELSE 0 END`,
  kind: 'count',
  of: (alert) => severities.indexOf(alert.severity),
};
const orders: Readonly<Record<AlertOrderField, readonly SortKey<Alert>[]>> = {
  time: [time, id],
  severity: [severity, time, id],
};

@Injectable()
export class AlertService {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly audit: AuditService,
    private readonly bus: LiveBus,
  ) {}

  /**
   * Lists alerts that the caller may see, newest first unless ordered otherwise.
   *
   * @throws server.invalid_cursor, server.invalid_page
   */
  async list(
    caller: Caller,
    where: AlertConditions,
    page: PagePart,
    { field, direction }: OrderBy<AlertOrderField> = { field: 'time', direction: 'desc' },
  ): Promise<Page<Alert>> {
    const query = this.matching(caller, where);
    return readPage(query, page, orders[field], direction, (work) => this.log.read(work));
  }

  /** Counts alerts that the caller may see, by severity; the most severe first. */
  async count(caller: Caller, where: AlertConditions): Promise<AlertCount[]> {
    const query = this.matching(caller, where)
      .select('alert.severity', 'severity')
      .addSelect('COUNT(*)', 'total')
      .addSelect('COUNT(alert.acknowledgedAt)', 'acknowledged')
      .groupBy('alert.severity');
    const rows = await limitConcurrency(() =>
      this.log.read(() => query.getRawMany<{ severity: string; total: unknown; acknowledged: unknown }>()),
    );
    return severities.toReversed().map((severity) => {
      const { total = 0, acknowledged = 0 } = rows.find((row) => row.severity === severity) ?? {};
      const unacknowledged = Number(total) - Number(acknowledged);
      return Object.assign(new AlertCount(), { severity, total: Number(total), unacknowledged });
    });
  }

  private matching(caller: Caller, where: AlertConditions): SelectQueryBuilder<Alert> {
    const { since, until, open, ...equal } = where;
    const query = this.source.getRepository(Alert).createQueryBuilder('alert').where(equal);
    restrictToVisible(query, caller);
    if (since !== undefined) query.andWhere('alert.time >= :since', { since });
    if (until !== undefined) query.andWhere('alert.time < :until', { until });
    if (open !== undefined) query.andWhere(`alert.acknowledgedAt IS ${open ? '' : 'NOT '}NULL`);
    return query;
  }

  /** Acknowledges an alert; an acknowledged one stays as it is. @throws server.not_found */
  async acknowledge(caller: Caller, id: string): Promise<Alert> {
    const alert = await this.log.write('alerts', async (manager) => {
      const found = await manager.findOneBy(Alert, { id });
      if (found === null || !canSee(caller, found.project))
        throw new AppError(
          'server.not_found',
          `acknowledge alert "${id.slice(0, 100)}": there is no such alert in the projects of this key; list alerts to find its id`,
        );
      if (found.acknowledgedAt !== null) return found;
      const change = { acknowledgedAt: Date.now(), acknowledgedBy: caller.keyName };
      await manager.update(Alert, { id }, change);
      const changed: Alert = { ...found, ...change };
      this.log.afterCommit(manager, () => this.bus.publish('alert', id, changed));
      return changed;
    });
    await this.audit.record(caller, 'alert.acknowledge', id, 'done');
    return alert;
  }
}

/** Creates an unacknowledged alert; a code that this version does not know is a warning. */
export function newAlert(
  given: Pick<Alert, 'runId' | 'project' | 'code' | 'message' | 'time'> & Partial<Alert>,
): Alert {
  return {
    step: -1,
    severity: findError(given.code)?.severity ?? 'warning',
    acknowledgedAt: null,
    acknowledgedBy: null,
    ...given,
    id: createId('alert'),
    message: cleanText(given.message, 20_000),
  };
}

/** Creates the alert of a warning. */
export function createAlert(
  runId: string,
  project: string,
  { time, step, code, message }: Extract<IncomingEvent, { kind: 'warning' }>,
): Alert {
  return newAlert({ runId, project, code, step, time: Math.round(time), message });
}

export type AlertDto = ReturnType<typeof toAlertDto>;

/** An alert as plain data: times as ISO 8601 text. */
export function toAlertDto({ step, time, acknowledgedAt, ...alert }: Alert) {
  return {
    ...alert,
    step: stepOrNull(step),
    time: toIsoTime(time),
    acknowledgedAt: toIsoTimeOrNull(acknowledgedAt),
  };
}
