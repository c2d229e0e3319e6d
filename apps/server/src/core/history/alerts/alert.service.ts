import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditService } from '../../access/audit.service.js';
import { type Caller, canSee, restrictToVisible } from '../../access/caller.js';
import { RunLog } from '../../database/run-log.js';
import { columnKey, type Page, type PagePart, readPage, type SortKey } from '../../database/page.js';
import { Alert } from '../../database/entities/alert.js';

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

/** What people should know about runs. */
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
