/** @file Alerts: what users should know about runs. */
import { AppError } from '@espalier/contracts';
import { cleanText, toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditService } from '../../access/audit.service.js';
import { type Caller, canSee, restrictToVisible } from '../../access/caller.js';
import { stepOrNull } from '../../database/columns.js';
import { createId } from '../../database/create-id.js';
import { RunLog } from '../../database/run-log.js';
import { columnKey, type Page, type PagePart, readPage, type SortKey } from '../../database/page.js';
import { Alert } from '../../database/entities/alert.js';
import type { IncomingEvent } from '../records/stored-record.js';

/** Which alerts; all conditions hold at once. */
export interface AlertFilter {
  readonly runId?: string | null | undefined;
  readonly project?: string | null | undefined;
  /** ms since the epoch */
  readonly since?: number | null | undefined;
  /** only those nobody acknowledged */
  readonly open?: boolean | null | undefined;
}

const order: readonly SortKey<Alert>[] = [
  columnKey('alert', 'time', 'whole'),
  columnKey('alert', 'id', 'text'),
];

@Injectable()
export class AlertService {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly audit: AuditService,
  ) {}

  /** Lists alerts the caller may see, newest first. @throws server.invalid_cursor, server.invalid_page */
  async list(caller: Caller, filter: AlertFilter, page: PagePart): Promise<Page<Alert>> {
    const { runId, project, since, open } = filter;
    const query = this.source.getRepository(Alert).createQueryBuilder('alert');
    restrictToVisible(query, caller);
    if (typeof runId === 'string') query.andWhere('alert.runId = :runId', { runId });
    if (typeof project === 'string') query.andWhere('alert.project = :project', { project });
    if (typeof since === 'number') query.andWhere('alert.time >= :since', { since });
    if (typeof open === 'boolean') query.andWhere(`alert.acknowledgedAt IS ${open ? '' : 'NOT '}NULL`);
    return readPage(query, page, order, 'desc', (work) => this.log.read(work));
  }

  /** Marks an alert as seen by a person; one that is already stays as it is. @throws server.not_found */
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
      return { ...found, ...change };
    });
    await this.audit.record(caller, 'alert.acknowledge', id, 'done');
    return alert;
  }
}

/** Creates the alert of a warning. A failure is an error; anything else that looks wrong is a warning. */
export function createAlert(
  runId: string,
  project: string,
  { time, step, code, message }: Extract<IncomingEvent, { kind: 'warning' }>,
): Alert {
  const severity = /error|failed|broken|crash|not_finite/.test(code) ? 'error' : 'warning';
  return {
    id: createId('alert'),
    runId,
    project,
    severity,
    code,
    step,
    time: Math.round(time),
    message: cleanText(message, 20_000),
    acknowledgedAt: null,
    acknowledgedBy: null,
  };
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
