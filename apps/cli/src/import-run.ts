/**
 * @file Sends a run folder to a server, which then has it as if it had watched: its events in order, and its files. What
 * was sent is checked by hash there; the folder is only read.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { AppError } from '@espalier/contracts';
import { readRecordedEvents } from '@espalier/telemetry';
import { readRunSpec } from './recorded-run.js';

export interface ImportOptions {
  /** address of the server */
  readonly server: string;
  readonly key: string;
  readonly project?: string;
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly onProgress?: (done: {
    readonly events: number;
    readonly files: number;
    readonly bytes: number;
  }) => void;
}

export interface ImportedRun {
  readonly runId: string;
  readonly events: number;
  readonly files: number;
  readonly bytes: number;
}

interface Handle {
  readonly runId: string;
  readonly attemptId: string;
  readonly token: number;
}

/** Characters and events of a batch; a server takes bodies of 1 MiB. */
const batchCharacters = 300_000;
const batchEvents = 1000;

/**
 * Imports a run folder.
 *
 * @throws cli.run_not_found, telemetry.broken_log, client.unreachable, client.refused
 */
export async function importRun(folder: string, options: ImportOptions): Promise<ImportedRun> {
  const spec = readRunSpec(folder);
  const events = [...summaries(folder)];
  const { project, name, tags = [] } = options;
  let handle = (await post(options, '/api/v1/runs/import', {
    ...{ spec, tags, ...howItEnded(events) },
    ...(project === undefined ? {} : { project }),
    ...(name === undefined ? {} : { name }),
  })) as Handle;
  const { runId } = handle;
  const done = { events: 0, files: 0, bytes: 0 };
  for (const batch of batchesOf(folder)) {
    handle = (await post(options, `/api/v1/runs/${runId}/import/events`, batch)) as Handle;
    done.events += batch.events.length;
    options.onProgress?.({ ...done });
  }
  for (const path of listFiles(folder)) {
    done.bytes += await putFile(options, handle, folder, path);
    done.files += 1;
    options.onProgress?.({ ...done });
  }
  return { runId, ...done };
}

interface Summary {
  readonly kind: string;
  readonly time: number;
  readonly outcome?: string;
  readonly message?: string;
}

function* summaries(folder: string): Generator<Summary> {
  for (const { event } of readRecordedEvents(folder)) {
    const { kind, time, outcome, message } = event as Summary;
    if (kind === 'run-started' || kind === 'run-ended')
      yield {
        kind,
        time,
        ...(outcome === undefined ? {} : { outcome }),
        ...(message === undefined ? {} : { message }),
      };
  }
}

function howItEnded(events: readonly Summary[]): object {
  const last = events.at(-1);
  const outcome = last?.kind === 'run-ended' ? last.outcome : undefined;
  const state =
    outcome === 'failed'
      ? 'failed'
      : outcome === 'finished' || outcome === 'no-signal'
        ? 'finished'
        : 'cancelled';
  return {
    state,
    message: last?.message ?? '',
    startedAt: events[0]?.time ?? null,
    endedAt: last?.time ?? null,
  };
}

interface Batch {
  readonly attempt: number;
  readonly events: { readonly sequence: number; readonly event: object }[];
}

/** Events numbered from 1 within their attempt; attempts without a gap, as the server counts them. */
function* batchesOf(folder: string): Generator<Batch> {
  let batch: Batch = { attempt: 1, events: [] };
  let [recorded, sequence, size] = [0, 0, 0];
  for (const { attempt, event } of readRecordedEvents(folder)) {
    const isNext = recorded !== 0 && attempt !== recorded;
    recorded = attempt;
    if (isNext || size > batchCharacters || batch.events.length >= batchEvents) {
      if (batch.events.length > 0) yield batch;
      batch = { attempt: batch.attempt + (isNext ? 1 : 0), events: [] };
      size = 0;
      if (isNext) sequence = 0;
    }
    batch.events.push({ sequence: ++sequence, event });
    size += JSON.stringify(event).length;
  }
  if (batch.events.length > 0) yield batch;
}

/** Files of a run by path; the manifest of a checkpoint last, because the checkpoint counts from then on. */
function listFiles(folder: string): string[] {
  const walk = (inside: string): string[] =>
    readdirSync(inside, { withFileTypes: true }).flatMap((entry) => {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) return walk(path);
      return entry.isFile() ? [relative(folder, path).split('\\').join('/')] : [];
    });
  const roots = ['spec.json', 'metrics.jsonl', 'events.jsonl', 'trajectories', 'validation', 'checkpoints'];
  const found = roots.flatMap((name) => {
    const path = join(folder, name);
    if (!existsSync(path)) return [];
    return statSync(path).isDirectory() ? walk(path) : [name];
  });
  const isLast = (path: string): number => (basename(path) === 'manifest.json' ? 1 : 0);
  return found
    .filter((path) => !/(^|\/)(\.|broken-)|\.tmp(\/|$)/.test(path))
    .sort((a, b) => isLast(a) - isLast(b) || (a < b ? -1 : 1));
}

async function putFile(
  options: ImportOptions,
  handle: Handle,
  folder: string,
  path: string,
): Promise<number> {
  const file = join(folder, path);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  const { size } = statSync(file);
  const address = `/api/v1/runs/${handle.runId}/artifacts/${path.split('/').map(encodeURIComponent).join('/')}`;
  await ask(options, address, {
    method: 'PUT',
    headers: {
      'content-type': 'application/octet-stream',
      'x-espalier-attempt': handle.attemptId,
      'x-espalier-token': String(handle.token),
      'x-espalier-sha256': hash.digest('hex'),
    },
    // a stream has no length of its own, so small files go as they are
    ...(size < 1 << 20
      ? { body: readFileSync(file) }
      : { body: Readable.toWeb(createReadStream(file)) as ReadableStream, duplex: 'half' as const }),
  });
  return size;
}

async function post(options: ImportOptions, address: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await ask(options, address, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

async function ask(
  { server, key }: ImportOptions,
  address: string,
  init: RequestInit & { readonly headers: Record<string, string>; readonly duplex?: 'half' },
): Promise<Response> {
  let response: Response;
  try {
    const headers = { ...init.headers, authorization: `Bearer ${key}` };
    response = await fetch(new URL(address, server), { ...init, headers });
  } catch (cause) {
    throw new AppError(
      'client.unreachable',
      `import a run into ${server}: the server does not answer; is it running there?`,
      {
        cause,
      },
    );
  }
  if (response.ok) return response;
  const told = (await response.json().catch(() => ({}))) as { code?: string; message?: string };
  throw new AppError(
    'client.refused',
    `import a run into ${server}: ${told.message ?? `status ${response.status}`}`,
    {
      details: { code: told.code ?? null, status: response.status },
    },
  );
}
