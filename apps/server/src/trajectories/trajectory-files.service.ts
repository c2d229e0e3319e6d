/**
 * @file Reads whole trajectories from the files that the trainer wrote and its worker stored. Those read last stay in
 * memory, because who reads one reads its neighbours.
 */
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { AppError, isAppError } from '@espalier/contracts';
import { decodeTrajectory, type StoredTrajectory } from '@espalier/telemetry';
import { Injectable } from '@nestjs/common';
import { ArtifactService } from '../artifacts/artifact.service.js';

/** Lines of a file by the id of their trajectory. */
interface KnownFile {
  readonly lines: ReadonlyMap<string, string>;
  readonly characters: number;
}

const mostKept = 96 * 1024 * 1024; // characters of all files in memory
const mostRead = 512 * 1024 * 1024; // characters of one file

@Injectable()
export class TrajectoryFiles {
  private readonly known = new Map<string, KnownFile>();

  constructor(private readonly artifacts: ArtifactService) {}

  /**
   * Reads one trajectory of a step.
   *
   * @throws trajectory.not_stored when its file has not arrived, or has no such trajectory
   * @throws trajectory.unreadable when the file is damaged
   */
  async read(runId: string, step: number, id: string): Promise<StoredTrajectory> {
    const path = `trajectories/step-${String(step).padStart(6, '0')}.jsonl.gz`;
    const { lines } = await this.open(runId, path);
    const line = lines.get(id);
    if (line === undefined) throw notStored(runId, id, `${path} does not have it`);
    try {
      return decodeTrajectory(line);
    } catch (cause) {
      throw unreadable(runId, path, cause);
    }
  }

  private async open(runId: string, path: string): Promise<KnownFile> {
    const artifact = await this.artifacts.find(runId, path).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'artifact.not_found')
        throw notStored(runId, path, 'the file has not arrived');
      throw error;
    });
    const key = `${runId}/${artifact.sha256}`;
    const known = this.known.get(key);
    if (known !== undefined) {
      this.known.delete(key);
      this.known.set(key, known);
      return known;
    }
    const { stream } = await this.artifacts.open(runId, path);
    const file = await readLines(stream).catch((cause: unknown) => {
      throw isAppError(cause) ? cause : unreadable(runId, path, cause);
    });
    this.keep(key, file);
    return file;
  }

  private keep(key: string, file: KnownFile): void {
    this.known.set(key, file);
    let kept = [...this.known.values()].reduce((sum, { characters }) => sum + characters, 0);
    for (const [oldest, { characters }] of this.known) {
      if (kept <= mostKept || oldest === key) break;
      this.known.delete(oldest);
      kept -= characters;
    }
  }
}

async function readLines(stream: NodeJS.ReadableStream): Promise<KnownFile> {
  const gunzip = createGunzip();
  stream.on('error', (error) => gunzip.destroy(error as Error)).pipe(gunzip);
  const failure = new Promise<never>((_resolve, reject) => gunzip.once('error', reject));
  failure.catch(() => undefined);
  const lines = new Map<string, string>();
  let characters = 0;
  const reading = (async () => {
    for await (const line of createInterface({ input: gunzip, crlfDelay: Infinity })) {
      characters += line.length;
      if (characters > mostRead) throw new Error(`more than ${mostRead} characters`);
      const id = /"id":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
      if (id !== undefined) lines.set(JSON.parse(`"${id}"`) as string, line);
    }
    return { lines, characters };
  })();
  try {
    return await Promise.race([reading, failure]);
  } finally {
    gunzip.destroy();
  }
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
