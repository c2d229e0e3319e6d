/**
 * @file Sends a run folder to a server, which then has it as if it had watched: its events in order, and its files. An
 * interrupted import continues with what the server lacks. The server checks what it got, by number and by hash.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Client } from '@espalier/client';
import { hashFile } from '@espalier/files';
import { loadOrigin } from '../local/run-origin.js';
import { type FolderFile, type ImportFolder, readEventBatches, readImportFolder } from './import-folder.js';

export interface ImportOptions {
  readonly project?: string;
  /** default: that of the spec */
  readonly name?: string;
  readonly tags?: readonly string[];
  /** make one more run of a folder that was imported before */
  readonly again?: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** How far an import is; what the server had before counts as done. */
export interface ImportProgress {
  readonly events: number;
  readonly eventsTotal: number;
  readonly files: number;
  readonly filesTotal: number;
  /** of events and files together, as they are sent */
  readonly bytes: number;
  readonly bytesTotal: number;
  /** of these, sent now */
  readonly sent: number;
}

export interface ImportedRun {
  readonly runId: string;
  readonly name: string;
  readonly state: string;
  /** `known`: it was imported before and nothing was done; `continued`: an import of it had broken off */
  readonly outcome: 'imported' | 'continued' | 'known';
  /** of a known one: the folder holds something else now */
  readonly isChanged: boolean;
  readonly events: number;
  readonly files: number;
  readonly bytes: number;
}

interface Handle {
  readonly runId: string;
  readonly attemptId: string;
  readonly token: number;
}

interface Announced extends Handle {
  readonly name: string;
  readonly state: string;
  readonly isNew: boolean;
  readonly isChanged: boolean;
  readonly attempts: readonly { readonly acked: number }[];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * Imports a run folder.
 *
 * @throws cli.run_not_found, recorder.corrupt_log, client.unreachable, client.refused
 */
export async function importRun(
  client: Client,
  folder: string,
  options: ImportOptions = {},
): Promise<ImportedRun> {
  const found = readImportFolder(folder);
  const { spec, fingerprint, content, startedAt, state, message, endedAt } = found;
  const { project, name, tags = [], again = false } = options;
  const announcement = {
    spec,
    fingerprint,
    content,
    startedAt,
    tags,
    again,
    ...loadOrigin(folder),
    ...(project === undefined ? {} : { project }),
    ...(name === undefined ? {} : { name }),
  };
  const named = { 'idempotency-key': randomUUID() };
  const announced = (await post(client, '/api/v1/runs/import', announcement, named)) as Announced;
  const { runId, isNew } = announced;
  const summary = {
    runId,
    name: announced.name,
    events: sum(found.events),
    files: found.files.length,
    bytes: sum(found.files.map(({ bytes }) => bytes)),
  };
  if (announced.state !== 'importing')
    return { ...summary, state: announced.state, outcome: 'known', isChanged: announced.isChanged };
  const files = await new Sending(client, folder, found, options.onProgress).send(announced);
  const end = { state, message, endedAt, events: found.events, files };
  const ended = (await post(client, `/api/v1/runs/${runId}/import/end`, end)) as { state: string };
  return { ...summary, state: ended.state, outcome: isNew ? 'imported' : 'continued', isChanged: false };
}

/** One import under way. */
class Sending {
  private progress: ImportProgress;

  constructor(
    private readonly client: Client,
    private readonly folder: string,
    private readonly found: ImportFolder,
    private readonly onProgress: ImportOptions['onProgress'],
  ) {
    const bytesTotal = found.characters + sum(found.files.map(({ bytes }) => bytes));
    this.progress = {
      events: 0,
      eventsTotal: sum(found.events),
      files: 0,
      filesTotal: found.files.length,
      bytes: 0,
      bytesTotal,
      sent: 0,
    };
  }

  /** Sends what the server lacks; gives what it has then. */
  async send(announced: Announced): Promise<{ count: number; bytes: number; sha256: string }> {
    const handle = await this.sendEvents(announced);
    const known = announced.isNew ? [] : await this.client.artifacts.list(announced.runId);
    const stored = new Map(known.map(({ path, sha256 }) => [path, sha256]));
    const lines: [path: string, line: string][] = [];
    let bytes = 0;
    for (const file of this.found.files) {
      const sha256 = hashFile(join(this.folder, file.path));
      const isStored = stored.get(file.path) === sha256;
      if (!isStored) await this.putFile(handle, file, sha256);
      lines.push([file.path, `${sha256}  ${file.path}\n`]);
      bytes += file.bytes;
      this.advance({ files: 1, bytes: file.bytes, sent: isStored ? 0 : file.bytes });
    }
    lines.sort(([a], [b]) => (a < b ? -1 : 1));
    const hash = createHash('sha256').update(lines.map(([, line]) => line).join(''));
    return { count: lines.length, bytes, sha256: hash.digest('hex') };
  }

  /** @returns the handle of the last attempt, whose files they are */
  private async sendEvents({ attempts, ...newest }: Announced): Promise<Handle> {
    const acked = attempts.map((one) => one.acked);
    const had = sum(acked);
    const total = sum(this.found.events);
    let handle: Handle = newest;
    // the length of each is unknown unless it is read again
    this.advance({ events: had, bytes: total === 0 ? 0 : (this.found.characters * had) / total, sent: 0 });
    for (const { attempt, events, characters } of readEventBatches(this.folder, acked)) {
      const address = `/api/v1/runs/${newest.runId}/import/events`;
      handle = (await post(this.client, address, { attempt, events })) as Handle;
      this.advance({ events: events.length, bytes: characters, sent: characters });
    }
    return handle;
  }

  private async putFile(
    { runId, attemptId, token }: Handle,
    { path, bytes }: FolderFile,
    sha256: string,
  ): Promise<void> {
    const file = join(this.folder, path);
    const address = `/api/v1/runs/${runId}/artifacts/${path.split('/').map(encodeURIComponent).join('/')}`;
    await this.client.rest(address, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        'x-espalier-attempt': attemptId,
        'x-espalier-token': String(token),
        'x-espalier-sha256': sha256,
      },
      // a stream has no length of its own, so small files go as they are
      ...(bytes < 1 << 20
        ? { body: readFileSync(file) }
        : { body: Readable.toWeb(createReadStream(file)) as ReadableStream, duplex: 'half' as const }),
    });
  }

  private advance(by: Partial<ImportProgress>): void {
    const { events, files, bytes, sent } = this.progress;
    this.progress = {
      ...this.progress,
      events: events + (by.events ?? 0),
      files: files + (by.files ?? 0),
      bytes: bytes + (by.bytes ?? 0),
      sent: sent + (by.sent ?? 0),
    };
    this.onProgress?.(this.progress);
  }
}

async function post(
  client: Client,
  address: string,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...more };
  const response = await client.rest(address, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}
