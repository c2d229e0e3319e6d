/** @file A run as files: which there are, with their hashes, and the bytes of each. */
import { createHash } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import {
  type ExportedFile,
  type ExportFormat,
  exportFormats,
  type ExportKind,
  exportKinds,
  type ExportOffer,
} from '@espalier/protocol/export';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { ArtifactService } from '../../artifacts/artifact.service.js';
import { Alert } from '../../database/entities/alert.js';
import { Attempt } from '../../database/entities/attempt.js';
import { Job } from '../../database/entities/job.js';
import type { Run } from '../../database/entities/run.js';
import { RunComment } from '../../database/entities/run-comment.js';
import { toAlertDto } from '../../history/alerts/alert.service.js';
import { toAttemptDto, toJobDto } from '../../scheduling/job-queries.service.js';
import { toCommentDto } from '../run-comments.service.js';
import { toRunDto } from '../run-queries.service.js';
import { encodeTable } from './encode-table.js';
import { ExportTables } from './export-tables.service.js';

/** The newest alerts are exported; their number is not bounded. */
const maxAlerts = 1000;

@Injectable()
export class RunExport {
  /** `run.json` as its manifest describes it, by run and last cursor, for ten minutes: runs change meanwhile */
  private readonly described = new LRUCache<string, string>({
    ttl: 10 * 60_000,
    maxSize: 64 * 2 ** 20,
    sizeCalculation: (text) => text.length + 1,
  });

  constructor(
    private readonly source: DataSource,
    private readonly tables: ExportTables,
    private readonly artifacts: ArtifactService,
  ) {}

  /** Lists the files of an export. @param until last cursor; default: the newest */
  async describe(
    run: Run,
    format: ExportFormat,
    kinds: readonly ExportKind[],
    until = run.head,
  ): Promise<ExportOffer> {
    const names = ['run.json', ...kinds.map((kind) => `${kind}.${format}`)];
    const files: ExportedFile[] = [];
    this.described.set(keyOf(run, until), await this.readRun(run));
    for (const name of names) files.push(await this.describeFile(run, name, until));
    const artifacts: ExportedFile[] = [];
    if (kinds.includes('trajectories'))
      for await (const { path, bytes, sha256 } of this.artifacts.all(run.id, 'trajectories/'))
        artifacts.push({ name: path, bytes, sha256 });
    const stored = await this.tables.findStored(run.id, until, kinds);
    return { runId: run.id, until, ...stored, format, files, artifacts };
  }

  /**
   * Opens a file of an export.
   *
   * @param onRows called with the number of rows of each chunk
   * @throws server.not_found
   */
  async open(
    run: Run,
    name: string,
    until: number,
    onRows?: (rows: number) => void,
  ): Promise<AsyncIterable<Buffer> | Iterable<Buffer>> {
    if (name === 'run.json')
      return [Buffer.from(this.described.get(keyOf(run, until)) ?? (await this.readRun(run)))];
    const [kind, format] = name.split('.');
    const isKnown =
      exportKinds.some((known) => known === kind) && exportFormats.some((known) => known === format);
    if (isKnown) {
      const table = await this.tables.table(kind as ExportKind, run.id, until);
      return encodeTable(table, format as ExportFormat, onRows);
    }
    throw new AppError(
      'server.not_found',
      `export "${name.slice(0, 100)}" of run ${run.id}: there is no such file; files: run.json and ${exportKinds.join(', ')} with .${exportFormats.join(', .')}`,
    );
  }

  private async describeFile(run: Run, name: string, until: number): Promise<ExportedFile> {
    let rows = 0;
    let bytes = 0;
    const hash = createHash('sha256');
    for await (const chunk of await this.open(run, name, until, (count) => (rows += count))) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { name, bytes, sha256: hash.digest('hex'), ...(name === 'run.json' ? {} : { rows }) };
  }

  private async readRun(run: Run): Promise<string> {
    return `${JSON.stringify(await this.readAll(run), null, 2)}\n`;
  }

  /** Reads what the tables of an export do not have: the run as it is now, with its jobs, attempts, alerts and comments. */
  private async readAll(run: Run): Promise<object> {
    const { manager } = this.source;
    const where = { runId: run.id };
    const jobs = await manager.find(Job, { where, order: { id: 'ASC' } });
    const attempts = await manager.find(Attempt, { where, order: { id: 'ASC' } });
    const order = { time: 'DESC' as const, id: 'DESC' as const };
    const alerts = await manager.find(Alert, { where, order, take: maxAlerts });
    const comments = await manager.find(RunComment, { where, order: { createdAt: 'ASC', id: 'ASC' } });
    return {
      ...toRunDto(run),
      jobs: jobs.map(toJobDto),
      attempts: attempts.map((attempt) => {
        const { jobId, versions, plugins, gitRevision } = attempt;
        return { ...toAttemptDto(attempt), jobId, versions, plugins, gitRevision };
      }),
      alerts: alerts.reverse().map(toAlertDto),
      comments: comments.map(toCommentDto),
    };
  }
}

const keyOf = ({ id }: Run, until: number): string => `${id}@${until}`;
