/** @file Reads the history of a run from a cursor on, page by page; committed records only. */
import { Injectable } from '@nestjs/common';
import { type EntityManager, In, MoreThan } from 'typeorm';
import { Run } from '../../database/entities/run.js';
import { RunLog } from '../../database/run-log.js';
import { RunRecord } from '../../database/entities/run-record.js';

/** All records with `after` < cursor ≤ `cursor` (of the kinds asked for). */
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

  /** Reads at most `limit` records after a cursor; of all kinds, or of some. */
  async page(runId: string, after: number, limit: number, kinds?: readonly string[]): Promise<RecordPage> {
    return this.log.read((manager) => readPage(manager, runId, after, limit, kinds));
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
  kinds: readonly string[] | undefined,
): Promise<RecordPage> {
  const head = await readHead(manager, runId);
  const records = await manager.find(RunRecord, {
    where: { runId, cursor: MoreThan(after), ...(kinds === undefined ? {} : { kind: In([...kinds]) }) },
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
