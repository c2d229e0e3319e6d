/**
 * @file Reports on runs, as `espalier report --server` makes them: in a process of its own, which asks this server for the runs
 * with the key of whoever wants the report, and so sees what that key may see.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { Injectable } from '@nestjs/common';
import { CommandLine } from '../command-line.service.js';

/** Who asks: how the process reaches this server, and its key. */
export interface Asker {
  readonly url: string;
  readonly key: string;
}

const limitMs = 300_000;

@Injectable()
export class RunReports {
  constructor(private readonly commands: CommandLine) {}

  /** Makes a report: one HTML file. @throws report.failed */
  async make(
    runIds: readonly string[],
    title: string,
    { url, key }: Asker,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const folder = await mkdtemp(join(tmpdir(), 'espalier-report-'));
    const out = join(folder, 'report.html');
    try {
      const words = ['report', ...runIds, `--title=${title}`, '--server', url, '--out', out];
      const env = { ESPALIER_SERVER: url, ESPALIER_KEY: key };
      await this.commands.run('espalier report', words, { limitMs, env, signal });
      return await readFile(out);
    } catch (cause) {
      const finding = cause instanceof Error ? cause.message : String(cause);
      throw new AppError('report.failed', `report on ${runIds.join(', ')}: ${finding.replaceAll(key, '…')}`, {
        cause,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
