/** @file Answers on disk, one file each, named by all that affects them. A file that is damaged counts as absent. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name of what was asked. */
export const keyOf = (asked: unknown): string =>
  createHash('sha256').update(JSON.stringify(asked)).digest('hex');

export class AnswerCache {
  constructor(readonly folder: string | undefined) {}

  #file(key: string): string {
    return join(this.folder ?? '', key.slice(0, 2), `${key}.json`);
  }

  get(key: string): string | undefined {
    if (this.folder === undefined) return undefined;
    try {
      const { text } = JSON.parse(readFileSync(this.#file(key), 'utf8')) as { text?: unknown };
      return typeof text === 'string' ? text : undefined;
    } catch {
      return undefined;
    }
  }

  set(key: string, text: string): void {
    if (this.folder === undefined) return;
    const file = this.#file(key);
    mkdirSync(join(this.folder, key.slice(0, 2)), { recursive: true });
    // whole or absent, also when two processes write it
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, JSON.stringify({ text }));
    renameSync(draft, file);
  }
}
