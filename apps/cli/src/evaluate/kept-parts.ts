/**
 * @file The file in which an evaluation keeps what it has played, so that it goes on where it was stopped: its plan, then
 * a checked line for each part. A line that a kill cut off is played again.
 */
import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '@espalier/contracts';
import {
  completeLines,
  createAppendFile,
  createFolder,
  createLock,
  decodeCheckedLine,
  describeObstacle,
  describeOwner,
  encodeCheckedLine,
  terminateLastLine,
} from '@espalier/files';
import type { PlayedOutcome } from '@espalier/trainer';
import { createReplies, type KeptReply, type Replies } from '../agents/replies.js';
import type { Spent } from '../agents/spent.js';

/** Some states of one policy in one environment. */
export interface Part {
  readonly entry: string;
  readonly column: string;
  readonly from: number;
  readonly outcomes: readonly PlayedOutcome[];
  /** attempts, of which an episode has two */
  readonly failed: number;
  readonly error?: string | undefined;
  /** how often the replies of the part had each text, and each action: the most frequent ones */
  readonly replies?: readonly (readonly [text: string, count: number])[];
  readonly actions?: readonly (readonly [name: string, count: number])[];
  /** of an API agent: what its replies took */
  readonly spent?: Spent;
}

export interface KeptParts {
  /** of API agents; on disk as soon as they are added */
  readonly replies: Replies;
  find(entry: string, column: string, from: number): Part | undefined;
  /** Remembers a part; it is on disk when this returns. */
  add(part: Part): void;
  close(): void;
}

/**
 * Opens the file, or keeps parts in memory only when there is none.
 *
 * @param plan what must be equal for a part to count: policies, environments, states
 * @throws cli.usage when the file holds another evaluation or none; cli.unusable_folder
 */
export function openParts(path: string | undefined, plan: unknown): KeptParts {
  const parts = new Map<string, Part>();
  const keyOf = (entry: string, column: string, from: number): string =>
    JSON.stringify([entry, column, from]);
  const remember = (part: Part): void => void parts.set(keyOf(part.entry, part.column, part.from), part);
  const find: KeptParts['find'] = (entry, column, from) => parts.get(keyOf(entry, column, from));
  if (path === undefined)
    return { replies: createReplies([], () => undefined), find, add: remember, close: () => undefined };
  const { file, lock, known } = openFile(path, plan);
  known.parts.forEach(remember);
  return {
    replies: createReplies(known.replies, (reply) => {
      file.append(encodeCheckedLine({ kind: 'reply', reply }));
      file.sync();
    }),
    find,
    add(part) {
      file.append(encodeCheckedLine({ kind: 'part', part }));
      file.sync();
      remember(part);
    },
    close() {
      file.close();
      lock.release();
    },
  };
}

function openFile(path: string, plan: unknown) {
  try {
    createFolder(dirname(path), 'eval --keep');
    const lock = createLock(`${path}.lock`, (owner) => inUse(path, describeOwner(owner)));
    try {
      const known = existsSync(path) ? readParts(path, plan) : undefined;
      if (known === undefined) clearBegun(path);
      terminateLastLine(path);
      const file = createAppendFile(path);
      if (known === undefined) file.append(encodeCheckedLine({ kind: 'evaluation', plan }));
      return { file, lock, known: known ?? { parts: [], replies: [] } };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'cli.unusable_folder',
      `eval --keep ${path}: ${describeObstacle(cause)}; name another file`,
      {
        cause,
      },
    );
  }
}

const notAnEvaluation = (option: string, path: string): AppError =>
  new AppError('cli.usage', `eval ${option} ${path}: not a file of an evaluation; name another file`);

/** Empties a file that a kill has left with the beginning of its first line. @throws cli.usage */
function clearBegun(path: string): void {
  if (!existsSync(path)) return;
  const begun = readFileSync(path, 'utf8');
  const start = '{"kind":"evaluation",';
  if (!begun.startsWith(start) && !start.startsWith(begun)) throw notAnEvaluation('--keep', path);
  if (begun !== '') truncateSync(path);
}

const inUse = (path: string, owner: string): AppError =>
  new AppError(
    'cli.unusable_folder',
    `eval --keep ${path}: ${owner} is using it; wait for it, or name another file`,
  );

interface KeptLines {
  readonly plan: unknown;
  readonly parts: readonly Part[];
  readonly replies: readonly KeptReply[];
}

/** What a file has of this evaluation; undefined when not even its plan was written. */
function readParts(path: string, plan: unknown): KeptLines | undefined {
  const kept = readLines('--keep', path);
  if (kept === undefined) return undefined;
  const other = differingKey(kept.plan, JSON.parse(JSON.stringify(plan)));
  if (other !== undefined)
    throw new AppError(
      'cli.usage',
      `eval --keep ${path}: it was begun with other ${other}; give the same command as then, or name a new file`,
    );
  return kept;
}

/** The replies of API agents that an evaluation has kept, to be played again. @throws cli.usage, config.unreadable */
export function readReplies(path: string): Replies {
  if (!existsSync(path))
    throw new AppError('config.unreadable', `eval --replay ${path}: no such file; name one of --keep`, {
      details: { path, missing: true, isConfig: false },
    });
  const { replies = [] } = readLines('--replay', path) ?? {};
  if (replies.length === 0)
    throw new AppError(
      'cli.usage',
      `eval --replay ${path}: it holds no replies of API agents; name a file that --keep has written for one`,
    );
  return createReplies(replies, () => undefined);
}

function readLines(option: string, path: string): KeptLines | undefined {
  const lines = completeLines(path);
  const [first, ...rest] = lines.map(
    (line) => decodeCheckedLine(line) as Record<string, unknown> | undefined,
  );
  if (lines.length === 0) return undefined;
  if (first?.['kind'] !== 'evaluation') throw notAnEvaluation(option, path);
  const of = (kind: string): unknown[] =>
    rest.flatMap((line) => (line?.['kind'] === kind ? [line[kind]] : []));
  return { plan: first['plan'], parts: of('part') as Part[], replies: of('reply') as KeptReply[] };
}

function differingKey(before: unknown, now: Record<string, unknown>): string | undefined {
  const known = (before ?? {}) as Record<string, unknown>;
  return Object.keys(now).find((key) => JSON.stringify(known[key]) !== JSON.stringify(now[key]));
}
