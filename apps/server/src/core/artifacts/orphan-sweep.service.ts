/**
 * @file Removes, at a start, the bytes of runs that were deleted when the server ended before the bytes were gone. Only of
 * runs that the audit log of this database knows: bytes of another server in the same store are never touched.
 */
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditEntry } from '../database/entities/audit-entry.js';
import { Run } from '../database/entities/run.js';
import { ArtifactService } from './artifact.service.js';
import { ArtifactStore } from './store/artifact-store.js';

@Injectable()
export class OrphanSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('artifacts');
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly source: DataSource,
    private readonly artifacts: ArtifactService,
    private readonly content: ArtifactStore,
  ) {}

  onApplicationBootstrap(): void {
    this.work = this.sweep().then(
      (gone) => gone.length > 0 && this.logger.log(`removed the bytes of ${gone.length} deleted runs`),
      (error: unknown) => this.logger.warn(`look for bytes of deleted runs: ${String(error)}`),
    ) as Promise<void>;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.work;
  }

  /** Gives the runs whose bytes were removed. */
  async sweep(): Promise<string[]> {
    const keys = await this.content.list('runs');
    const ids = new Set(keys.map((key) => key.split('/')[1] ?? ''));
    const gone: string[] = [];
    for (const id of ids) if (await this.isDeleted(id)) gone.push(id);
    for (const id of gone) await this.artifacts.removeBytes(id);
    return gone;
  }

  private async isDeleted(id: string): Promise<boolean> {
    if (id === '' || (await this.source.getRepository(Run).existsBy({ id }))) return false;
    return this.source.getRepository(AuditEntry).existsBy({ subject: id });
  }
}
