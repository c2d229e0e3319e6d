/** @file What has arrived of an imported run, to compare with what was announced. */
import { createHash } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ArtifactService } from '../../artifacts/artifact.service.js';
import { Attempt } from '../../database/entities/attempt.js';
import type { ImportEndRequest } from './import-request.js';

type Files = ImportEndRequest['files'];

@Injectable()
export class UploadedContent {
  constructor(private readonly artifacts: ArtifactService) {}

  /** Counts the files, of each path the newest, and hashes their list. */
  async files(runId: string): Promise<Files> {
    const found: { path: string; sha256: string; bytes: number }[] = [];
    for (let after: string | undefined; ;) {
      const { items, next } = await this.artifacts.list(runId, '', after);
      found.push(...items);
      if (next === null) break;
      after = next;
    }
    found.sort((a, b) => (a.path < b.path ? -1 : 1));
    const hash = createHash('sha256');
    for (const { path, sha256 } of found) hash.update(`${sha256}  ${path}\n`);
    const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
    return { count: found.length, bytes, sha256: hash.digest('hex') };
  }

  /** Events stored of each attempt, in order. */
  async events(manager: EntityManager, runId: string, jobId: string): Promise<number[]> {
    const attempts = await manager.find(Attempt, { where: { runId, jobId }, order: { number: 'ASC' } });
    return attempts.map(({ ackedTrainer }) => ackedTrainer);
  }
}

/** @throws run.incomplete_import naming what is missing; `details` has both sides */
export function assertComplete(
  runId: string,
  announced: Pick<ImportEndRequest, 'events' | 'files'>,
  arrived: Pick<ImportEndRequest, 'events' | 'files'>,
): void {
  const events = announced.events.length === 0 ? [0] : announced.events;
  const flaws = [
    ...(String(events) === String(arrived.events)
      ? []
      : [`events of its attempts are ${arrived.events.join(', ')}, announced were ${events.join(', ')}`]),
    ...(['count', 'bytes', 'sha256'] as const)
      .filter((fact) => arrived.files[fact] !== announced.files[fact])
      .map((fact) => `${names[fact]} is ${arrived.files[fact]}, announced was ${announced.files[fact]}`),
  ];
  if (flaws.length === 0) return;
  throw new AppError(
    'run.incomplete_import',
    `end the import of run ${runId}: ${flaws.join('; ')}; send what is missing, then end it again`,
    { details: { announced, arrived } },
  );
}

const names = { count: 'the number of files', bytes: 'their size', sha256: 'the hash of their list' };
