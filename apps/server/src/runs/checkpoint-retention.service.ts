/**
 * @file Removes old checkpoints of runs that have ended, if the settings say so. The newest stay, and so do those that
 * something still begins from: a fork that has not finished a step, an evaluation that has not ended.
 */
import { restingStates } from '@espalier/protocol';
import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource, In, Like, Not } from 'typeorm';
import { Artifact } from '../artifacts/artifact.entity.js';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { SERVER_OPTIONS, type ServerOptions } from '../config/server-options.js';
import { LiveBus } from '../events/live-bus.js';
import { Job } from '../jobs/job.entity.js';
import { RunCheckpoints } from './run-checkpoints.service.js';
import { Run } from './run.entity.js';

const endStates: readonly string[] = ['finished', 'failed', 'cancelled'];

@Injectable()
export class CheckpointRetention implements OnModuleInit, OnModuleDestroy {
  private readonly keep: number;
  private readonly log = new Logger('retention');
  private stopListening: (() => void) | undefined;
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(SERVER_OPTIONS) options: ServerOptions,
    private readonly source: DataSource,
    private readonly bus: LiveBus,
    private readonly checkpoints: RunCheckpoints,
    private readonly artifacts: ArtifactService,
  ) {
    this.keep = options.artifacts.keepCheckpoints;
  }

  onModuleInit(): void {
    if (this.keep === 0) return;
    this.stopListening = this.bus.on('run', '*', (run) => {
      if (!endStates.includes(run.state)) return;
      this.work = this.work
        .then(() => this.apply(run.id))
        .catch((error: unknown) => this.log.error(`keep ${this.keep} checkpoints of run ${run.id}: ${String(error)}`));
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.stopListening?.();
    await this.work;
  }

  /** Removes what is too old; gives the steps whose checkpoints are gone. */
  async apply(runId: string): Promise<number[]> {
    const stored = await this.checkpoints.list(runId);
    const old = stored.slice(0, Math.max(0, stored.length - this.keep));
    if (old.length === 0) return [];
    const needed = await this.neededPaths(runId);
    const gone = old.filter(({ path }) => !needed.has(path));
    for (const { path } of gone) {
      const files = await this.source.getRepository(Artifact).findBy({ runId, path: Like(`${path}/%`) });
      // the manifest first: without it the checkpoint counts no more
      const isManifest = (file: Artifact): number => (file.path.endsWith('/manifest.json') ? 0 : 1);
      await this.artifacts.remove(files.sort((a, b) => isManifest(a) - isManifest(b)));
    }
    return gone.map(({ step }) => step);
  }

  private async neededPaths(runId: string): Promise<Set<string>> {
    const forks = await this.source
      .getRepository(Run)
      .findBy({ parentRunId: runId, step: -1, state: Not(In(['finished', 'cancelled'])) });
    const evaluations = await this.source
      .getRepository(Job)
      .findBy({ runId, kind: 'evaluate', state: Not(In([...restingStates])) });
    const paths = [...forks.map(({ forkPath }) => forkPath), ...evaluations.map(({ evaluate }) => evaluate?.path)];
    return new Set(paths.filter((path) => typeof path === 'string'));
  }
}
