/** @file Reads the history of a run from a cursor on, page by page; committed records only. */
import { Injectable } from '@nestjs/common';
import { And, type EntityManager, LessThan, MoreThan } from 'typeorm';
import type { PagePlan } from '../../database/page.js';
import { Run } from '../../database/entities/run.js';
import { RunLog } from '../../database/run-log.js';
import { RunRecord } from '../../database/entities/run-record.js';

/** All records with `after` < cursor ≤ `cursor`. */
export interface RecordPage {
  readonly after: number;
  readonly cursor: number;
  /** cursor of the newest record of the run when this was read */
  readonly head: number;
  readonly records: readonly RunRecord[];
}

@Injectable()
export class RunReader {
  constructor(private readonly log: RunLog) {}

  /** Reads at most `limit` records after a cursor. */
  async page(runId: string, after: number, limit: number): Promise<RecordPage> {
    return this.log.read((manager) => readPage(manager, runId, after, limit));
  }

  /** Reads records of one kind for a page of a list that is ordered by cursor. */
  async list(runId: string, kind: string, { bounds, direction, limit }: PagePlan): Promise<RunRecord[]> {
    const limits = bounds.map(({ operator, key }) =>
      operator === '<' ? LessThan(Number(key[0])) : MoreThan(Number(key[0])),
    );
    return this.log.read((manager) =>
      manager.find(RunRecord, {
        where: { runId, kind, ...(limits.length > 0 && { cursor: And(...limits) }) },
        order: { cursor: direction },
        take: limit,
      }),
    );
  }

  /** Counts the records of one kind. */
  async count(runId: string, kind: string): Promise<number> {
    return this.log.read((manager) => manager.countBy(RunRecord, { runId, kind }));
  }

  /** Gives the cursor of the newest record; 0 where there is none. */
  async head(runId: string): Promise<number> {
    return this.log.read((manager) => readHead(manager, runId));
  }
}

async function readPage(
  manager: EntityManager,
  runId: string,
  after: number,
  limit: number,
): Promise<RecordPage> {
  const head = await readHead(manager, runId);
  const records = await manager.find(RunRecord, {
    where: { runId, cursor: MoreThan(after) },
    order: { cursor: 'ASC' },
    take: limit,
  });
  const last = records.at(-1)?.cursor ?? after;
  const cursor = records.length < limit ? Math.max(last, head) : last;
  return { after, cursor: Math.max(cursor, after), head, records };
}

async function readHead(manager: EntityManager, runId: string): Promise<number> {
  const run = await manager.findOne(Run, { where: { id: runId }, select: { id: true, head: true } });
  return run?.head ?? 0;
}
