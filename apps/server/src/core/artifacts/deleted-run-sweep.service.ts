/**
 * @file Removes, at startup, the bytes of deleted runs that remain because the server stopped before it removed them. Runs
 * that the audit log of this database does not know belong to another server in the same store and are left alone.
 */
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditEntry } from '../database/entities/audit-entry.js';
import { Run } from '../database/entities/run.js';
import { ArtifactService } from './artifact.service.js';
import { ArtifactStore } from './store/artifact-store.js';

@Injectable()
export class DeletedRunSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('artifacts');
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly source: DataSource,
    private readonly artifacts: ArtifactService,
    private readonly content: ArtifactStore,
  ) {}

  onApplicationBootstrap(): void {
    this.work = this.sweep().then(
      (removed) =>
        removed.length > 0 && this.logger.log(`removed the bytes of ${removed.length} deleted runs`),
      (error: unknown) => this.logger.warn(`look for bytes of deleted runs: ${String(error)}`),
    ) as Promise<void>;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.work;
  }

  /** Returns the runs whose bytes were removed. */
  async sweep(): Promise<string[]> {
    const keys = await this.content.list('runs');
    const ids = new Set(keys.map((key) => key.split('/')[1] ?? ''));
    const deleted: string[] = [];
    for (const id of ids) if (await this.isDeleted(id)) deleted.push(id);
    for (const id of deleted) await this.artifacts.removeBytes(id);
    return deleted;
  }

  private async isDeleted(id: string): Promise<boolean> {
    if (id === '' || (await this.source.getRepository(Run).existsBy({ id }))) return false;
    return this.source.getRepository(AuditEntry).existsBy({ subject: id });
  }
}
