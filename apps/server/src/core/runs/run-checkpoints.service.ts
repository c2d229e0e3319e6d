/** @file The checkpoints of a run that are stored whole: their manifest is the last file to be stored. */
import { Injectable } from '@nestjs/common';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { notPossible } from './refusals.js';

export interface StoredCheckpoint {
  readonly step: number;
  /** folder among the artifacts */
  readonly path: string;
}

const manifest = /^(checkpoints\/step-(\d{1,9}))\/manifest\.json$/;

@Injectable()
export class RunCheckpoints {
  constructor(private readonly artifacts: ArtifactService) {}

  /** Lists them, oldest first. */
  async list(runId: string): Promise<StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = [];
    for (let after: string | undefined; ;) {
      const { items, next } = await this.artifacts.list(runId, 'checkpoints/', after);
      for (const { path } of items) {
        const [, folder, step] = manifest.exec(path) ?? [];
        if (folder !== undefined) found.push({ path: folder, step: Number(step) });
      }
      if (next === null) return found.sort((a, b) => a.step - b.step);
      after = next;
    }
  }

  /** Finds one by step or by folder; without either the newest. @throws run.not_possible */
  async choose(
    runId: string,
    wanted: { readonly step?: number | undefined; readonly checkpoint?: string | undefined },
  ): Promise<StoredCheckpoint> {
    const stored = await this.list(runId);
    const { step, checkpoint } = wanted;
    const path = checkpoint?.replace(/(?<!\/)\/+$/, '');
    const fits = (one: StoredCheckpoint): boolean =>
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

function nameSteps(stored: readonly StoredCheckpoint[]): string {
  const steps = stored.map(({ step }) => step);
  return steps.length <= 20
    ? `steps ${steps.join(', ')}`
    : `${steps.length} from step ${steps[0]} to ${steps.at(-1)}`;
}
