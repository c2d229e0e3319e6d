/** @file A model that is served: an engine of its own, its requests in order, and the weights that samplers of it hold. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicyEngine } from '@espalier/contracts';
import { NumberedQueue, ReadWriteLock } from './turns.js';

export interface LoraConfigJson {
  readonly rank: number;
  readonly seed?: number | null | undefined;
  readonly train_attn?: boolean | undefined;
  readonly train_mlp?: boolean | undefined;
  readonly train_unembed?: boolean | undefined;
}

/** A base model that a server offers. */
export interface ServedBase {
  readonly name: string;
  readonly contextLength: number;
  /** ids that end sampling where a request names none */
  readonly stopTokens: readonly number[];
  encode(text: string): ArrayLike<number>;
  /** opens a fresh engine; `lora` undefined: all weights are trained. @throws engine.invalid_request, engine.unsupported */
  open(lora: LoraConfigJson | undefined): Promise<PolicyEngine>;
}

/** An id as a name of a folder. */
export const folderOf = (id: string): string => id.replaceAll(':', '.');

/** Weights as they were when a sampler was made; kept on disk once the model has moved on. */
export interface Snapshot {
  readonly revision: number;
  folder: string | undefined;
  isExpired: boolean;
}

/** How many earlier weights of a model are kept for its samplers. */
const keptSnapshots = 4;

export class ServedModel {
  readonly queue: NumberedQueue;
  readonly lock = new ReadWriteLock();
  /** rises with every change of weights */
  revision = 0;
  private current: Snapshot | undefined;
  private readonly older: Snapshot[] = [];

  constructor(
    readonly id: string,
    readonly base: ServedBase,
    readonly lora: LoraConfigJson | undefined,
    readonly sessionId: string,
    readonly engine: PolicyEngine,
    private readonly folder: string,
    queuePatienceMs: number,
  ) {
    this.queue = new NumberedQueue(1, queuePatienceMs);
  }

  /** What a sampler holds that must not change with the model. */
  snapshot(): Snapshot {
    this.current ??= { revision: this.revision, folder: undefined, isExpired: false };
    return this.current;
  }

  /** Changes weights; what samplers hold is written first. */
  async change<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.current !== undefined) {
      const folder = join(this.folder, `${folderOf(this.id)}-${this.revision}`);
      mkdirSync(folder, { recursive: true });
      await this.engine.policy.save(folder, { optimizer: false });
      this.current.folder = folder;
      this.older.push(this.current);
      this.current = undefined;
      while (this.older.length > keptSnapshots) this.expire(this.older.shift());
    }
    const result = await work();
    this.revision += 1;
    return result;
  }

  async dispose(): Promise<void> {
    for (const one of [...this.older, this.current]) this.expire(one);
    await this.lock.write(() => this.engine.dispose());
  }

  private expire(snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) return;
    snapshot.isExpired = true;
    if (snapshot.folder !== undefined) rmSync(snapshot.folder, { recursive: true, force: true });
  }
}
