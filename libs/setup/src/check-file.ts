/** @file Looks at a file of this machine that may be a pinned wheel: whether it can be read, and its hash. */
import { createHash } from 'node:crypto';
import { createReadStream, type Stats, statSync } from 'node:fs';
import { AppError } from '@espalier/contracts';

/** What a file is to be, for messages. */
export interface Subject {
  /** what was attempted, with the name of the file, such as `set up OpenVINO: --wheel a.whl` */
  readonly attempt: string;
  readonly remedy: string;
}

/** The sha256 of a file, without holding it in memory. @throws setup.no_source */
export async function hashOf(path: string, subject: Subject): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (cause) {
    throw unusable(subject, unreadable(cause), cause);
  }
  return hash.digest('hex');
}

/** What there is by a path; undefined for nothing. @throws setup.no_source where the system does not tell */
export function findEntry(path: string, subject: Subject): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    // some versions of Node report a path below a file as missing, others as an error
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR') return undefined;
    throw unusable(subject, unreadable(cause), cause);
  }
}

/** The error of a source that is none. */
export const unusable = ({ attempt, remedy }: Subject, finding: string, cause?: unknown): AppError =>
  new AppError('setup.no_source', `${attempt}: ${finding}; ${remedy}`, { cause });

export const unreadable = (cause: unknown): string =>
  `it cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;

export const wrongHash = (
  operation: string,
  from: string,
  found: string,
  pinned: readonly string[],
): AppError =>
  new AppError(
    'setup.wrong_file',
    `${operation}: ${from} has the sha256 ${found}; expected ${pinned.join(' or ')}; nothing was installed, fetch the pinned file`,
    { details: { sha256: found } },
  );
