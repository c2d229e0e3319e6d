/** @file Results that clients ask for later: each is kept for a while after it is there, and can be asked for again. */
import { randomUUID } from 'node:crypto';
import { AppError, isAppError } from '@espalier/contracts';
import type { WirePassResult, WireSample } from '../wire/protobuf.js';

export type Result =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'pass'; readonly value: WirePassResult }
  | { readonly kind: 'sample'; readonly value: WireSample }
  | { readonly kind: 'error'; readonly error: AppError };

interface Entry {
  readonly done: Promise<Result>;
  readonly cancel: AbortController;
  /** of a request that is repeated: what it was called with */
  readonly key: string | undefined;
}

const keptResults = 4096;

/** Futures by id; a repeated request, known by its key, gets the future of the first. */
export class FutureTable {
  private readonly entries = new Map<string, Entry>();
  private readonly byKey = new Map<string, string>();
  /** oldest first */
  private readonly finished: string[] = [];

  /**
   * @param key    names the request; the same key gives the same future
   * @param before called unless the request is a repetition; may refuse it
   */
  add(
    key: string | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
    before: () => void = () => undefined,
  ): string {
    const known = key === undefined ? undefined : this.byKey.get(key);
    if (known !== undefined) return known;
    before();
    const id = randomUUID();
    const cancel = new AbortController();
    const done = work(cancel.signal).catch((error: unknown): Result => ({
      kind: 'error',
      error: wrap(error),
    }));
    this.entries.set(id, { done, cancel, key });
    if (key !== undefined) this.byKey.set(key, id);
    void done.then(() => this.retire(id));
    return id;
  }

  /** Waits for a result; undefined: there is none yet. @throws engine.lost */
  async wait(id: string, ms: number): Promise<Result | undefined> {
    const entry = this.entries.get(id);
    if (entry === undefined) throw new AppError('engine.lost', 'Future not found');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), ms);
    });
    const result = await Promise.race([entry.done, late]);
    clearTimeout(timer);
    return result;
  }

  cancel(id: string): void {
    this.entries.get(id)?.cancel.abort();
  }

  private retire(id: string): void {
    this.finished.push(id);
    while (this.finished.length > keptResults) {
      const old = this.finished.shift() as string;
      const { key } = this.entries.get(old) ?? {};
      this.entries.delete(old);
      if (key !== undefined) this.byKey.delete(key);
    }
  }
}

const wrap = (error: unknown): AppError =>
  isAppError(error)
    ? error
    : new AppError(
        'engine.refused',
        `the engine failed: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
