/** @file Alerts: what users should know about runs. */
import { AppError } from '@espalier/contracts';
import { findError } from '@espalier/contracts/error-codes';
import type { Role } from '@espalier/protocol';
import { cleanText, toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In, IsNull, type SelectQueryBuilder } from 'typeorm';
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
import { ApiKey } from '../../database/entities/api-key.js';
import { containing } from '../../database/run-sql.js';
import type { IncomingEvent } from '../records/stored-record.js';
import type { AlertConditions, AlertOrderField } from './alert-request.js';

/** How many alerts have a severity. */
export class AlertCount {
  severity!: Alert['severity'];
  total!: number;
  unacknowledged!: number;
}

/** Who may look after an alert. */
export class AlertAssignee {
  keyId!: string;
  name!: string;
  role!: Role;
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
   * @throws server.invalid_cursor, server.invalid_input
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
    const { since, until, open, rule, assigned, ...equal } = where;
    const query = this.source.getRepository(Alert).createQueryBuilder('alert').where(equal);
    restrictToVisible(query, caller);
    if (since !== undefined) query.andWhere('alert.time >= :since', { since });
    if (until !== undefined) query.andWhere('alert.time < :until', { until });
    if (open !== undefined) query.andWhere(`alert.acknowledgedAt IS ${open ? '' : 'NOT '}NULL`);
    if (assigned !== undefined) query.andWhere(`alert.assigneeId IS ${assigned ? 'NOT ' : ''}NULL`);
    if (rule !== undefined)
      query.andWhere(containing(query, 'alert.rules', ':rule'), { rule: JSON.stringify(rule) });
    return query;
  }

  /** Acknowledges alerts, all or none; acknowledged ones stay as they are. @throws server.not_found */
  async acknowledge(caller: Caller, ids: readonly string[]): Promise<Alert[]> {
    const alerts = await this.log.write('alerts', async (manager) => {
      const found = await Promise.all(
        [...new Set(ids)].map((id) => findVisible(manager, caller, id, 'acknowledge')),
      );
      const change = { acknowledgedAt: Date.now(), acknowledgedBy: caller.keyName };
      const open = found.filter(({ acknowledgedAt }) => acknowledgedAt === null).map(({ id }) => id);
      await manager.update(Alert, { id: In(open) }, change);
      return found.map((alert) => (open.includes(alert.id) ? this.changed(manager, alert, change) : alert));
    });
    for (const { id } of alerts) await this.audit.record(caller, 'alert.acknowledge', id, 'done');
    return alerts;
  }

  /**
   * Says which key looks after an alert: one that may act on runs of its project.
   *
   * @param keyId null: nobody
   * @throws server.not_found
   */
  async assign(caller: Caller, id: string, keyId: string | null): Promise<Alert> {
    const alert = await this.log.write('alerts', async (manager) => {
      const found = await findVisible(manager, caller, id, 'assign');
      const assignees = keyId === null ? [] : await readAssignees(manager, found.project);
      const key = assignees.find((one) => one.keyId === keyId);
      if (keyId !== null && key === undefined)
        throw new AppError(
          'server.not_found',
          `assign alert "${id}" to key "${keyId.slice(0, 100)}": no operator or admin key of that id sees project "${found.project}"; list \`assignees\``,
        );
      const change = { assigneeId: key?.keyId ?? null, assignee: key?.name ?? null };
      await manager.update(Alert, { id }, change);
      return this.changed(manager, found, change);
    });
    await this.audit.record(caller, 'alert.assign', id, 'done', { assignee: alert.assignee });
    return alert;
  }

  /** Lists who may look after alerts of a project that the caller may see, by name. */
  async assignees(caller: Caller, project: string): Promise<AlertAssignee[]> {
    if (!canSee(caller, project)) return [];
    return this.log.read((manager) => readAssignees(manager, project));
  }

  private changed(manager: EntityManager, alert: Alert, change: Partial<Alert>): Alert {
    const changed: Alert = { ...alert, ...change };
    this.log.afterCommit(manager, () => this.bus.publish('alert', alert.id, changed));
    return changed;
  }
}

async function findVisible(
  manager: EntityManager,
  caller: Caller,
  id: string,
  operation: string,
): Promise<Alert> {
  const found = await manager.findOneBy(Alert, { id });
  if (found !== null && canSee(caller, found.project)) return found;
  throw new AppError(
    'server.not_found',
    `${operation} alert "${id.slice(0, 100)}": there is no such alert in the projects of this key; list alerts to find its id`,
  );
}

async function readAssignees(manager: EntityManager, project: string): Promise<AlertAssignee[]> {
  const keys = await manager.find(ApiKey, {
    where: { role: In(['operator', 'admin']), revokedAt: IsNull() },
    order: { name: 'ASC', id: 'ASC' },
  });
  return keys
    .filter(({ projects }) => projects.includes('*') || projects.includes(project))
    .map(({ id: keyId, name, role }) => Object.assign(new AlertAssignee(), { keyId, name, role }));
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
    rules: null,
    assigneeId: null,
    assignee: null,
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
  rules: Alert['rules'] = null,
): Alert {
  return newAlert({ runId, project, code, step, time: Math.round(time), message, rules });
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
