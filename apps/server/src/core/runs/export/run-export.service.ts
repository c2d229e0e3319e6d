/** @file A run as files: which there are, with their hashes, and the bytes of each. */
import { createHash } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import {
  type ExportedFile,
  type ExportFormat,
  exportFormats,
  type ExportKind,
  exportKinds,
  type ExportOffer,
} from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { ArtifactService } from '../../artifacts/artifact.service.js';
import type { Run } from '../../database/entities/run.js';
import { encodeTable } from './encode-table.js';
import { RunFacts } from './run-facts.service.js';
import { ExportTables } from './export-tables.service.js';

/** Facts of runs that are kept until they are fetched. */
const maxQueued = 32;

const keyOf = ({ id }: Run, until: number): string => `${id}@${until}`;

@Injectable()
export class RunExport {
  /** `run.json` as it was offered, by run and last cursor */
  private readonly offered = new Map<string, string>();

  constructor(
    private readonly tables: ExportTables,
    private readonly artifacts: ArtifactService,
    private readonly facts: RunFacts,
  ) {}

  /** @param until default: all there is now */
  async enqueue(
    run: Run,
    format: ExportFormat,
    kinds: readonly ExportKind[],
    until = run.head,
  ): Promise<ExportOffer> {
    const names = ['run.json', ...kinds.map((kind) => `${kind}.${format}`)];
    const files: ExportedFile[] = [];
    this.offered.delete(keyOf(run, until));
    for (const name of names) files.push(await this.describe(run, name, until));
    const artifacts = kinds.includes('trajectories') ? await this.listTrajectories(run.id) : [];
    const kept = await this.tables.kept(run.id, until, kinds);
    return { runId: run.id, until, ...kept, format, files, artifacts };
  }

  /** Gives the bytes of a file. @throws server.not_found */
  async open(
    run: Run,
    name: string,
    until: number,
    count?: (rows: number) => void,
  ): Promise<AsyncGenerator<Buffer>> {
    if (name === 'run.json') return oneChunk(await this.writeFacts(run, until));
    const [kind, format] = name.split('.');
    const isKnown =
      exportKinds.some((known) => known === kind) && exportFormats.some((known) => known === format);
    if (isKnown) {
      const table = await this.tables.table(kind as ExportKind, run.id, until);
      return encodeTable(table, format as ExportFormat, count);
    }
    throw new AppError(
      'server.not_found',
      `export "${name.slice(0, 100)}" of run ${run.id}: there is no such file; files: run.json and ${exportKinds.join(', ')} with .${exportFormats.join(', .')}`,
    );
  }

  /** Facts change while a run goes on: whoever fetches what was offered gets it as it was then. */
  private async writeFacts(run: Run, until: number): Promise<string> {
    const key = keyOf(run, until);
    const known = this.offered.get(key);
    if (known !== undefined) return known;
    const text = `${JSON.stringify(await this.facts.read(run), null, 2)}\n`;
    this.offered.set(key, text);
    const [oldest] = this.offered.keys();
    if (this.offered.size > maxQueued && oldest !== undefined) this.offered.delete(oldest);
    return text;
  }

  private async describe(run: Run, name: string, until: number): Promise<ExportedFile> {
    let [rows, bytes] = [0, 0];
    const hash = createHash('sha256');
    for await (const chunk of await this.open(run, name, until, (count) => (rows += count))) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { name, bytes, sha256: hash.digest('hex'), ...(name === 'run.json' ? {} : { rows }) };
  }

  private async listTrajectories(runId: string): Promise<ExportedFile[]> {
    const files: ExportedFile[] = [];
    for (let after: string | undefined; ;) {
      const { items, next } = await this.artifacts.list(runId, 'trajectories/', after);
      files.push(...items.map(({ path, bytes, sha256 }) => ({ name: path, bytes, sha256 })));
      if (next === null) return files;
      after = next;
    }
  }
}

async function* oneChunk(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}
