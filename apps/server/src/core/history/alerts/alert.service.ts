import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../../access/audit.service.js';
import { type Caller, maySee } from '../../access/caller.js';
import { runSql } from '../../database/run-sql.js';
import { RunLog } from '../../database/run-log.js';
import { inTurn } from '../../database/in-turn.js';
import { decodeCursor, type Page, type PagePart, requirePageSize, toPage } from '../../database/page.js';
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

/** What people should know about runs. */
@Injectable()
export class AlertService {
  constructor(
    private readonly log: RunLog,
    private readonly audit: AuditService,
  ) {}

  /** Lists alerts the caller may see, newest first. @throws server.bad_cursor, server.bad_page */
  async list(caller: Caller, filter: AlertFilter, { first, after }: PagePart): Promise<Page<Alert>> {
    requirePageSize(first);
    const key = decodeCursor(after, ['whole', 'text']);
    const parts: string[] = [];
    const values: unknown[] = [];
    const add = (part: string, ...given: readonly unknown[]): void => {
      parts.push(part);
      values.push(...given);
    };
    if (!caller.projects.includes('*'))
      add(`project IN (${['?', ...caller.projects.map(() => '?')].join(', ')})`, '', ...caller.projects);
    if (typeof filter.runId === 'string') add('"runId" = ?', filter.runId);
    if (typeof filter.project === 'string') add('project = ?', filter.project);
    if (typeof filter.since === 'number') add('time >= ?', filter.since);
    if (typeof filter.open === 'boolean') add(`"acknowledgedAt" IS ${filter.open ? '' : 'NOT '}NULL`);
    if (key !== undefined) add('(time, id) < (?, ?)', ...key);
    const where = parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`;
    const statement = `SELECT * FROM alert ${where} ORDER BY time DESC, id DESC LIMIT ${first + 1}`;
    const rows = await inTurn(() => this.log.read((manager) => runSql<Alert>(manager, statement, values)));
    return toPage(rows.map(withNumbers), first, ({ time, id }) => [time, id]);
  }

  /** Marks an alert as seen by a person; one that is already stays as it is. @throws server.not_found */
  async acknowledge(caller: Caller, id: string): Promise<Alert> {
    const alert = await this.log.write(async (manager) => {
      const found = await manager.findOneBy(Alert, { id });
      if (found === null || !maySee(caller, found.project))
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

function withNumbers(row: Alert): Alert {
  const { acknowledgedAt } = row;
  return {
    ...row,
    time: Number(row.time),
    acknowledgedAt: acknowledgedAt === null ? null : Number(acknowledgedAt),
  };
}
