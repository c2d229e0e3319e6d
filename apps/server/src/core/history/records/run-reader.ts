/** @file Reads the committed history of a run, page by page. */
import { Injectable } from '@nestjs/common';
import { type EntityManager, MoreThan } from 'typeorm';
import { Run } from '../../database/entities/run.js';
import { RunLog } from '../../database/run-log.js';
import { RunRecord } from '../../database/entities/run-record.js';
import { runNotFound } from './find-run.js';

/** All records with `after` < cursor ≤ `cursor`. */
interface RecordPage {
  readonly after: number;
  readonly cursor: number;
  /** cursor of the newest record of the run when this was read */
  readonly head: number;
  readonly records: readonly RunRecord[];
}

@Injectable()
export class RunReader {
  constructor(private readonly log: RunLog) {}

  /** Reads at most `limit` records after a cursor; none of a run that was deleted. */
  async page(runId: string, after: number, limit: number): Promise<RecordPage> {
    return this.log.read((manager) => readPage(manager, runId, after, limit));
  }

  /** Reads the cursor of the newest record; 0 if there is none. @throws server.not_found when there is no such run */
  async head(runId: string): Promise<number> {
    const head = await this.log.read((manager) => readHead(manager, runId));
    if (head === undefined) throw runNotFound(runId);
    return head;
  }
}

async function readPage(
  manager: EntityManager,
  runId: string,
  after: number,
  limit: number,
): Promise<RecordPage> {
  const head = (await readHead(manager, runId)) ?? 0;
  const records = await manager.find(RunRecord, {
    where: { runId, cursor: MoreThan(after) },
    order: { cursor: 'ASC' },
    take: limit,
  });
  const last = records.at(-1)?.cursor ?? after;
  const cursor = records.length < limit ? Math.max(last, head) : last;
  return { after, cursor: Math.max(cursor, after), head, records };
}

/** Undefined: there is no such run. */
async function readHead(manager: EntityManager, runId: string): Promise<number | undefined> {
  const run = await manager.findOne(Run, { where: { id: runId }, select: { id: true, head: true } });
  return run?.head;
}
