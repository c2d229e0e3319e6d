/**
 * @file Uploads the growing metrics log during training in parts, each starting where the last one ended
 * (`metrics/<attempt>/<first byte>.jsonl`), so that every row is sent once. Rows of two attempts at a run may differ in
 * their times, so parts of different attempts are never joined; the hash of the log in a checkpoint tells which attempt
 * it resumes from. At the end of an attempt the whole log is also uploaded as `metrics.jsonl`.
 */
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync } from 'node:fs';
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptEvent } from '@espalier/protocol';
import { hashOf, type StoredFile } from './artifact-store.js';
import type { FileDigests } from './checkpoint-folder.js';

export const partsPrefix = 'metrics/';
const digits = 15;

/** A part of the log to upload. */
export interface MetricPart {
  readonly path: string;
  readonly file: string;
}

/**
 * Copies the part of the log that has not been uploaded yet, up to a length.
 *
 * @param events the events of the attempt so far
 * @returns undefined when everything has been uploaded
 */
export function copyNewPart(
  log: string,
  bytes: number,
  stage: string,
  { attemptId, events }: { readonly attemptId: string; readonly events: readonly AttemptEvent[] },
): MetricPart | undefined {
  const folder = `${partsPrefix}${attemptId}/`;
  const partEnds = events.map((event) =>
    event.kind === 'artifact' && event.path.startsWith(folder) ? fromOf(event.path) + event.bytes : 0,
  );
  const from = partEnds.reduce((most, end) => Math.max(most, end), 0);
  if (from >= bytes || !existsSync(log)) return undefined;
  const chunk = Buffer.alloc(bytes - from);
  const descriptor = openSync(log, 'r');
  try {
    for (let read = 0; read < chunk.length;) {
      const count = readSync(descriptor, chunk, read, chunk.length - read, from + read);
      if (count === 0)
        throw new Error(`upload ${log}: it is shorter than the ${bytes} bytes that a checkpoint records`);
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
 * Joins uploaded parts into the log that a checkpoint resumes from.
 *
 * @param listed the artifacts below `partsPrefix`
 * @param fetch  fetches one of them into a file
 * @returns false when no attempt has uploaded that log; then it writes nothing
 */
export async function joinParts(
  listed: readonly StoredFile[],
  target: string,
  digest: FileDigests[string],
  fetch: (stored: StoredFile, file: string) => Promise<void>,
): Promise<boolean> {
  const attempts = [...new Set(listed.map(({ path }) => path.split('/')[1] ?? ''))].sort().reverse();
  for (const attempt of attempts) {
    const chain = chainOf(
      listed.filter(({ path }) => path.startsWith(`${partsPrefix}${attempt}/`)),
      digest.bytes,
    );
    if (chain === undefined) continue;
    writeFileSync(target, '');
    for (const stored of chain) {
      await fetch(stored, `${target}.part`);
      appendFileSync(target, readFileSync(`${target}.part`));
      rmSync(`${target}.part`);
    }
    if (statSync(target).size > digest.bytes) truncateSync(target, digest.bytes);
    if ((await hashOf(target)) === digest.sha256) return true;
    rmSync(target);
  }
  return false;
}

const fromOf = (path: string): number => Number(/(?<!\d)(\d+)\.jsonl$/.exec(path)?.[1] ?? Number.NaN);

/** The consecutive parts that cover the first `bytes` bytes; undefined when one is missing. */
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
