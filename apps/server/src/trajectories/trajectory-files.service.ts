/**
 * @file Reads whole trajectories from the files that the trainer wrote and its worker stored. A file is read from its
 * beginning, or from a little before the place where what is wanted should be; from the beginning after all when it is
 * not there. One reader works for all who wait for something in it; what it passes is kept for a while, because who reads
 * one trajectory reads its neighbours.
 */
import { pipeline, type Readable } from 'node:stream';
import { AppError, isAppError } from '@espalier/contracts';
import { decodeTrajectory, type StoredTrajectory } from '@espalier/telemetry';
import { Injectable } from '@nestjs/common';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { LineShelf } from './line-shelf.js';
import { createMemberStart } from './member-start.js';
import { type PackedLine, unpackLines } from './split-lines.js';

/** A file to be read, and how. */
interface PackedFile {
  readonly key: string;
  readonly runId: string;
  readonly path: string;
  readonly bytes: number;
  /** @param start byte to begin at; beyond 0 what comes before the next member is left out */
  open(start: number): Promise<Readable>;
}

/** Somebody who waits for a line; undefined: the file does not have it. */
interface Want {
  readonly id: string;
  /** share of the file that lies before it, about; 0 where that is not known */
  readonly place: number;
  resolve(line: string | undefined): void;
  reject(error: unknown): void;
}

const mib = 1024 * 1024;
const mostKept = 16 * mib; // characters of all lines in memory
const longestLine = 8 * mib; // bytes of a trajectory
const mostRead = 512 * mib; // bytes of a file, unpacked
const aheadBytes = 8 * mib; // read on after the last line that was asked for
const atOnce = 2; // files
/** packed bytes before the place of a trajectory: a member, and what it may lie beside where it should */
const beforeBytes = 3 * mib;
const beforeShare = 0.02;

@Injectable()
export class TrajectoryFiles {
  private readonly shelf = new LineShelf(mostKept);
  /** by file that is read: who comes meanwhile, and is served by the next reading */
  private readonly wants = new Map<string, Want[]>();
  private readonly queue: (() => void)[] = [];
  private active = 0;

  constructor(private readonly artifacts: ArtifactService) {}

  /** Characters of lines in memory. */
  get heldCharacters(): number {
    return this.shelf.characters;
  }

  /**
   * Reads one trajectory of a step.
   *
   * @param place share of its file that lies before it, about; a wrong one costs time only
   * @throws trajectory.not_stored when its file has not arrived, or has no such trajectory
   * @throws trajectory.too_large when it has more bytes than a server takes into memory
   * @throws trajectory.unreadable when the file is damaged
   */
  async read(runId: string, step: number, id: string, place = 0): Promise<StoredTrajectory> {
    const path = `trajectories/step-${String(step).padStart(6, '0')}.jsonl.gz`;
    const artifact = await this.artifacts.find(runId, path).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'artifact.not_found')
        throw notStored(runId, path, 'the file has not arrived');
      throw error;
    });
    const { bytes, sha256 } = artifact;
    const open = async (start: number): Promise<Readable> => {
      if (start === 0) return (await this.artifacts.open(runId, path)).stream;
      const { stream } = await this.artifacts.open(runId, path, { start, end: bytes - 1 });
      const rest = createMemberStart();
      pipeline(stream, rest, () => undefined);
      return rest;
    };
    const file: PackedFile = { key: `${runId}/${sha256}`, runId, path, bytes, open };
    const line = this.shelf.get(file.key, id) ?? (await this.waitFor(file, id, place));
    if (line === undefined) throw notStored(runId, id, `${path} does not have it`);
    try {
      return decodeTrajectory(line);
    } catch (cause) {
      throw unreadable(runId, path, cause);
    }
  }

  private async waitFor(file: PackedFile, id: string, place: number): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const want: Want = { id, place, resolve, reject };
      const waiting = this.wants.get(file.key);
      if (waiting !== undefined) waiting.push(want);
      else {
        this.wants.set(file.key, [want]);
        void this.serve(file);
      }
    });
  }

  /** Reads a file until nobody waits for it any more. */
  private async serve(file: PackedFile): Promise<void> {
    await this.enter();
    for (
      let wants = this.wants.get(file.key) ?? [];
      wants.length > 0;
      wants = this.wants.get(file.key) ?? []
    ) {
      this.wants.set(file.key, []);
      try {
        await this.scan(file, wants);
      } catch (cause) {
        const error = isAppError(cause) ? cause : unreadable(file.runId, file.path, cause);
        for (const want of wants) want.reject(error);
      }
    }
    this.wants.delete(file.key);
    this.leave();
  }

  private async scan(file: PackedFile, wants: readonly Want[]): Promise<void> {
    const open = new Map<string, Want[]>();
    for (const want of wants) {
      const line = this.shelf.get(file.key, want.id);
      if (line === undefined) open.set(want.id, [...(open.get(want.id) ?? []), want]);
      else want.resolve(line);
    }
    if (open.size === 0) return;
    const place = Math.min(...[...open.values()].flat().map((want) => want.place));
    const start = Math.floor(file.bytes * (place - beforeShare)) - beforeBytes;
    // a member may seem to begin where none does, and what is damaged elsewhere is found by reading all
    if (start > 0) await this.pass(file, open, start).catch(() => undefined);
    if (open.size > 0) await this.pass(file, open, 0);
    for (const want of [...open.values()].flat()) want.resolve(undefined);
  }

  /** Reads from a place on, until all that is open is found and a little longer. */
  private async pass(file: PackedFile, open: Map<string, Want[]>, start: number): Promise<void> {
    let ahead = 0;
    for await (const line of unpackLines(await file.open(start), longestLine, mostRead)) {
      const id = idOf(line.text);
      if (id === undefined) continue;
      this.give(file, id, line, open.get(id) ?? []);
      open.delete(id);
      if (open.size === 0 && (ahead += line.bytes) > aheadBytes) break;
    }
  }

  private give(file: PackedFile, id: string, line: PackedLine, wants: readonly Want[]): void {
    if (line.isWhole) this.shelf.put(file.key, id, line.text);
    for (const want of wants) {
      if (line.isWhole) want.resolve(line.text);
      else want.reject(tooLarge(file, id, line.bytes));
    }
  }

  private async enter(): Promise<void> {
    if (this.active >= atOnce) await new Promise<void>((resolve) => this.queue.push(resolve));
    else this.active += 1;
  }

  private leave(): void {
    const next = this.queue.shift();
    if (next === undefined) this.active -= 1;
    else next();
  }
}

function idOf(text: string): string | undefined {
  const id = /"id":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return id === undefined ? undefined : (JSON.parse(`"${id}"`) as string);
}

function tooLarge({ runId, path }: PackedFile, id: string, bytes: number): AppError {
  return new AppError(
    'trajectory.too_large',
    `read trajectory "${id.slice(0, 200)}" of run ${runId}: it has ${bytes} bytes, and a server reads at most ${longestLine} of one; fetch ${path} as an artifact and read it there`,
    { details: { bytes, most: longestLine, path } },
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
