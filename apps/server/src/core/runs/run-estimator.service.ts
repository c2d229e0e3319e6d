/**
 * @file Asks `espalier plan --json` what a run would cost. That loads the runtime and times the machine, so it happens
 * in a process of its own, one at a time; without an answer a plan has no estimate and says why.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import { pluginEnvironment } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { PluginCatalogue } from '../plugins/plugin-catalogue.service.js';
import type { RunEstimate } from './run-plan.type.js';

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
  private readonly passed: readonly string[];
  private queue: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor(
    @Inject(SERVER_OPTIONS) { plugins }: ServerOptions,
    private readonly catalogue: PluginCatalogue,
  ) {
    this.program = plugins.cli === '' ? findInstallation().program : resolve(plugins.cli);
    this.limitMs = plugins.planSeconds * 1000;
    this.passed = plugins.passEnvironment;
  }

  /** Estimates a resolved spec; never throws. */
  async estimate(spec: Readonly<Record<string, unknown>>): Promise<Estimate> {
    if (!existsSync(this.program)) return without(`the command line is not installed (${this.program})`);
    if (this.waiting >= maxWaiting) return without('too many plans wait for an estimate; ask again later');
    this.waiting += 1;
    const result = this.queue.then(async () => this.run(spec));
    this.queue = result.catch(() => undefined);
    return result
      .catch((error: unknown) => without(error instanceof Error ? error.message : String(error)))
      .finally(() => (this.waiting -= 1));
  }

  private async run(spec: Readonly<Record<string, unknown>>): Promise<Estimate> {
    const folder = await mkdtemp(join(tmpdir(), 'espalier-plan-'));
    try {
      const file = join(folder, 'spec.json');
      await writeFile(file, JSON.stringify(spec));
      const told = JSON.parse(await this.call(file)) as {
        estimate: RunEstimate;
        warnings?: string[];
      };
      return { estimate: told.estimate, estimateReason: null, warnings: told.warnings ?? [] };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async call(file: string): Promise<string> {
    const options = {
      cwd: this.catalogue.root,
      timeout: this.limitMs,
      killSignal: 'SIGKILL' as const,
      env: pluginEnvironment(process.env, this.passed),
      maxBuffer: 16 * 1024 * 1024,
      encoding: 'utf8' as const,
    };
    return new Promise((done, fail) => {
      execFile(process.execPath, [this.program, 'plan', file, '--json'], options, (error, stdout, stderr) => {
        if (error === null) done(stdout);
        else if (error.killed === true) fail(new Error(`no estimate within ${this.limitMs / 1000} s`));
        else fail(new Error(`espalier plan ended with: ${stderr.trim().slice(-1000) || error.message}`));
      });
    });
  }
}

function without(estimateReason: string): Estimate {
  return { estimate: null, estimateReason, warnings: [] };
}
