/**
 * @file The files of runs: rows in the database, bytes in the store under keys that contain their hash. Each attempt may
 * store a file of its own under a path; the newest counts. Only the attempt that holds its job may store files.
 */
import type { Readable } from 'node:stream';
import { AppError } from '@espalier/contracts';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { createId } from '../database/create-id.js';
import { insertRow, readRow, updateRow } from '../database/rows.js';
import { runSql } from '../database/run-sql.js';
import { RunLog } from '../database/run-log.js';
import { columnKey, type Page, type PagePart, readPage } from '../database/page.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { artifactKindOf, artifactStepOf, validateArtifactPath } from './artifact-path.js';
import { Artifact } from '../database/entities/artifact.js';
import type { ByteRange } from './byte-range.js';
import { KeyLocks } from './key-locks.js';
import { ArtifactStore } from './store/artifact-store.js';

const pageSize = 1000;
const activeStates = ['assigned', 'running', 'ended'];

@Injectable()
export class ArtifactService {
  private readonly logger = new Logger('artifacts');
  /** lock bytes that are being stored or removed, as the write queue must not wait for a slow store */
  private readonly uses = new KeyLocks();

  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly content: ArtifactStore,
  ) {}

  /**
   * Stores a file of a run, unless it is stored already.
   *
   * @param token of the attempt; see Job.token
   * @param sha256 of the bytes, lower-case hexadecimal
   * @param length of the stream, if known
   * @throws artifact.invalid_path, artifact.mismatch, artifact.interrupted, artifact.unavailable, worker.fenced, worker.unconfirmed
   */
  async store(
    runId: string,
    attemptId: string,
    token: number,
    path: string,
    sha256: string,
    stream: Readable,
    length?: number,
  ): Promise<Artifact> {
    validateArtifactPath(path);
    validateHash(path, sha256);
    const attempt = await validateHolder(this.source.manager, runId, attemptId, token);
    const key = `runs/${runId}/${sha256}`;
    const { row, replaced } = await this.uses.shared(key, async () => {
      const bytes = await this.put(key, { runId, sha256, length }, stream);
      return this.log.write({ runId }, async (manager) => {
        await validateHolder(manager, runId, attemptId, token);
        return record(manager, { runId, attempt: attempt.number, path, key, sha256, bytes });
      });
    });
    if (replaced !== undefined) await this.removeUnused([replaced]);
    return row;
  }

  /** Stores bytes unless the store has them; returns their number. */
  private async put(
    key: string,
    { runId, sha256, length }: { runId: string; sha256: string; length: number | undefined },
    stream: Readable,
  ): Promise<number> {
    const text = 'SELECT bytes FROM artifact WHERE "runId" = ? AND sha256 = ? LIMIT 1';
    const [known] = await runSql<{ bytes: unknown }>(this.source.manager, text, [runId, sha256]);
    if (known === undefined || !(await this.content.has(key)))
      return this.content.put(key, stream, { sha256, ...(length === undefined ? {} : { bytes: length }) });
    stream.resume();
    return Number(known.bytes);
  }

  /** Yields all files whose path starts with a prefix, by path; of each path the newest. */
  async *all(runId: string, prefix = ''): AsyncGenerator<Artifact> {
    for (let after: string | undefined; ;) {
      const query = this.below(runId, prefix).orderBy('artifact.path').limit(pageSize);
      if (after !== undefined) query.andWhere('artifact.path > :after', { after });
      const rows = await query.getMany();
      yield* rows;
      if (rows.length < pageSize) return;
      after = rows.at(-1)?.path;
    }
  }

  /** A page of the same list. @throws server.invalid_cursor, server.invalid_input */
  async page(runId: string, prefix: string, part: PagePart): Promise<Page<Artifact>> {
    return readPage(this.below(runId, prefix), part, [columnKey('artifact', 'path', 'text')]);
  }

  /** @throws artifact.not_found, artifact.invalid_path */
  async find(runId: string, path: string): Promise<Artifact> {
    const found = await this.newest(runId)
      .andWhere('artifact.path = :path', { path: validateArtifactPath(path) })
      .getOne();
    if (found !== null) return found;
    throw new AppError(
      'artifact.not_found',
      `open artifact "${path}" of run ${runId}: there is none; list them with GET /api/v1/runs/${runId}/artifacts`,
    );
  }

  /**
   * Opens a file.
   *
   * @throws artifact.not_found, artifact.invalid_path, artifact.unavailable
   */
  async open(
    runId: string,
    path: string,
    range?: ByteRange,
  ): Promise<{ artifact: Artifact; stream: Readable }> {
    const artifact = await this.find(runId, path);
    return { artifact, stream: await this.content.open(artifact.key, artifact, range) };
  }

  /**
   * Removes bytes that no file uses any more; call it after the commit. Uploads of the same bytes wait for it, and it
   * waits for uploads that are running. A failure is logged, and the bytes stay.
   */
  async removeUnused(keys: readonly string[]): Promise<void> {
    for (const key of new Set(keys))
      await this.uses.exclusive(key, () =>
        this.logFailure(`remove ${key}`, async () => {
          const isUsed = await this.log.read((manager) => manager.existsBy(Artifact, { key }));
          if (!isUsed) await this.content.remove(key);
        }),
      );
  }

  /** Removes the bytes of a run whose deletion is committed; after a crash, the next start removes them. */
  async removeBytes(runId: string): Promise<void> {
    await this.logFailure(`remove the files of run ${runId}`, () => this.content.remove(`runs/${runId}`));
  }

  private async logFailure(operation: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn(
        `${operation}: ${String(error)}; the bytes remain until the next start, or until they are removed manually`,
      );
    }
  }

  private below(runId: string, prefix: string) {
    const query = this.newest(runId);
    if (prefix === '') return query;
    return query.andWhere('substr(artifact.path, 1, :length) = :prefix', { prefix, length: prefix.length });
  }

  private newest(runId: string) {
    return this.source
      .getRepository(Artifact)
      .createQueryBuilder('artifact')
      .where('artifact.runId = :runId', { runId })
      .andWhere((query) => {
        const newer = query
          .subQuery()
          .select('1')
          .from(Artifact, 'newer')
          .where('newer.runId = artifact.runId AND newer.path = artifact.path')
          .andWhere('newer.attempt > artifact.attempt');
        return `NOT EXISTS ${newer.getQuery()}`;
      });
  }
}

/** Records a file, inside a write; `replaced` is the key of the bytes that the same attempt stored there before. */
async function record(
  manager: EntityManager,
  file: Pick<Artifact, 'runId' | 'attempt' | 'path' | 'key' | 'sha256' | 'bytes'>,
): Promise<{ row: Artifact; replaced?: string }> {
  const { runId, attempt, path } = file;
  const text = 'SELECT id FROM artifact WHERE "runId" = ? AND path = ? AND attempt = ?';
  const [known] = await runSql<{ id: string }>(manager, text, [runId, path, attempt]);
  const before = known === undefined ? null : await readRow(manager, Artifact, known.id);
  if (before?.sha256 === file.sha256) return { row: before };
  const row: Artifact = Object.assign(new Artifact(), {
    id: before?.id ?? createId('artifact'),
    ...file,
    createdAt: Date.now(),
    kind: artifactKindOf(path),
    step: artifactStepOf(path),
  });
  if (before === null) {
    await insertRow(manager, Artifact, row);
    return { row };
  }
  const { id, ...changes } = row;
  await updateRow(manager, Artifact, id, changes);
  return { row, replaced: before.key };
}

async function validateHolder(
  manager: EntityManager,
  runId: string,
  attemptId: string,
  token: number,
): Promise<Attempt> {
  const attempt = await readRow(manager, Attempt, attemptId);
  const isOfRun = attempt?.runId === runId && attempt.number === token;
  if (isOfRun && activeStates.includes(attempt.state)) {
    const job = await readRow(manager, Job, attempt.jobId);
    if (job?.token === token) return attempt;
  }
  if (isOfRun && attempt.state === 'lost') await refuseUnconfirmed(manager, attempt);
  throw new AppError(
    'worker.fenced',
    `store an artifact of run ${runId} for attempt "${attemptId}" with token ${token}: it no longer holds its job; end its process and send nothing more`,
    { details: { attemptId, token } },
  );
}

/** Refuses a lost attempt whose job is still queued: its worker may reclaim it by a heartbeat. */
async function refuseUnconfirmed(
  manager: EntityManager,
  { id, jobId, runId, number }: Attempt,
): Promise<void> {
  const job = await readRow(manager, Job, jobId);
  if (job?.token !== number || job.state !== 'queued') return;
  throw new AppError(
    'worker.unconfirmed',
    `store an artifact of run ${runId} for attempt "${id}" with token ${number}: its worker was silent beyond its lease; send it again after the next heartbeat`,
    { details: { attemptId: id, token: number } },
  );
}

function validateHash(path: string, sha256: string): void {
  if (/^[0-9a-f]{64}$/.test(sha256)) return;
  throw new AppError(
    'artifact.mismatch',
    `store artifact "${path}": the announced sha256 is ${JSON.stringify(sha256.slice(0, 80))}; send 64 lower-case hexadecimal digits in x-espalier-sha256`,
  );
}
