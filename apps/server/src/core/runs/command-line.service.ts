/** @file The command line as a process of its own, for work that the server does not do itself. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import { pluginEnvironment } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { PluginCatalogue } from '../plugins/plugin-catalogue.service.js';

export interface CommandLimits {
  readonly limitMs: number;
  /** besides those that plugins get */
  readonly env?: Readonly<Record<string, string>>;
  /** ends the process */
  readonly signal?: AbortSignal;
}

const maxWaiting = 8;

@Injectable()
export class CommandLine {
  private readonly program: string;
  private readonly passEnvironment: readonly string[];
  private queue: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor(
    @Inject(SERVER_OPTIONS) { plugins }: ServerOptions,
    private readonly catalogue: PluginCatalogue,
  ) {
    this.program = plugins.cli === '' ? findInstallation().program : resolvePath(plugins.cli);
    this.passEnvironment = plugins.passEnvironment;
  }

  /**
   * Runs a command, one at a time.
   *
   * @param what for messages, such as `plan`
   * @returns what it prints
   * @throws Error in one sentence, with the last words of the command where it has failed
   */
  async run(what: string, words: readonly string[], limits: CommandLimits): Promise<string> {
    if (!existsSync(this.program)) throw new Error(`the command line is not installed (${this.program})`);
    if (this.waiting >= maxWaiting) throw new Error(`too many of \`${what}\` wait; try again later`);
    this.waiting += 1;
    const result = this.queue.then(async () => this.call(what, words, limits));
    this.queue = result.catch(() => undefined);
    return result.finally(() => (this.waiting -= 1));
  }

  private async call(
    what: string,
    words: readonly string[],
    { limitMs, env, signal }: CommandLimits,
  ): Promise<string> {
    signal?.throwIfAborted();
    const options = {
      cwd: this.catalogue.root,
      timeout: limitMs,
      killSignal: 'SIGKILL' as const,
      env: { ...pluginEnvironment(process.env, this.passEnvironment), ...env },
      maxBuffer: 16 * 1024 * 1024,
      encoding: 'utf8' as const,
      ...(signal === undefined ? {} : { signal }),
    };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [this.program, ...words], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (error.killed === true) reject(new Error(`\`${what}\` took more than ${limitMs / 1000} s`));
        else reject(new Error(`\`${what}\` ended with: ${stderr.trim().slice(-1000) || error.message}`));
      });
    });
  }
}
