/**
 * @file Removes old checkpoints of runs that have ended, if `artifacts.keepCheckpoints` is set: when a run ends, and of all such
 * runs when the server starts and every hour, as some ended before that was set, or had a checkpoint that was needed then. It
 * keeps the newest, and those that a fork without a checkpoint of its own or a pending evaluation starts from.
 */
import { stoppedStates } from '@espalier/protocol';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { type EntityManager, In, Like, Not } from 'typeorm';
import { Artifact } from '../database/entities/artifact.js';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { LiveBus } from '../database/live-bus.js';
import { repeat } from '../database/repeat.js';
import { RunLog } from '../database/run-log.js';
import { runSql } from '../database/run-sql.js';
import { Job } from '../database/entities/job.js';
import { listDependentForks } from './dependent-forks.js';
import { RunCheckpoints } from './run-checkpoints.service.js';

const endStates: readonly string[] = ['finished', 'failed', 'cancelled'];
const hour = 3_600_000; // ms

@Injectable()
export class CheckpointRetention implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly keep: number;
  private readonly log = new Logger('retention');
  private stopListening: (() => void) | undefined;
  private stopSweeping = (): Promise<void> => Promise.resolve();
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(SERVER_OPTIONS) options: ServerOptions,
    private readonly runLog: RunLog,
    private readonly bus: LiveBus,
    private readonly checkpoints: RunCheckpoints,
    private readonly artifacts: ArtifactService,
  ) {
    this.keep = options.artifacts.keepCheckpoints;
  }

  onModuleInit(): void {
    if (this.keep === 0) return;
    this.stopListening = this.bus.on('job', '*', ({ kind, state, runId }) => {
      if (kind === 'train' && endStates.includes(state)) void this.queue(runId);
    });
  }

  onApplicationBootstrap(): void {
    if (this.keep === 0) return;
    const report = (error: unknown): void => this.log.error(`list runs that have ended: ${String(error)}`);
    this.sweep().catch(report);
    this.stopSweeping = repeat(() => this.sweep(), hour, report);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopListening?.();
    await this.stopSweeping();
    await this.work;
  }

  /** Removes the old checkpoints of all runs that have ended. */
  async sweep(): Promise<void> {
    const marks = endStates.map(() => '?').join(', ');
    const ended = await this.runLog.read((manager) =>
      runSql<{ runId: string }>(
        manager,
        `SELECT "runId" FROM job WHERE kind = 'train' GROUP BY "runId"
         HAVING SUM(CASE WHEN state IN (${marks}) THEN 0 ELSE 1 END) = 0`,
        endStates,
      ),
    );
    await Promise.all(ended.map(({ runId }) => this.queue(runId)));
  }

  /** One run after the other. */
  private queue(runId: string): Promise<unknown> {
    this.work = this.work
      .then(() => this.apply(runId))
      .catch((error: unknown) =>
        this.log.error(`keep ${this.keep} checkpoints of run ${runId}: ${String(error)}`),
      );
    return this.work;
  }

  /** Removes the old checkpoints and returns their steps. */
  async apply(runId: string): Promise<number[]> {
    const stored = await this.checkpoints.list(runId);
    const old = stored.slice(0, Math.max(0, stored.length - this.keep));
    if (old.length === 0) return [];
    const removed: number[] = [];
    for (const { path, step } of old) if (await this.remove(runId, path)) removed.push(step);
    return removed;
  }

  /** Removes a checkpoint unless something needs it, which is checked in the same transaction; then its bytes. */
  private async remove(runId: string, path: string): Promise<boolean> {
    const files = await this.runLog.write({ runId }, async (manager) => {
      if ((await this.neededPaths(manager, runId)).has(path)) return [];
      const found = await manager.findBy(Artifact, { runId, path: Like(`${path}/%`) });
      if (found.length > 0) await manager.delete(Artifact, { id: In(found.map(({ id }) => id)) });
      return found;
    });
    await this.artifacts.removeUnused(files.map(({ key }) => key));
    return files.length > 0;
  }

  private async neededPaths(manager: EntityManager, runId: string): Promise<Set<string>> {
    const forks = await listDependentForks(manager, runId);
    const evaluations = await manager.findBy(Job, {
      runId,
      kind: In(['evaluate', 'chat']),
      state: Not(In([...stoppedStates])),
    });
    const paths = [
      ...forks.map(({ forkPath }) => forkPath),
      ...evaluations.map(({ evaluate }) => evaluate?.path),
    ];
    return new Set(paths.filter((path) => typeof path === 'string'));
  }
}
