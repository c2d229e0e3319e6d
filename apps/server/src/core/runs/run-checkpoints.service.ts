/** @file The checkpoints of a run. One is complete when its manifest, the last of its files, is stored. */
import { runLayout } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { type Page, pageOfAll, type PagePart } from '../database/page.js';
import type { Run } from '../database/entities/run.js';
import { notPossible } from './refusals.js';

/** The weights of a run after some step, as files. */
export class Checkpoint {
  step!: number;
  /** folder among the artifacts */
  path!: string;
  files!: number;
  bytes!: number;
  /** of its newest file */
  createdAt!: number;
  isComplete!: boolean;
  canFork!: boolean;
}

const file = /^(checkpoints\/step-(\d{1,9}))\/(.+)$/;

@Injectable()
export class RunCheckpoints {
  constructor(private readonly artifacts: ArtifactService) {}

  /** Lists the complete ones, oldest first. */
  async list(runId: string): Promise<Checkpoint[]> {
    return (await this.all(runId)).filter(({ isComplete }) => isComplete);
  }

  /** A page of all of them, oldest first, those still being uploaded included. @throws server.invalid_cursor, server.invalid_input */
  async page({ id, state }: Pick<Run, 'id' | 'state'>, page: PagePart): Promise<Page<Checkpoint>> {
    const found = await this.all(id);
    for (const checkpoint of found) checkpoint.canFork &&= state !== 'importing';
    return pageOfAll(found, page, 'checkpoint', ({ step }) => step);
  }

  private async all(runId: string): Promise<Checkpoint[]> {
    const found = new Map<string, Checkpoint>();
    for await (const { path, bytes, createdAt } of this.artifacts.all(runId, `${runLayout.checkpoints}/`)) {
      const [, folder, step, name] = file.exec(path) ?? [];
      if (folder === undefined) continue;
      const one = found.get(folder) ?? newCheckpoint(folder, Number(step), createdAt);
      found.set(folder, one);
      one.files += 1;
      one.bytes += bytes;
      one.createdAt = Math.max(one.createdAt, createdAt);
      if (name === runLayout.manifest) one.isComplete = one.canFork = true;
    }
    return [...found.values()].sort((a, b) => a.step - b.step);
  }

  /** Finds one by step or by folder; without either the newest. @throws run.not_possible */
  async choose(
    runId: string,
    selection: { readonly step?: number | undefined; readonly checkpoint?: string | undefined },
  ): Promise<Checkpoint> {
    const stored = await this.list(runId);
    const { step, checkpoint } = selection;
    const path = checkpoint?.replace(/(?<!\/)\/+$/, '');
    const fits = (one: Checkpoint): boolean =>
      (step === undefined || one.step === step) && (path === undefined || one.path === path);
    const found = stored.findLast(fits);
    if (found !== undefined) return found;
    const named = path ?? (step === undefined ? 'the newest checkpoint' : `the checkpoint of step ${step}`);
    const there = stored.length === 0 ? 'it has none yet' : `stored are ${nameSteps(stored)}`;
    throw notPossible(`use ${named} of run ${runId}: ${there}; choose one of those that are stored`, {
      steps: stored.map((one) => one.step),
    });
  }
}

function nameSteps(stored: readonly Checkpoint[]): string {
  const steps = stored.map(({ step }) => step);
  return steps.length <= 20
    ? `steps ${steps.join(', ')}`
    : `${steps.length} from step ${steps[0]} to ${steps.at(-1)}`;
}

function newCheckpoint(path: string, step: number, createdAt: number): Checkpoint {
  const empty = { step, path, createdAt, files: 0, bytes: 0, isComplete: false, canFork: false };
  return Object.assign(new Checkpoint(), empty);
}
