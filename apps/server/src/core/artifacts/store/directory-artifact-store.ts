/**
 * @file Artifacts in a folder: `objects/<key>` holds the bytes, `hashes/<key>` the hash they were stored with (made anew
 * when missing), `incoming/` what is being uploaded. A file appears under its key by a hard link once it is complete and
 * synced, so it is never half there, and two servers on one folder cannot overwrite each other.
 * A key cannot lie below another key: files and folders share one tree.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type Dirent } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@espalier/contracts';
import type { ByteRange } from '../byte-range.js';
import {
  checkAnnounced,
  checkSame,
  fromSource,
  isBelow,
  Meter,
  notFound,
  type StoredContent,
  unavailable,
} from './artifact-store.js';
import { KeyedArtifactStore, type OpenedContent } from './keyed-artifact-store.js';

/** Uploads that nobody has written to for this long were left by a crash. */
const staleMs = 24 * 3600 * 1000;
/** Folders that are remembered at most. */
const mostNoted = 1000;

/** Artifacts in a folder of this machine. */
export class DirectoryArtifactStore extends KeyedArtifactStore {
  protected readonly atOnce = 64;
  readonly #objects: string;
  readonly #hashes: string;
  readonly #incoming: string;
  #swept = false;
  /** folders whose names, and those of all above them, are on the disk */
  readonly #durable = new Set<string>();

  constructor(folder: string) {
    super();
    this.#objects = join(folder, 'objects');
    this.#hashes = join(folder, 'hashes');
    this.#incoming = join(folder, 'incoming');
  }

  protected override async receive(
    key: string,
    content: Readable,
    expected: Partial<StoredContent>,
  ): Promise<StoredContent> {
    await (this.#swept ? makeFolder(this.#incoming) : this.#prepare());
    const part = join(this.#incoming, randomUUID());
    try {
      const found = await writeNew(key, content, part);
      checkAnnounced(key, found, expected);
      await this.#publish(key, part, found);
      return found;
    } finally {
      await rm(part, { force: true });
    }
  }

  protected override async read(key: string, range: ByteRange | undefined): Promise<OpenedContent> {
    const stored = await this.stat(key);
    return { source: createReadStream(join(this.#objects, key), range), stored };
  }

  protected override async look(key: string): Promise<StoredContent | undefined> {
    const bytes = await this.#size(key);
    return bytes === undefined ? undefined : { bytes, sha256: await this.#hashOf(key) };
  }

  protected override async keys(prefix: string): Promise<readonly string[]> {
    if (prefix !== '' && (await this.#size(prefix)) !== undefined) return [prefix];
    let found: Dirent[];
    try {
      found = await readdir(join(this.#objects, prefix), { recursive: true, withFileTypes: true });
    } catch (cause) {
      if (isMissing(cause)) return [];
      throw unavailable(`list artifacts below ${JSON.stringify(prefix)}`, cause);
    }
    return found
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.#objects.length + 1))
      .map((path) => path.replaceAll('\\', '/'))
      .filter((key) => isBelow(key, prefix))
      .sort();
  }

  protected override async erase(prefix: string): Promise<void> {
    this.#durable.clear();
    await rm(join(this.#objects, prefix), { recursive: true });
    await syncFolder(dirname(join(this.#objects, prefix)));
    await rm(join(this.#hashes, prefix), { recursive: true, force: true });
    for (const root of [this.#objects, this.#hashes]) await removeEmpty(join(root, dirname(prefix)), root);
    // what came in meanwhile may have been noted of a folder that is gone
    this.#durable.clear();
  }

  async check(): Promise<void> {
    await this.#prepare();
    try {
      const probe = join(this.#incoming, randomUUID());
      await writeFile(probe, 'probe');
      await rm(probe);
    } catch (cause) {
      throw unavailable(`use the artifact folder ${dirname(this.#objects)}`, cause);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Makes the folders and, once, deletes uploads that a crash left behind. */
  async #prepare(): Promise<void> {
    try {
      for (const folder of [this.#objects, this.#hashes, this.#incoming])
        await mkdir(folder, { recursive: true });
      if (this.#swept) return;
      this.#swept = true;
      for (const name of await readdir(this.#incoming)) {
        const path = join(this.#incoming, name);
        if (Date.now() - (await stat(path)).mtimeMs > staleMs) await rm(path, { force: true });
      }
    } catch (cause) {
      throw unavailable(`use the artifact folder ${dirname(this.#objects)}`, cause);
    }
  }

  async #size(key: string): Promise<number | undefined> {
    try {
      const found = await stat(join(this.#objects, key));
      return found.isFile() ? found.size : undefined;
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      throw unavailable(`look up artifact ${key}`, cause);
    }
  }

  /** Reads the stored hash, or makes it from the bytes if a crash came between the two. */
  async #hashOf(key: string): Promise<string> {
    try {
      const hash = (await readFile(join(this.#hashes, key), 'utf8')).trim();
      // a power cut may leave it empty
      if (/^[0-9a-f]{64}$/.test(hash)) return hash;
    } catch (cause) {
      if (!isMissing(cause)) throw unavailable(`look up artifact ${key}`, cause);
    }
    try {
      const meter = new Meter();
      meter.resume();
      await pipeline(createReadStream(join(this.#objects, key)), meter);
      const { sha256 } = meter.total();
      await this.#writeHash(key, sha256);
      return sha256;
    } catch (cause) {
      throw isMissing(cause) ? notFound(key) : unavailable(`look up artifact ${key}`, cause);
    }
  }

  /** Not synced: what a power cut takes of it is made anew. */
  async #writeHash(key: string, sha256: string): Promise<void> {
    const target = join(this.#hashes, key);
    const part = join(this.#incoming, randomUUID());
    await writeFile(part, `${sha256}\n`);
    await mkdir(dirname(target), { recursive: true });
    await rename(part, target);
  }

  /** Makes the names in a folder durable, and those above it if they may be new. */
  async #sync(folder: string): Promise<void> {
    await syncFolder(folder);
    if (this.#durable.has(folder)) return;
    for (let next = dirname(folder); next.startsWith(this.#objects); next = dirname(next))
      await syncFolder(next);
    if (this.#durable.size >= mostNoted) this.#durable.clear();
    this.#durable.add(folder);
  }

  /** Makes a complete file visible under its key, unless something is there already. */
  async #publish(key: string, part: string, found: StoredContent): Promise<void> {
    const target = join(this.#objects, key);
    try {
      await mkdir(dirname(target), { recursive: true });
      await link(part, target);
    } catch (cause) {
      if ((await this.#size(key)) !== undefined) {
        checkSame(key, found, await this.stat(key));
        // whoever put it there may not have come so far yet
        return this.#sync(dirname(target));
      }
      if (isTreeClash(cause))
        throw new AppError(
          'artifact.conflict',
          `store artifact ${key}: a key cannot lie below another key or be the folder of one; choose another`,
          { cause },
        );
      throw cause;
    }
    await this.#writeHash(key, found.sha256);
    await this.#sync(dirname(target));
  }
}

/** Writes a stream to a new file and onto the disk. */
async function writeNew(key: string, content: Readable, part: string): Promise<StoredContent> {
  const meter = new Meter();
  await pipeline(fromSource(key, content), meter, createWriteStream(part, { flags: 'wx', flush: true }));
  return meter.total();
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw unavailable(`use the artifact folder ${dirname(folder)}`, cause);
  }
}

/** Makes what was written to a file, or the names in a folder, durable, without stopping the event loop. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes a folder and those above it while they are empty. */
async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let next = folder; next !== root && next.startsWith(root); next = dirname(next)) {
    try {
      await rmdir(next);
    } catch {
      return; // Not empty, or gone: done either way.
    }
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function isMissing(cause: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(cause));
}

function isTreeClash(cause: unknown): boolean {
  return ['ENOTDIR', 'EISDIR', 'EEXIST'].includes(codeOf(cause));
}
