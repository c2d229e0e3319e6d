/**
 * @file Reads trajectories from the files that the trainer wrote and its worker stored. A file is read from shortly before
 * the estimated position of a trajectory, and from its start if it is not found there. One pass serves all pending
 * requests for a file, and caches the lines it passes, because clients read neighbours next.
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

/** A file to read. */
interface CompressedFile {
  readonly key: string;
  /** id of the requesting key */
  readonly keyId: string;
  /** name of the requests of one key for one file */
  readonly queue: string;
  readonly runId: string;
  readonly path: string;
  readonly bytes: number;
  /** @param start first byte; above 0, everything before the next gzip member is skipped */
  open(start: number): Promise<Readable>;
}

/** A request for a trajectory. */
export interface TrajectoryRequest {
  readonly runId: string;
  /** id of the requesting key; keys take turns */
  readonly keyId: string;
  readonly step: number;
  readonly id: string;
  /** estimated share of the file before it; a wrong one only costs time */
  readonly position?: number;
  /** aborted when the client disconnects */
  readonly signal?: AbortSignal;
}

/** A pending request for a line. */
interface LineRequest {
  readonly id: string;
  readonly position: number;
  isSettled: boolean;
  /** @param line undefined: it is not in the file */
  resolve(line: string | undefined): void;
  reject(error: unknown): void;
  /** called when it is settled */
  onSettled?: () => void;
}

const mib = 1024 * 1024;
// 400,000 tokens, all of them trained, have about 20 MiB
const maxCachedCharacters = 40 * mib;
const limits: LineLimits = { lineBytes: 32 * mib, bytes: 512 * mib, lines: 200_000 };
/** read ahead after the last requested line */
const aheadBytes = 8 * mib;
const maxFiles = 4;
const maxFilesPerKey = 2;
/** compressed bytes, and share of the file, to read before the estimated position: a member, and the error */
const marginBytes = 3 * mib;
const marginShare = 0.02;

@Injectable()
export class TrajectoryFiles {
  /** limits the wait of a request, and a pass through a file */
  protected readonly deadlineMs: number = 30_000;
  /** by file and trajectory */
  private readonly lineCache = new LRUCache<string, string>({
    maxSize: maxCachedCharacters,
    sizeCalculation: ({ length }) => length,
  });
  /** requests for files that are being read, by queue; the next pass serves them */
  private readonly pending = new Map<string, LineRequest[]>();
  private readonly slots = new FairSemaphore(maxFiles, maxFilesPerKey);
  /** by file: why it is not read again */
  private readonly refusals = new LRUCache<string, AppError>({ max: 1000 });

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
      const members = skipToGzipMember();
      pipeline(stream, members, () => undefined);
      return members;
    };
    const key = `${runId}/${sha256}`;
    const queue = `${keyId}/${key}`;
    const file: CompressedFile = { key, keyId, queue, runId, path, bytes, open };
    const refusal = this.refusals.get(file.key);
    const line = this.lineCache.get(lineKey(file, id));
    if (line === undefined && refusal !== undefined) throw refusal;
    const found = line ?? (await this.waitFor(file, request));
    if (found === undefined) throw notStored(runId, id, `it is not in ${path}`);
    try {
      return decodeTrajectory(found);
    } catch (cause) {
      throw unreadable(runId, path, cause);
    }
  }

  /** Waits until the line is read, the client disconnects or the deadline passes. */
  private async waitFor(
    file: CompressedFile,
    { id, position = 0, signal }: TrajectoryRequest,
  ): Promise<string | undefined> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        if (request.isSettled) return;
        request.isSettled = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        end();
        request.onSettled?.();
      };
      const request: LineRequest = {
        id,
        position,
        isSettled: false,
        resolve: (line) => settle(() => resolve(line)),
        reject: (error) => settle(() => reject(error as Error)),
      };
      const onAbort = (): void => request.reject(unavailable(file, 'the client disconnected'));
      const timer = setTimeout(
        () => request.reject(unavailable(file, `it took longer than ${this.deadlineMs / 1000} s`)),
        this.deadlineMs,
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      const waiting = this.pending.get(file.queue);
      if (waiting !== undefined) waiting.push(request);
      else {
        this.pending.set(file.queue, [request]);
        void this.serve(file);
      }
    });
  }

  /** Reads a file until no request for it is pending; other queues take turns between two passes. */
  private async serve(file: CompressedFile): Promise<void> {
    for (let isPending = true; isPending; isPending = (this.pending.get(file.queue) ?? []).length > 0) {
      const release = await this.slots.enter(file.keyId);
      const requests = (this.pending.get(file.queue) ?? []).filter((request) => !request.isSettled);
      this.pending.set(file.queue, []);
      try {
        await this.scan(file, requests);
      } catch (cause) {
        const error = this.explain(file, cause);
        for (const request of requests) request.reject(error);
      } finally {
        release();
      }
    }
    this.pending.delete(file.queue);
  }

  private explain(file: CompressedFile, cause: unknown): AppError {
    if (isAppError(cause)) return cause;
    if (!(cause instanceof DecompressionLimitError)) return unreadable(file.runId, file.path, cause);
    const error = fileTooLarge(file, cause);
    this.refusals.set(file.key, error);
    return error;
  }

  private async scan(file: CompressedFile, requests: readonly LineRequest[]): Promise<void> {
    const open = new Map<string, LineRequest[]>();
    for (const request of requests) {
      const line = this.lineCache.get(lineKey(file, request.id));
      if (line === undefined) open.set(request.id, [...(open.get(request.id) ?? []), request]);
      else request.resolve(line);
    }
    if (open.size === 0) return;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), this.deadlineMs);
    const isPending = (): boolean => [...open.values()].flat().some((request) => !request.isSettled);
    for (const request of requests)
      request.onSettled = () => {
        if (open.size > 0 && !isPending()) stop.abort();
      };
    try {
      await this.find(file, open, stop.signal);
      for (const request of [...open.values()].flat()) request.resolve(undefined);
    } catch (error) {
      throw stop.signal.aborted
        ? unavailable(file, `reading it took longer than ${this.deadlineMs / 1000} s`)
        : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async find(
    file: CompressedFile,
    open: Map<string, LineRequest[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const position = Math.min(...[...open.values()].flat().map((request) => request.position));
    const start = Math.floor(file.bytes * (position - marginShare)) - marginBytes;
    // compressed bytes may look like a member, and damage elsewhere does not matter, so errors fall back to a full pass
    if (start > 0) await this.pass(file, open, start, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (open.size > 0) await this.pass(file, open, 0, signal);
  }

  /** Reads from a byte on until all requested lines are found, and somewhat ahead. */
  private async pass(
    file: CompressedFile,
    open: Map<string, LineRequest[]>,
    start: number,
    signal: AbortSignal,
  ): Promise<void> {
    let ahead = 0;
    const source = await openUnlessAborted(signal, file.open(start));
    for await (const line of decompressLines(source, limits, signal)) {
      const id = idOf(line.text);
      if (id === undefined) continue;
      const requests = open.get(id) ?? [];
      open.delete(id);
      this.deliver(file, id, line, requests);
      if (open.size === 0 && (ahead += line.bytes) > aheadBytes) break;
    }
  }

  private deliver(
    file: CompressedFile,
    id: string,
    line: CompressedLine,
    requests: readonly LineRequest[],
  ): void {
    if (line.isComplete) this.lineCache.set(lineKey(file, id), line.text);
    for (const request of requests) {
      if (line.isComplete) request.resolve(line.text);
      else request.reject(lineTooLarge(file, id, line.bytes));
    }
  }
}

/** Waits for a stream to open unless reading is aborted; a stream that opens later is closed. */
async function openUnlessAborted(signal: AbortSignal, opening: Promise<Readable>): Promise<Readable> {
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

const lineKey = ({ key }: CompressedFile, id: string): string => `${key}\n${id}`;

function idOf(text: string): string | undefined {
  const id = /"id":"((?:[^"\\]|\\.)*)"/.exec(text.slice(0, headBytes))?.[1];
  return id === undefined ? undefined : (JSON.parse(`"${id}"`) as string);
}

function unavailable({ runId, path }: CompressedFile, finding: string): AppError {
  return new AppError(
    'trajectory.unavailable',
    `read ${path} of run ${runId}: ${finding}; try again, or fetch it as an artifact and read it there`,
    { details: { path } },
  );
}

function fileTooLarge({ runId, path }: CompressedFile, cause: DecompressionLimitError): AppError {
  return new AppError(
    'trajectory.too_large',
    `read ${path} of run ${runId}: ${cause.message}; fetch it as an artifact and read it there`,
    { details: { path }, cause },
  );
}

function lineTooLarge({ runId, path }: CompressedFile, id: string, bytes: number): AppError {
  return new AppError(
    'trajectory.too_large',
    `read trajectory "${id.slice(0, 200)}" of run ${runId}: it has ${bytes} bytes, and a server reads at most ${limits.lineBytes} of one; fetch ${path} as an artifact and read it there`,
    { details: { bytes, most: limits.lineBytes, path } },
  );
}

function notStored(runId: string, what: string, finding: string): AppError {
  return new AppError(
    'trajectory.not_stored',
    `read trajectory "${what.slice(0, 200)}" of run ${runId}: ${finding}; files arrive shortly after their step, so try again`,
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
