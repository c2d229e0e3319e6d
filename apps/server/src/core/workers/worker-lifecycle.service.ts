import { AppError } from '@espalier/contracts';
import type { PluginVersion } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../access/caller.js';
import { AuditService } from '../access/audit.service.js';
import { columnKey, mapPage, type Page, type PagePart, readPage } from '../database/page.js';
import { WorkerCleanup } from './worker-cleanup.service.js';
import { WorkerPool } from './worker-pool.js';
import { WorkerRows } from './worker-rows.service.js';
import { Worker } from '../database/entities/worker.js';

/** Reads workers, and lets people take them out of placement and back. */
@Injectable()
export class WorkerLifecycle {
  constructor(
    private readonly source: DataSource,
    private readonly rows: WorkerRows,
    private readonly pool: WorkerPool,
    private readonly audit: AuditService,
    private readonly cleanup: WorkerCleanup,
  ) {}

  /** Workers by name; of those connected what they said last. @throws server.bad_cursor, server.bad_page */
  async list(page: PagePart): Promise<Page<Worker>> {
    const query = this.source.getRepository(Worker).createQueryBuilder('worker');
    const rows = await readPage(query, page, [columnKey('worker', 'name', 'text')]);
    return mapPage(rows, (row) => this.current(row));
  }

  /** @throws server.not_found */
  async find(id: string): Promise<Worker> {
    const row = await this.source.getRepository(Worker).findOneBy({ id: id.slice(0, 100) });
    if (row === null) throw unknownWorker(id);
    return this.current(row);
  }

  /** What a connected worker has that did not come with Espalier; null: it is away, or does not say. */
  pluginsOf(id: string): readonly PluginVersion[] | null {
    const worker = this.pool.worker(id);
    return worker === undefined || worker.link === null ? null : worker.plugins;
  }

  /** Lets a worker get new jobs, or not. @throws server.not_found */
  async drain(caller: Caller, id: string, draining: boolean): Promise<Worker> {
    const row = await this.rows.change(id.slice(0, 100), { draining });
    if (row === null) throw unknownWorker(id);
    await this.audit.record(caller, draining ? 'worker.drain' : 'worker.undrain', id, 'done');
    return this.current(row);
  }

  /** Takes a worker that is gone for good off the lists. @throws server.not_found, worker.not_possible */
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
