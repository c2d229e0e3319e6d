/**
 * @file Estimates the cost of a run with `espalier plan --json`. That loads the runtime and measures the machine, so it runs
 * in a separate process, one at a time. If it fails, a plan has a reason instead of an estimate.
 */
import { runLayout } from '@espalier/contracts';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import { pluginEnvironment } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import { PluginCatalogue } from '../../plugins/plugin-catalogue.service.js';
import type { RunEstimate } from './run-plan.js';

export interface Estimate {
  readonly estimate: RunEstimate | null;
  readonly estimateReason: string | null;
  readonly warnings: readonly string[];
}

const maxWaiting = 8;

@Injectable()
export class RunEstimator {
  private readonly program: string;
  private readonly limitMs: number;
  private readonly passEnvironment: readonly string[];
  private queue: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor(
    @Inject(SERVER_OPTIONS) { plugins }: ServerOptions,
    private readonly catalogue: PluginCatalogue,
  ) {
    this.program = plugins.cli === '' ? findInstallation().program : resolvePath(plugins.cli);
    this.limitMs = plugins.planSeconds * 1000;
    this.passEnvironment = plugins.passEnvironment;
  }

  /** Estimates a resolved spec; never throws. */
  async estimate(spec: Readonly<Record<string, unknown>>): Promise<Estimate> {
    if (!existsSync(this.program)) return noEstimate(`the command line is not installed (${this.program})`);
    if (this.waiting >= maxWaiting) return noEstimate('too many plans wait for an estimate; try again later');
    this.waiting += 1;
    const result = this.queue.then(async () => this.run(spec));
    this.queue = result.catch(() => undefined);
    return result
      .catch((error: unknown) => noEstimate(error instanceof Error ? error.message : String(error)))
      .finally(() => (this.waiting -= 1));
  }

  private async run(spec: Readonly<Record<string, unknown>>): Promise<Estimate> {
    const folder = await mkdtemp(join(tmpdir(), 'espalier-plan-'));
    try {
      const file = join(folder, runLayout.spec);
      await writeFile(file, JSON.stringify(spec));
      const output = JSON.parse(await this.call(file)) as {
        estimate: RunEstimate;
        warnings?: string[];
      };
      return { estimate: output.estimate, estimateReason: null, warnings: output.warnings ?? [] };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async call(file: string): Promise<string> {
    const options = {
      cwd: this.catalogue.root,
      timeout: this.limitMs,
      killSignal: 'SIGKILL' as const,
      env: pluginEnvironment(process.env, this.passEnvironment),
      maxBuffer: 16 * 1024 * 1024,
      encoding: 'utf8' as const,
    };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [this.program, 'plan', file, '--json'], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (error.killed === true) reject(new Error(`no estimate within ${this.limitMs / 1000} s`));
        else reject(new Error(`espalier plan ended with: ${stderr.trim().slice(-1000) || error.message}`));
      });
    });
  }
}

function noEstimate(estimateReason: string): Estimate {
  return { estimate: null, estimateReason, warnings: [] };
}
