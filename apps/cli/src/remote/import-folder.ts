/** @file What of a run folder is imported: its events by attempt, its files, how it ended, and what names it. Reads only. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { runLayout, type RunSpec } from '@espalier/contracts';
import { readRecordedEvents } from '@espalier/recorder';
import { resolveInside } from '@espalier/files';
import { readRunSpec } from '../local/recorded-run.js';

/** A file of the run, by its path inside with forward slashes. */
export interface FolderFile {
  readonly path: string;
  readonly bytes: number;
}

export interface ImportFolder {
  readonly spec: RunSpec;
  /** which run it is: the same while the run grows */
  readonly fingerprint: string;
  /** what it holds now */
  readonly content: string;
  /** events of each attempt */
  readonly events: readonly number[];
  /** of all events, as they are sent */
  readonly characters: number;
  readonly files: readonly FolderFile[];
  readonly state: 'finished' | 'failed' | 'cancelled';
  readonly message: string;
  /** ms since the epoch */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** Events of one attempt, numbered from 1 within it. */
export interface EventBatch {
  readonly attempt: number;
  readonly events: readonly { readonly sequence: number; readonly event: object }[];
  readonly characters: number;
}

interface Edge {
  readonly kind: string;
  readonly time: number;
  readonly outcome?: string;
  readonly message?: string;
}

/** Characters and events of a batch; a server takes bodies of 1 MiB. */
const batchCharacters = 300_000;
const batchEvents = 1000;

/** Reads a run folder once, from end to end. @throws cli.run_not_found, trainer.corrupt_run, recorder.corrupt_log */
export function readImportFolder(folder: string): ImportFolder {
  const spec = readRunSpec(folder);
  const hash = createHash('sha256').update(JSON.stringify(spec));
  const events: number[] = [];
  let characters = 0;
  let first = '';
  let last: Edge | undefined;
  let startedAt: number | null = null;
  for (const { attempt, event, text } of numberedEvents(folder)) {
    events[attempt - 1] = (events[attempt - 1] ?? 0) + 1;
    characters += text.length;
    hash.update(text).update('\n');
    if (first === '') first = text;
    const edge = event as Edge;
    if (edge.kind !== 'run-started' && edge.kind !== 'run-ended') continue;
    last = edge;
    startedAt ??= last.time;
  }
  const { name, seed } = spec;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([name, seed, first]))
    .digest('hex');
  const files = listFiles(folder);
  for (const { path, bytes } of files) hash.update(`${path} ${bytes}\n`);
  return {
    spec,
    fingerprint,
    content: hash.digest('hex'),
    events,
    characters,
    files,
    startedAt,
    state: stateOf(last),
    message: last?.message ?? '',
    endedAt: last?.time ?? null,
  };
}

/** Gives the events that a server does not have yet. @param acked what it has of each attempt */
export function* readEventBatches(folder: string, acked: readonly number[]): Generator<EventBatch> {
  let batch: EventBatch['events'][number][] = [];
  let current = 1;
  let sequence = 0;
  let characters = 0;
  const take = (): EventBatch => {
    const taken = { attempt: current, events: batch, characters };
    batch = [];
    characters = 0;
    return taken;
  };
  for (const { attempt, event, text } of numberedEvents(folder)) {
    if (attempt !== current) {
      if (batch.length > 0) yield take();
      current = attempt;
      sequence = 0;
    }
    sequence += 1;
    if (sequence <= (acked[attempt - 1] ?? 0)) continue;
    batch.push({ sequence, event });
    characters += text.length;
    if (characters > batchCharacters || batch.length >= batchEvents) yield take();
  }
  if (batch.length > 0) yield take();
}

/** Events as they are sent, with attempts counted from 1 without a gap, as the server counts them. */
function* numberedEvents(folder: string): Generator<{ attempt: number; event: object; text: string }> {
  let recorded: number | undefined;
  let attempt = 0;
  for (const one of readRecordedEvents(folder)) {
    if (one.attempt !== recorded) attempt += 1;
    recorded = one.attempt;
    yield { attempt, event: one.event, text: JSON.stringify(one.event) };
  }
}

function stateOf(last: Edge | undefined): ImportFolder['state'] {
  if (last?.kind !== 'run-ended') return 'cancelled';
  if (last.outcome === 'failed') return 'failed';
  return last.outcome === 'finished' || last.outcome === 'no-signal' || last.outcome === 'collapsed'
    ? 'finished'
    : 'cancelled';
}

const roots = [
  runLayout.spec,
  runLayout.metrics,
  runLayout.events,
  runLayout.trajectories,
  runLayout.validation,
  runLayout.checkpoints,
];

/** Files of a run by path; the manifest of a checkpoint last, because the checkpoint counts from then on. */
function listFiles(folder: string): FolderFile[] {
  const walk = (path: string): string[] => {
    if (!existsSync(path)) return [];
    if (statSync(path).isFile()) return [relative(folder, path).split('\\').join('/')];
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() || entry.isFile() ? walk(join(path, entry.name)) : [],
    );
  };
  const isLast = (path: string): number => (basename(path) === runLayout.manifest ? 1 : 0);
  return roots
    .flatMap((name) => walk(resolveInside(folder, name)))
    .filter((path) => !/(^|\/)(\.|corrupt-)|\.tmp(\/|$)/.test(path))
    .sort((a, b) => isLast(a) - isLast(b) || (a < b ? -1 : 1))
    .map((path) => ({ path, bytes: statSync(join(folder, path)).size }));
}
