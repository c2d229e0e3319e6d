/**
 * @file The audit log: who did what, or tried to. Entries are only appended, each with a hash over itself and the hash
 * of the entry before, so that a changed or removed entry is detected. Entries that arrive while others are being stored
 * share the next transaction.
 */
import { createHash } from 'node:crypto';
import { text } from '@espalier/protocol/bounds';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Caller } from './caller.js';
import { RunLog } from '../database/run-log.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import {
  columnKey,
  type OrderBy,
  orderQuery,
  type Page,
  type PagePart,
  pageQuery,
  readPage,
} from '../database/page.js';
import { moment } from '../input/parse-input.js';
import { requestScope } from '../../logging/request-scope.js';
import { AuditEntry } from '../database/entities/audit-entry.js';

/** entries that may wait while the database is unavailable; each is about 300 bytes */
const maxWaiting = 50_000;

/** entries of the chain that are read and hashed before the event loop continues */
const checkedAtOnce = 200;

type NewEntry = Omit<AuditEntry, 'id' | 'hash'>;

/** Which entries; all conditions hold at once. */
export const auditConditions = z.strictObject({
  keyId: text(100).optional().describe('by the key of this id'),
  keyName: text(100).optional().describe('by keys of this name'),
  action: text(200).optional().describe('this action, such as `run.create`'),
  subject: text(500).optional().describe('on this subject, mostly an id'),
  outcome: text(100).optional().describe('`done`, or the code of the refusal'),
  since: moment.optional().describe('from then on; ISO 8601'),
  until: moment.optional().describe('before then; ISO 8601'),
});
type AuditConditions = z.output<typeof auditConditions>;

/** What the log can be ordered by. */
export const auditOrderFields = { time: 'when it was recorded' } as const;

/** `GET /audit` */
export const auditQuery = pageQuery.extend({ ...auditConditions.shape, ...orderQuery(auditOrderFields) });

/** The result of a check of the chain. */
export interface ChainReport {
  readonly entries: number;
  /** id of the first entry that does not follow from those before; null: the chain is intact */
  readonly brokenAt: number | null;
}

@Injectable()
export class AuditService {
  private readonly logger = new Logger('audit');
  private waiting: NewEntry[] = [];
  private flush: Promise<void> | undefined;
  private check: Promise<ChainReport> | undefined;

  constructor(
    private readonly source: DataSource,
    private readonly runLog: RunLog,
  ) {}

  /**
   * Records an action or a refusal. Resolves when the entry is stored, or queued because the database is unavailable.
   * Never call it inside `RunLog.write`, for which it would wait.
   *
   * @param caller  null: no key was sent
   * @param action  such as `run.create`
   * @param subject mostly an id
   * @param outcome `done`, or the code of the refusal
   * @param detail  further facts; no secrets
   */
  async record(
    caller: Caller | null,
    action: string,
    subject: string,
    outcome: string,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    const scope = requestScope.getStore();
    if (scope !== undefined) scope.audited += 1;
    const who = { keyId: caller?.keyId ?? '', keyName: caller?.keyName ?? '' };
    this.waiting.push({ time: Date.now(), ...who, action, subject, outcome, detail });
    this.flush ??= this.storeWaiting();
    await this.flush;
  }

  /** Entries that cannot be stored wait for the next one; the action itself has happened, so it does not fail. */
  private async storeWaiting(): Promise<void> {
    let taken: NewEntry[] = [];
    try {
      await this.runLog.write('audit', (manager) => {
        taken = this.waiting;
        this.waiting = [];
        this.flush = undefined;
        return store(manager, taken);
      });
    } catch (error) {
      this.flush = undefined;
      this.waiting = [...taken, ...this.waiting];
      const dropped = this.waiting.splice(0, Math.max(0, this.waiting.length - maxWaiting)).length;
      this.logger.error(
        `store ${this.waiting.length} audit entries: ${String(error)}; they are stored with the next one${dropped > 0 ? `, the oldest ${dropped} were dropped` : ''}`,
      );
    }
  }

  /** Lists entries, newest first unless ordered otherwise. @throws server.invalid_cursor, server.invalid_input */
  async list(
    { since, until, ...equal }: AuditConditions,
    page: PagePart,
    { direction }: Pick<OrderBy<'time'>, 'direction'> = { direction: 'desc' },
  ): Promise<Page<AuditEntry>> {
    const query = this.source.getRepository(AuditEntry).createQueryBuilder('entry').where(equal);
    if (since !== undefined) query.andWhere('entry.time >= :since', { since });
    if (until !== undefined) query.andWhere('entry.time < :until', { until });
    // ids follow the order in which entries were recorded
    return readPage(query, page, [columnKey('entry', 'id', 'count')], direction);
  }

  /** Verifies the chain from its start. Calls during a check share its report. */
  verify(): Promise<ChainReport> {
    this.check ??= this.followChain().finally(() => (this.check = undefined));
    return this.check;
  }

  private async followChain(): Promise<ChainReport> {
    let previous = '';
    let entries = 0;
    for (let after = 0; ;) {
      const query = this.source
        .getRepository(AuditEntry)
        .createQueryBuilder('entry')
        .where('entry.id > :after', { after })
        .orderBy('entry.id')
        .limit(checkedAtOnce);
      const rows = await limitConcurrency(() => query.getMany());
      for (const { id, hash, ...entry } of rows) {
        if (hashOf(previous, entry) !== hash) return { entries, brokenAt: id };
        previous = hash;
        after = id;
        entries += 1;
      }
      if (rows.length < checkedAtOnce) return { entries, brokenAt: null };
    }
  }
}

async function store(manager: EntityManager, entries: readonly NewEntry[]): Promise<void> {
  const [last] = await manager.find(AuditEntry, { order: { id: 'DESC' }, take: 1 });
  let previous = last?.hash ?? '';
  const rows = entries.map((entry) => ({ ...entry, hash: (previous = hashOf(previous, entry)) }));
  for (const row of rows) await manager.insert(AuditEntry, row as never);
}

function hashOf(previous: string, entry: NewEntry): string {
  const { time, keyId, keyName, action, subject, outcome, detail } = entry;
  const text = JSON.stringify([previous, time, keyId, keyName, action, subject, outcome, detail]);
  return createHash('sha256').update(text).digest('hex');
}
