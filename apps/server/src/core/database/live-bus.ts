/**
 * @file Publishes committed changes within the server. Listeners are called synchronously and must be fast; slow
 * consumers keep a cursor and read the database.
 */
import type { StreamProgress } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import type { Alert } from './entities/alert.js';
import type { Job } from './entities/job.js';
import type { Run } from './entities/run.js';
import type { Worker } from './entities/worker.js';
import type { RunRecord } from './entities/run-record.js';

/** What can be listened to; a run's records and progress are topics of their own, by run id. */
export interface LiveTopics {
  records: { readonly runId: string; readonly records: readonly RunRecord[] };
  progress: StreamProgress;
  run: Run;
  job: Job;
  worker: Worker;
  alert: Alert;
  /** by key id */
  keyCreated: { readonly keyId: string };
  /** by key id; whoever holds a socket of that key closes it */
  keyRevoked: { readonly keyId: string };
}

type Listener<T> = (message: T) => void;

@Injectable()
export class LiveBus {
  private readonly listeners = new Map<string, Set<Listener<never>>>();

  /**
   * Listens to a topic.
   *
   * @param key id to listen to, or `*` for all
   * @returns ends the listening
   */
  on<K extends keyof LiveTopics>(topic: K, key: string, listener: Listener<LiveTopics[K]>): () => void {
    const name = `${topic}:${key}`;
    const set = this.listeners.get(name) ?? new Set();
    set.add(listener);
    this.listeners.set(name, set);
    return () => {
      set.delete(listener);
      if (set.size === 0) this.listeners.delete(name);
    };
  }

  /** Tells whether anybody would hear what is published about an id. */
  isHeard(topic: keyof LiveTopics, key: string): boolean {
    return this.listeners.has(`${topic}:${key}`) || this.listeners.has(`${topic}:*`);
  }

  /** Publishes to the listeners of an id and to those of all. */
  publish<K extends keyof LiveTopics>(topic: K, key: string, message: LiveTopics[K]): void {
    for (const name of [`${topic}:${key}`, `${topic}:*`])
      for (const listener of this.listeners.get(name) ?? []) (listener as Listener<LiveTopics[K]>)(message);
  }
}
