/**
 * @file What every artifact store does alike: keys are checked, failures are told in our words, and what is read is
 * verified on its way. Where the bytes lie is told by the drivers.
 */
import type { Readable } from 'node:stream';
import type { ByteRange } from '../byte-range.js';
import {
  type ArtifactStore,
  checkKey,
  notFound,
  type StoredArtifact,
  type StoredContent,
  unavailable,
  Verifier,
} from './artifact-store.js';

/** Bytes on their way out of a store. */
export interface OpenedContent {
  readonly source: Readable;
  /** of the whole artifact */
  readonly stored: StoredContent;
}

export abstract class KeyedArtifactStore implements ArtifactStore {
  /** Artifacts that are asked for at the same time, where there is no question about many. */
  protected abstract readonly atOnce: number;

  /** Stores a stream, all or nothing. */
  protected abstract receive(
    key: string,
    content: Readable,
    expected: Partial<StoredContent>,
  ): Promise<StoredContent>;
  /** Begins to read, at the first byte of the range; throws artifact.not_found. */
  protected abstract read(key: string, range: ByteRange | undefined): Promise<OpenedContent>;
  /** Looks up an artifact; undefined: there is none. */
  protected abstract look(key: string): Promise<StoredContent | undefined>;
  /** Keys at or below a prefix, sorted. */
  protected abstract keys(prefix: string): Promise<readonly string[]>;
  /** Removes the artifacts of these keys, which are all there are at or below the prefix. */
  protected abstract erase(prefix: string, keys: readonly string[]): Promise<void>;
  abstract check(): Promise<void>;
  abstract close(): Promise<void>;

  async put(key: string, content: Readable, expected: Partial<StoredContent> = {}): Promise<StoredContent> {
    checkKey(key);
    try {
      return await this.receive(key, content, expected);
    } catch (cause) {
      throw unavailable(`store artifact ${key}`, cause);
    } finally {
      content.destroy();
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    checkKey(key);
    const attempt = `read artifact ${key}`;
    try {
      const { source, stored } = await this.read(key, range);
      const verifier = new Verifier(
        key,
        range === undefined ? stored : { bytes: range.end - range.start + 1 },
      );
      // a failure before whoever asked listens is kept in the stream, and told when it is read
      verifier.on('error', () => undefined);
      source.once('error', (cause) => verifier.destroy(unavailable(attempt, cause)));
      verifier.once('close', () => source.destroy());
      return source.pipe(verifier);
    } catch (cause) {
      throw unavailable(attempt, cause);
    }
  }

  async stat(key: string): Promise<StoredArtifact> {
    checkKey(key);
    const found = await this.look(key);
    if (found === undefined) throw notFound(key);
    return { key, ...found };
  }

  async list(prefix: string): Promise<readonly StoredArtifact[]> {
    if (prefix !== '') checkKey(prefix);
    const found: StoredArtifact[] = [];
    await this.inTurns(await this.keys(prefix), async (part) => {
      found.push(...(await Promise.all(part.map((key) => this.stat(key)))));
    });
    return found;
  }

  async remove(prefix: string): Promise<number> {
    checkKey(prefix);
    const keys = await this.keys(prefix);
    try {
      if (keys.length > 0) await this.erase(prefix, keys);
    } catch (cause) {
      throw unavailable(`remove artifacts at ${prefix}`, cause);
    }
    return keys.length;
  }

  /** Does something with a few keys at a time. */
  protected async inTurns(
    keys: readonly string[],
    work: (part: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    for (let start = 0; start < keys.length; start += this.atOnce)
      await work(keys.slice(start, start + this.atOnce));
  }
}
