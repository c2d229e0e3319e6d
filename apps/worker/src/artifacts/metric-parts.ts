/**
 * @file The growing log of metrics as it is stored while a training goes on: in parts, each from where the last one
 * ended, `metrics/<attempt>/<first byte>.jsonl`, so that every row is sent once. Rows of two attempts at a run may
 * differ in their times, so parts of different attempts are never joined; which attempt a checkpoint goes on from is
 * told by the hash of its mark. At the end of an attempt the whole log is stored as `metrics.jsonl` besides.
 */
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync } from 'node:fs';
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptEvent } from '@espalier/protocol';
import { hashOf, type StoredFile } from '../server/artifact-store.js';
import type { Marks } from './checkpoint-folder.js';

export const metricsName = 'metrics.jsonl';
export const partsPrefix = 'metrics/';
const digits = 15;

/** A part of the log that is to be stored. */
export interface MetricPart {
  readonly path: string;
  readonly file: string;
}

/**
 * Cuts off what of the log is not stored yet, up to a length.
 *
 * @param events what the attempt has said so far
 * @returns undefined when everything is stored
 */
export function cutPart(
  log: string,
  bytes: number,
  stage: string,
  { attemptId, events }: { readonly attemptId: string; readonly events: readonly AttemptEvent[] },
): MetricPart | undefined {
  const folder = `${partsPrefix}${attemptId}/`;
  const ends = events.map((event) =>
    event.kind === 'artifact' && event.path.startsWith(folder) ? fromOf(event.path) + event.bytes : 0,
  );
  const from = ends.reduce((most, end) => Math.max(most, end), 0);
  if (from >= bytes || !existsSync(log)) return undefined;
  const chunk = Buffer.alloc(bytes - from);
  const descriptor = openSync(log, 'r');
  try {
    for (let read = 0; read < chunk.length;) {
      const count = readSync(descriptor, chunk, read, chunk.length - read, from + read);
      if (count === 0)
        throw new Error(`store ${log}: it ends before byte ${bytes}, which a checkpoint names`);
      read += count;
    }
  } finally {
    closeSync(descriptor);
  }
  mkdirSync(stage, { recursive: true });
  const file = join(stage, 'metrics-part.jsonl');
  writeFileSync(file, chunk);
  return { path: `${folder}${String(from).padStart(digits, '0')}.jsonl`, file };
}

/**
 * Joins stored parts to the log that a checkpoint goes on from.
 *
 * @param listed what is stored below `partsPrefix`
 * @param fetch  fetches one of them into a file
 * @returns false when no attempt has stored that log; then nothing is written
 */
export async function joinParts(
  listed: readonly StoredFile[],
  target: string,
  mark: Marks[string],
  fetch: (stored: StoredFile, file: string) => Promise<void>,
): Promise<boolean> {
  const attempts = [...new Set(listed.map(({ path }) => path.split('/')[1] ?? ''))].sort().reverse();
  for (const attempt of attempts) {
    const chain = chainOf(
      listed.filter(({ path }) => path.startsWith(`${partsPrefix}${attempt}/`)),
      mark.bytes,
    );
    if (chain === undefined) continue;
    writeFileSync(target, '');
    for (const stored of chain) {
      await fetch(stored, `${target}.part`);
      appendFileSync(target, readFileSync(`${target}.part`));
      rmSync(`${target}.part`);
    }
    if (statSync(target).size > mark.bytes) truncateSync(target, mark.bytes);
    if ((await hashOf(target)) === mark.sha256) return true;
    rmSync(target);
  }
  return false;
}

const fromOf = (path: string): number => Number(/(?<!\d)(\d+)\.jsonl$/.exec(path)?.[1] ?? Number.NaN);

/** Parts that follow on each other from the first byte to at least so many; undefined when one is missing. */
function chainOf(parts: readonly StoredFile[], bytes: number): StoredFile[] | undefined {
  const chain: StoredFile[] = [];
  let end = 0;
  for (const part of [...parts].sort((a, b) => fromOf(a.path) - fromOf(b.path))) {
    if (end >= bytes) break;
    if (fromOf(part.path) !== end) return undefined;
    chain.push(part);
    end += part.bytes;
  }
  return end >= bytes ? chain : undefined;
}
