import { AppError } from '@espalier/contracts';
import type { PluginVersion } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import type { Caller } from '../access/caller.js';
import { AuditService } from '../access/audit.service.js';
import {
  columnKey,
  mapPage,
  type OrderBy,
  orderQuery,
  type Page,
  type PagePart,
  pageQuery,
  readPage,
} from '../database/page.js';
import { WorkerCleanup } from './worker-cleanup.service.js';
import { WorkerPool } from './worker-pool.js';
import { WorkerRows } from './worker-rows.service.js';
import { Worker } from '../database/entities/worker.js';

/** How a worker is drained. */
export const drainInput = z.strictObject({
  deadlineSeconds: z
    .number()
    .min(0)
    .max(604_800)
    .optional()
    .describe(
      'its jobs save and stop, and continue on other workers; those that run after so many seconds are killed and continue from their newest checkpoint; absent: they continue there',
    ),
});

/** What a list of workers can be ordered by. */
export const workerOrderFields = {
  name: 'its name',
  connectedAt: 'when it last connected',
} as const;
type WorkerOrderField = keyof typeof workerOrderFields;

/** `GET /workers` */
export const workersQuery = pageQuery.extend(orderQuery(workerOrderFields));

const orders = {
  name: columnKey('worker', 'name', 'text'),
  connectedAt: columnKey('worker', 'connectedAt', 'integer'),
} as const;

/** Reads, drains and deletes workers. */
@Injectable()
export class WorkerLifecycle {
  constructor(
    private readonly source: DataSource,
    private readonly rows: WorkerRows,
    private readonly pool: WorkerPool,
    private readonly audit: AuditService,
    private readonly cleanup: WorkerCleanup,
  ) {}

  /**
   * Lists workers, by name unless ordered otherwise; connected ones with their latest report.
   *
   * @throws server.invalid_cursor, server.invalid_input
   */
  async list(
    page: PagePart,
    { field, direction }: OrderBy<WorkerOrderField> = { field: 'name', direction: 'asc' },
  ): Promise<Page<Worker>> {
    const query = this.source.getRepository(Worker).createQueryBuilder('worker');
    const rows = await readPage<Worker>(
      query,
      page,
      [orders[field], columnKey('worker', 'id', 'text')],
      direction,
    );
    return mapPage(rows, (row) => this.current(row));
  }

  /** @throws server.not_found */
  async find(id: string): Promise<Worker> {
    const row = await this.source.getRepository(Worker).findOneBy({ id: id.slice(0, 100) });
    if (row === null) throw unknownWorker(id);
    return this.current(row);
  }

  /** External plugins of a connected worker; null: it is disconnected. */
  pluginsOf(id: string): readonly PluginVersion[] | null {
    const worker = this.pool.worker(id);
    return worker === undefined || worker.link === null ? null : worker.plugins;
  }

  /**
   * Gives a worker no new jobs, and with a deadline moves those it has: they save and stop, are killed after the
   * deadline, and continue on other workers.
   *
   * @throws server.not_found, worker.not_possible when there is a deadline and the worker cannot be reached
   */
  async drain(caller: Caller, id: string, deadlineSeconds?: number): Promise<Worker> {
    const worker = await this.setDraining(caller, id, true, deadlineSeconds);
    if (deadlineSeconds !== undefined) await this.requestDrain(worker, deadlineSeconds);
    return worker;
  }

  /** Gives a worker new jobs again. @throws server.not_found */
  async undrain(caller: Caller, id: string): Promise<Worker> {
    return this.setDraining(caller, id, false);
  }

  private async requestDrain({ id, name }: Worker, deadlineSeconds: number): Promise<void> {
    const link = this.pool.worker(id)?.link;
    const answer = await link?.drain(Math.round(deadlineSeconds * 1000)).catch(() => undefined);
    if (answer?.ok === true) return;
    const finding = answer === undefined ? 'it cannot be reached' : answer.message;
    throw new AppError(
      'worker.not_possible',
      `drain worker "${name}": it gets no new jobs, but its jobs continue: ${finding}; try again when it is connected`,
    );
  }

  private async setDraining(
    caller: Caller,
    id: string,
    draining: boolean,
    deadlineSeconds?: number,
  ): Promise<Worker> {
    const row = await this.rows.change(id.slice(0, 100), { draining });
    if (row === null) throw unknownWorker(id);
    const detail = deadlineSeconds === undefined ? {} : { deadlineSeconds };
    await this.audit.record(caller, draining ? 'worker.drain' : 'worker.undrain', id, 'done', detail);
    return this.current(row);
  }

  /** Deletes a disconnected worker. @throws server.not_found, worker.not_possible */
  async forget(caller: Caller, id: string): Promise<Worker> {
    const row = await this.cleanup.forget(id.slice(0, 100));
    await this.audit.record(caller, 'worker.forget', row.id, 'done', { name: row.name });
    return row;
  }

  private current(row: Worker): Worker {
    const worker = this.pool.worker(row.id);
    if (worker === undefined || worker.link === null) return row;
    return { ...row, devices: worker.row.devices, lastSeenAt: worker.row.lastSeenAt };
  }
}

function unknownWorker(id: string): AppError {
  return new AppError(
    'server.not_found',
    `read worker "${id.slice(0, 100)}": there is no such worker; list them to find its id`,
  );
}
