/**
 * @file Estimates the cost of a run with `espalier plan --json`. That loads the runtime and measures the machine, so it runs
 * in a separate process, one at a time. If it fails, a plan has a reason instead of an estimate.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import { CommandLine } from '../command-line.service.js';
import type { RunEstimate } from './run-plan.js';

export interface Estimate {
  readonly estimate: RunEstimate | null;
  readonly estimateReason: string | null;
  readonly warnings: readonly string[];
}

@Injectable()
export class RunEstimator {
  private readonly limitMs: number;

  constructor(
    @Inject(SERVER_OPTIONS) { plugins }: ServerOptions,
    private readonly commands: CommandLine,
  ) {
    this.limitMs = plugins.planSeconds * 1000;
  }

  /** Estimates a resolved spec; never throws. */
  async estimate(spec: Readonly<Record<string, unknown>>): Promise<Estimate> {
    const folder = await mkdtemp(join(tmpdir(), 'espalier-plan-'));
    try {
      const file = join(folder, runLayout.spec);
      await writeFile(file, JSON.stringify(spec));
      const said = await this.commands.run('espalier plan', ['plan', file, '--json'], {
        limitMs: this.limitMs,
      });
      const output = JSON.parse(said) as { estimate: RunEstimate; warnings?: string[] };
      return { estimate: output.estimate, estimateReason: null, warnings: output.warnings ?? [] };
    } catch (error) {
      return noEstimate(error instanceof Error ? error.message : String(error));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function noEstimate(estimateReason: string): Estimate {
  return { estimate: null, estimateReason, warnings: [] };
}
