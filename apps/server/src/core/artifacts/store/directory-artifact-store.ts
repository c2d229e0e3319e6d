/**
 * @file Artifacts in a folder: `objects/<key>` holds the bytes, `incoming/` what is being uploaded. A file appears under
 * its key by a hard link once it is complete and synced, so it is never incomplete.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange } from '../byte-range.js';
import { ArtifactStore, notFound } from './artifact-store.js';

/** An upload that has not grown for this long was left by a crash. */
const staleMs = 24 * 3600 * 1000;
const maxDurable = 1000;

/** Artifacts in a folder of this machine. */
export class DirectoryArtifactStore extends ArtifactStore {
  readonly #objects: string;
  readonly #incoming: string;
  #isSwept = false;
  /** folders whose names, and those of all above them, are on the disk */
  readonly #durable = new Set<string>();

  constructor(folder: string) {
    super();
    this.#objects = join(folder, 'objects');
    this.#incoming = join(folder, 'incoming');
  }

  protected override async write(key: string, content: AsyncIterable<Buffer>): Promise<void> {
    await this.#prepare();
    const part = join(this.#incoming, randomUUID());
    try {
      // open before anything can fail: a stream that is destroyed while it opens creates its file after the removal below
      const file = await open(part, 'wx');
      await pipeline(content, file.createWriteStream({ flush: true }));
      await this.#publish(key, part);
    } finally {
      await rm(part, { force: true });
    }
  }

  protected override async read(key: string, range?: ByteRange): Promise<Readable> {
    try {
      const file = await open(join(this.#objects, key), 'r');
      return file.createReadStream(range);
    } catch (cause) {
      throw isMissing(cause) ? notFound(key) : cause;
    }
  }

  protected override async exists(key: string): Promise<boolean> {
    try {
      return (await stat(join(this.#objects, key))).isFile();
    } catch (cause) {
      if (isMissing(cause)) return false;
      throw cause;
    }
  }

  protected override async keys(prefix: string): Promise<string[]> {
    if (prefix !== '' && (await this.exists(prefix))) return [prefix];
    try {
      const found = await readdir(join(this.#objects, prefix), { recursive: true, withFileTypes: true });
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(this.#objects.length + 1))
        .map((path) => path.replaceAll('\\', '/'));
    } catch (cause) {
      if (isMissing(cause)) return [];
      throw cause;
    }
  }

  protected override async erase(prefix: string): Promise<void> {
    const path = join(this.#objects, prefix);
    if (!(await isThere(path))) return;
    this.#durable.clear();
    await rm(path, { recursive: true });
    await syncFolder(dirname(path));
    await removeEmpty(dirname(path), this.#objects);
    // a concurrent upload may have added a removed folder
    this.#durable.clear();
  }

  protected override async probe(): Promise<void> {
    await this.#prepare();
    const probe = join(this.#incoming, randomUUID());
    await writeFile(probe, 'probe');
    await rm(probe);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Creates the folders and, once, deletes uploads that a crash left behind. */
  async #prepare(): Promise<void> {
    for (const folder of [this.#objects, this.#incoming]) await mkdir(folder, { recursive: true });
    if (this.#isSwept) return;
    this.#isSwept = true;
    for (const name of await readdir(this.#incoming)) {
      const path = join(this.#incoming, name);
      if (Date.now() - (await stat(path)).mtimeMs > staleMs) await rm(path, { force: true });
    }
  }

  /** Makes a complete file visible under its key, unless one is there already. */
  async #publish(key: string, part: string): Promise<void> {
    const target = join(this.#objects, key);
    await mkdir(dirname(target), { recursive: true });
    try {
      await link(part, target);
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw cause;
      // another server may have linked it and not yet synced its folder
    }
    await this.#sync(dirname(target));
  }

  /** Makes the names in a folder durable, and those above it if they may be new. */
  async #sync(folder: string): Promise<void> {
    await syncFolder(folder);
    if (this.#durable.has(folder)) return;
    for (let next = dirname(folder); next.startsWith(this.#objects); next = dirname(next))
      await syncFolder(next);
    if (this.#durable.size >= maxDurable) this.#durable.clear();
    this.#durable.add(folder);
  }
}

/** Makes a file, or the names in a folder, durable without blocking the event loop. */
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
      return; // not empty, or removed already
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    if (isMissing(cause)) return false;
    throw cause;
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function isMissing(cause: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(cause));
}
