/**
 * @file Reads whole trajectories from the files that the trainer wrote and its worker stored. A file is read from its
 * beginning, or from a little before the place where what is wanted should be; from the beginning after all when it is
 * not there. One reader works for all who wait for something in it; what it passes is kept for a while, because who reads
 * one trajectory reads its neighbours.
 */
import { pipeline, type Readable } from 'node:stream';
import { AppError, isAppError, runLayout } from '@espalier/contracts';
import { decodeTrajectory, type StoredTrajectory } from '@espalier/recorder';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ArtifactService } from '../../artifacts/artifact.service.js';
import { FairSemaphore } from './fair-semaphore.js';
import {
  headBytes,
  type LineLimits,
  type CompressedLine,
  DecompressionLimitError,
  decompressLines,
  skipToGzipMember,
} from './decompress-lines.js';

/** A file to be read, and how. */
interface PackedFile {
  readonly key: string;
  /** id of the key that asks */
  readonly keyId: string;
  /** those of one key who wait for something in the file */
  readonly queue: string;
  readonly runId: string;
  readonly path: string;
  readonly bytes: number;
  /** @param start byte to begin at; beyond 0 what comes before the next member is left out */
  open(start: number): Promise<Readable>;
}

/** Which trajectory, and who asks. */
export interface TrajectoryRequest {
  readonly runId: string;
  /** id of the key that asks; keys take turns */
  readonly keyId: string;
  readonly step: number;
  readonly id: string;
  /** share of the file that lies before it, about; a wrong one costs time only */
  readonly place?: number;
  /** aborted when the client has gone */
  readonly signal?: AbortSignal;
}

/** Somebody who waits for a line. */
interface Want {
  readonly id: string;
  readonly place: number;
  isSettled: boolean;
  /** @param line undefined: the file does not have it */
  resolve(line: string | undefined): void;
  reject(error: unknown): void;
  /** called when it is settled */
  onSettled?: () => void;
}

const mib = 1024 * 1024;
const maxCachedCharacters = 16 * mib;
const limits: LineLimits = { longest: 8 * mib, bytes: 512 * mib, lines: 200_000 };
const aheadBytes = 8 * mib; // read on after the last line that was asked for
const filesAtOnce = 4;
const filesOfAKey = 2;
/** packed bytes before the place of a trajectory: a member, and what it may lie beside where it should */
const beforeBytes = 3 * mib;
const beforeShare = 0.02;

@Injectable()
export class TrajectoryFiles {
  /** how long a request waits for its turn and its file, and how long a file is read */
  protected readonly deadlineMs: number = 30_000;
  /** by file and trajectory */
  private readonly lineCache = new LRUCache<string, string>({
    maxSize: maxCachedCharacters,
    sizeCalculation: ({ length }) => length,
  });
  /** by file that is read and the key it is read for: who comes meanwhile, and is served by the next reading */
  private readonly wants = new Map<string, Want[]>();
  private readonly slots = new FairSemaphore(filesAtOnce, filesOfAKey);
  /** by file: why it is not read again */
  private readonly refused = new LRUCache<string, AppError>({ max: 1000 });

  constructor(private readonly artifacts: ArtifactService) {}

  /** Characters of the cached lines. */
  get cachedCharacters(): number {
    return this.lineCache.calculatedSize;
  }

  /**
   * Reads one trajectory of a step.
   *
   * @throws trajectory.not_stored when its file has not arrived, or has no such trajectory
   * @throws trajectory.too_large when it, or its file, has more bytes than a server reads
   * @throws trajectory.unavailable when it could not be read in time
   * @throws trajectory.unreadable when the file is damaged
   */
  async read(request: TrajectoryRequest): Promise<StoredTrajectory> {
    const { runId, keyId, step, id } = request;
    const path = runLayout.trajectoriesOf(step);
    const artifact = await this.artifacts.find(runId, path).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'artifact.not_found')
        throw notStored(runId, path, 'the file has not arrived');
      throw error;
    });
    const { bytes, sha256 } = artifact;
    const open = async (start: number): Promise<Readable> => {
      if (start === 0) return (await this.artifacts.open(runId, path)).stream;
      const { stream } = await this.artifacts.open(runId, path, { start, end: bytes - 1 });
      const rest = skipToGzipMember();
      pipeline(stream, rest, () => undefined);
      return rest;
    };
    const key = `${runId}/${sha256}`;
    const queue = `${keyId}/${key}`;
    const file: PackedFile = { key, keyId, queue, runId, path, bytes, open };
    const refusal = this.refused.get(file.key);
    const line = this.lineCache.get(lineKey(file, id));
    if (line === undefined && refusal !== undefined) throw refusal;
    const found = line ?? (await this.waitFor(file, request));
    if (found === undefined) throw notStored(runId, id, `${path} does not have it`);
    try {
      return decodeTrajectory(found);
    } catch (cause) {
      throw unreadable(runId, path, cause);
    }
  }

  /** Waits until the line was read, the client has gone or the time is up. */
  private async waitFor(
    file: PackedFile,
    { id, place = 0, signal }: TrajectoryRequest,
  ): Promise<string | undefined> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        if (want.isSettled) return;
        want.isSettled = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onGone);
        end();
        want.onSettled?.();
      };
      const want: Want = {
        id,
        place,
        isSettled: false,
        resolve: (line) => settle(() => resolve(line)),
        reject: (error) => settle(() => reject(error as Error)),
      };
      const onGone = (): void => want.reject(unavailable(file, 'the client has gone'));
      const timer = setTimeout(
        () => want.reject(unavailable(file, `it took longer than ${this.deadlineMs / 1000} s`)),
        this.deadlineMs,
      );
      signal?.addEventListener('abort', onGone, { once: true });
      const waiting = this.wants.get(file.queue);
      if (waiting !== undefined) waiting.push(want);
      else {
        this.wants.set(file.queue, [want]);
        void this.serve(file);
      }
    });
  }

  /** Reads a file until nobody waits for it any more; between two readings others have their turn. */
  private async serve(file: PackedFile): Promise<void> {
    for (let isWanted = true; isWanted; isWanted = (this.wants.get(file.queue) ?? []).length > 0) {
      const leave = await this.slots.enter(file.keyId);
      const wants = (this.wants.get(file.queue) ?? []).filter((want) => !want.isSettled);
      this.wants.set(file.queue, []);
      try {
        await this.scan(file, wants);
      } catch (cause) {
        const error = this.explain(file, cause);
        for (const want of wants) want.reject(error);
      } finally {
        leave();
      }
    }
    this.wants.delete(file.queue);
  }

  private explain(file: PackedFile, cause: unknown): AppError {
    if (isAppError(cause)) return cause;
    if (!(cause instanceof DecompressionLimitError)) return unreadable(file.runId, file.path, cause);
    const error = tooMuch(file, cause);
    this.refused.set(file.key, error);
    return error;
  }

  private async scan(file: PackedFile, wants: readonly Want[]): Promise<void> {
    const open = new Map<string, Want[]>();
    for (const want of wants) {
      const line = this.lineCache.get(lineKey(file, want.id));
      if (line === undefined) open.set(want.id, [...(open.get(want.id) ?? []), want]);
      else want.resolve(line);
    }
    if (open.size === 0) return;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), this.deadlineMs);
    const isWanted = (): boolean => [...open.values()].flat().some((want) => !want.isSettled);
    for (const want of wants)
      want.onSettled = () => {
        if (open.size > 0 && !isWanted()) stop.abort();
      };
    try {
      await this.find(file, open, stop.signal);
      for (const want of [...open.values()].flat()) want.resolve(undefined);
    } catch (error) {
      throw stop.signal.aborted
        ? unavailable(file, `reading it took longer than ${this.deadlineMs / 1000} s`)
        : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async find(file: PackedFile, open: Map<string, Want[]>, signal: AbortSignal): Promise<void> {
    const place = Math.min(...[...open.values()].flat().map((want) => want.place));
    const start = Math.floor(file.bytes * (place - beforeShare)) - beforeBytes;
    // a member may seem to begin where none does, and what is damaged elsewhere is found by reading all
    if (start > 0) await this.pass(file, open, start, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (open.size > 0) await this.pass(file, open, 0, signal);
  }

  /** Reads from a place on, until all that is open is found and a little longer. */
  private async pass(
    file: PackedFile,
    open: Map<string, Want[]>,
    start: number,
    signal: AbortSignal,
  ): Promise<void> {
    let ahead = 0;
    const source = await openUnless(signal, file.open(start));
    for await (const line of decompressLines(source, limits, signal)) {
      const id = idOf(line.text);
      if (id === undefined) continue;
      const wants = open.get(id) ?? [];
      open.delete(id);
      this.give(file, id, line, wants);
      if (open.size === 0 && (ahead += line.bytes) > aheadBytes) break;
    }
  }

  private give(file: PackedFile, id: string, line: CompressedLine, wants: readonly Want[]): void {
    if (line.isWhole) this.lineCache.set(lineKey(file, id), line.text);
    for (const want of wants) {
      if (line.isWhole) want.resolve(line.text);
      else want.reject(tooLarge(file, id, line.bytes));
    }
  }
}

/** Gives a stream, unless reading was given up while the store was silent; then the stream is closed when it comes. */
async function openUnless(signal: AbortSignal, opening: Promise<Readable>): Promise<Readable> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
      opening.then((stream) => stream.destroy()).catch(() => undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([opening, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const lineKey = ({ key }: PackedFile, id: string): string => `${key}\n${id}`;

function idOf(text: string): string | undefined {
  const id = /"id":"((?:[^"\\]|\\.)*)"/.exec(text.slice(0, headBytes))?.[1];
  return id === undefined ? undefined : (JSON.parse(`"${id}"`) as string);
}

function unavailable({ runId, path }: PackedFile, finding: string): AppError {
  return new AppError(
    'trajectory.unavailable',
    `read ${path} of run ${runId}: ${finding}; try again, or fetch it as an artifact and read it there`,
    { details: { path } },
  );
}

function tooMuch({ runId, path }: PackedFile, cause: DecompressionLimitError): AppError {
  return new AppError(
    'trajectory.too_large',
    `read ${path} of run ${runId}: ${cause.message}; fetch it as an artifact and read it there`,
    { details: { path }, cause },
  );
}

function tooLarge({ runId, path }: PackedFile, id: string, bytes: number): AppError {
  return new AppError(
    'trajectory.too_large',
    `read trajectory "${id.slice(0, 200)}" of run ${runId}: it has ${bytes} bytes, and a server reads at most ${limits.longest} of one; fetch ${path} as an artifact and read it there`,
    { details: { bytes, most: limits.longest, path } },
  );
}

function notStored(runId: string, what: string, finding: string): AppError {
  return new AppError(
    'trajectory.not_stored',
    `read trajectory "${what.slice(0, 200)}" of run ${runId}: ${finding}; files arrive a little after their step, so try again soon`,
  );
}

function unreadable(runId: string, path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'trajectory.unreadable',
    `read ${path} of run ${runId}: ${reason}; the stored file is damaged, or was not written by a trainer`,
    { cause },
  );
}
