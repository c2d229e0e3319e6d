/** @file Reads launchers and the workers they have started, and stops one of these. */
import { text } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { AuditService } from '../access/audit.service.js';
import { type Caller, canSee } from '../access/caller.js';
import { LaunchedWorker, type LaunchState } from '../database/entities/launched-worker.js';
import { columnKey, mapPage, type Page, type PagePart, pageQuery, readPage } from '../database/page.js';
import { flag } from '../input/parse-input.js';
import { type LauncherStatus, LaunchTable } from '../launchers/launch-table.js';
import { LaunchedWorkers } from './launched-workers.js';

/** Which launched workers; all conditions hold at once. */
export const launchedConditions = z.strictObject({
  launcher: text(64).optional().describe('of the launcher with this name'),
  ended: flag.default(false).describe('those that are over too; they are listed for a week'),
});

/** `GET /launchers/workers` */
export const launchedQuery = pageQuery.extend(launchedConditions.shape);

/** A launcher as users see it. */
export class LauncherView {
  name!: string;
  driver!: string;
  deviceKind!: string;
  deviceCount!: number;
  memoryMb!: number;
  labels!: string[];
  minimum!: number;
  maximum!: number;
  perProject!: number;
  idleSeconds!: number;
  /** starting, pending or running, and not connected yet */
  coming!: number;
  online!: number;
  leaving!: number;
  backoffUntil!: number | null;
  problem!: string;
}

/** A launched worker as a caller sees it: a project that the caller may not see is not named. */
export type LaunchedView = Omit<LaunchedWorker, 'project' | 'keyId'> & { readonly project: string | null };

const coming: readonly LaunchState[] = ['starting', 'pending', 'running'];
const leaving: readonly LaunchState[] = ['draining', 'stopping'];

@Injectable()
export class LauncherQueries {
  constructor(
    private readonly source: DataSource,
    private readonly table: LaunchTable,
    private readonly workers: LaunchedWorkers,
    private readonly audit: AuditService,
  ) {}

  /** The launchers of the settings, in their order. */
  list(): LauncherView[] {
    return this.table.launchers().map((status) => this.view(status));
  }

  /** Lists launched workers, newest first. @throws server.invalid_cursor, server.invalid_input */
  async listWorkers(
    caller: Caller,
    { launcher, ended }: z.output<typeof launchedConditions>,
    page: PagePart,
  ): Promise<Page<LaunchedView>> {
    const query = this.source.getRepository(LaunchedWorker).createQueryBuilder('launched').where('1 = 1');
    if (launcher !== undefined) query.andWhere('launched.launcher = :launcher', { launcher });
    if (!ended) query.andWhere(`launched.state <> 'ended'`);
    const keys = [
      columnKey('launched', 'createdAt', 'integer'),
      columnKey('launched', 'name', 'text'),
    ] as const;
    const rows = await readPage<LaunchedWorker>(query, page, [...keys], 'desc');
    return mapPage(rows, (row) => viewFor(caller, row));
  }

  /** Stops a launched worker: its jobs save and continue elsewhere. @throws server.not_found */
  async stop(caller: Caller, name: string): Promise<LaunchedView> {
    const row = await this.workers.stop(name);
    await this.audit.record(caller, 'launched-worker.stop', row.name, 'done', { launcher: row.launcher });
    return viewFor(caller, row);
  }

  private view(status: LauncherStatus): LauncherView {
    const { name, driver, worker, minimum, maximum, perProject, idleSeconds } = status.options;
    const states = this.table.workers(name).map(({ state }) => state);
    const count = (some: readonly LaunchState[]): number =>
      states.filter((state) => some.includes(state)).length;
    return {
      name,
      driver,
      deviceKind: worker.kind,
      deviceCount: worker.count,
      memoryMb: worker.memoryMb,
      labels: worker.labels,
      minimum,
      maximum,
      perProject,
      idleSeconds,
      coming: count(coming),
      online: count(['online']),
      leaving: count(leaving),
      backoffUntil: this.table.isBackingOff(status) ? status.backoffUntil : null,
      problem: status.problem,
    };
  }
}

function viewFor(caller: Caller, { keyId: _, project, ...row }: LaunchedWorker): LaunchedView {
  return { ...row, project: project !== '' && canSee(caller, project) ? project : null };
}
