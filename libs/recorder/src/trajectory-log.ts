/**
 * @file `trajectories/step-000012.jsonl.gz`: every trajectory of a step, one per line. A file grows by complete
 * gzip members, which any gzip reader reads as one stream; a member truncated by a crash is detected and ignored.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { constants, gunzipSync, gzip } from 'node:zlib';
import { AppError, type EventSink, type FileMark, isAppError, runLayout } from '@espalier/contracts';
import { createAppendFile, rewindFile, writeFailed } from '@espalier/files';
import { decodeTrajectory, encodeTrajectory, type StoredTrajectory } from './trajectory-codec.js';

const compress = promisify(gzip);
const fileName = (step: number): string => basename(runLayout.trajectoriesOf(step));
/** Buffered characters before they are compressed and written. */
const memberSize = 4 * 1024 * 1024;

/**
 * Creates a sink that stores every trajectory event. Compression runs off the main thread; `flush` resolves when all
 * earlier events are on disk.
 *
 * @param known marks of existing files, by absolute path; default: computed from the files
 */
export function createTrajectorySink(
  folder: string,
  known?: Readonly<Record<string, FileMark>>,
): EventSink & { marks(): Readonly<Record<string, FileMark>> } {
  mkdirSync(folder, { recursive: true });
  const marks: Record<string, FileMark> = { ...(known ?? markAll(folder)) };
  let lines: string[] = [];
  let size = 0;
  let step = -1;
  let failure: Error | undefined;
  let writing: Promise<void> = Promise.resolve();

  const writeOut = (): void => {
    if (lines.length === 0) return;
    const text = lines.join('');
    const path = join(folder, fileName(step));
    lines = [];
    size = 0;
    writing = writing
      .then(async () => void (marks[resolve(path)] = await appendMember(path, text)))
      .catch((error: unknown) => void (failure ??= isAppError(error) ? error : writeFailed(path, error)));
  };

  return {
    emit(event) {
      if (event.kind === 'metrics') writeOut();
      if (event.kind !== 'trajectory') return;
      if (event.step !== step || size > memberSize) writeOut();
      step = event.step;
      const line = `${encodeTrajectory(event.trajectory, event)}\n`;
      lines.push(line);
      size += line.length;
    },
    async flush() {
      writeOut();
      await writing;
      if (failure !== undefined) throw failure;
    },
    marks: () => ({ ...marks }),
  };
}

function markAll(folder: string): Record<string, FileMark> {
  const entries = listTrajectorySteps(folder).map((step) => {
    const path = join(folder, fileName(step));
    const content = readFileSync(path);
    const sha256 = createHash('sha256').update(content).digest('hex');
    return [resolve(path), { bytes: content.length, sha256 }] as const;
  });
  return Object.fromEntries(entries);
}

async function appendMember(path: string, text: string): Promise<FileMark> {
  const member = await compress(text, { level: constants.Z_BEST_SPEED });
  const file = createAppendFile(path);
  try {
    file.append(member);
    file.sync();
    return file.mark();
  } finally {
    file.close();
  }
}

/** Lists the steps with stored trajectories, ascending. */
export function listTrajectorySteps(folder: string): number[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .map((name) => /^step-(\d+)\.jsonl\.gz$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * Reads the trajectories of one step in the order they were written.
 *
 * @throws recorder.corrupt_log when a complete line is invalid
 */
export function readTrajectories(folder: string, { step }: { readonly step: number }): StoredTrajectory[] {
  const path = join(folder, fileName(step));
  if (!existsSync(path)) return [];
  const text = inflate(path);
  const lines = text.split('\n');
  lines.pop();
  return lines.map((line, index) => {
    try {
      return decodeTrajectory(line);
    } catch (cause) {
      throw new AppError(
        'recorder.corrupt_log',
        `read ${path}: line ${index + 1} is not a trajectory; resume the run to set the file aside`,
        {
          cause,
        },
      );
    }
  });
}

/**
 * Decompresses a file. A truncated stream yields its readable part; the reader drops the last line, which has no newline.
 * Each member has a CRC-32. The decoder silently ignores trailing bytes that are not a member, so the consumed bytes are
 * counted.
 */
function inflate(path: string): string {
  const content = readFileSync(path);
  let used = content.length;
  let text: string;
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, info: true };
    const result = gunzipSync(content, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    text = result.buffer.toString('utf8');
    used = result.engine.bytesWritten;
  } catch (cause) {
    throw new AppError(
      'recorder.corrupt_log',
      `read ${path}: not a valid gzip file; resume the run to set it aside`,
      { cause },
    );
  }
  if (used === content.length) return text;
  throw new AppError(
    'recorder.corrupt_log',
    `read ${path}: after ${used} of ${content.length} bytes there is no gzip member; resume the run to set the file aside`,
  );
}

/** Truncates the files to the marks of a checkpoint, and deletes those without a mark. */
export function rewindTrajectories(folder: string, marks: Readonly<Record<string, FileMark>>): void {
  for (const step of listTrajectorySteps(folder)) {
    const path = resolve(folder, fileName(step));
    const mark = marks[path];
    if (mark === undefined) rmSync(path);
    else rewindFile(path, mark.bytes);
  }
}
