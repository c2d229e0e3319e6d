/**
 * @file Publishes committed changes within the server. Listeners are called synchronously and must be fast; slow
 * consumers keep a cursor and read the database.
 */
import { EventEmitter } from 'node:events';
import type { StreamProgress } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import type { Alert } from './entities/alert.js';
import type { Job } from './entities/job.js';
import type { RatingSet } from './entities/rating.js';
import type { Run } from './entities/run.js';
import type { TrajectoryInFlight } from './in-flight.js';
import type { RunComment } from './entities/run-comment.js';
import type { Worker } from './entities/worker.js';
import type { RunRecord } from './entities/run-record.js';

/** A comment that was added, edited or deleted. */
export interface CommentChange {
  readonly comment: RunComment;
  readonly isDeleted: boolean;
}

/** Topics, each by an id: of the run, the job, the worker, the alert, the set or the key; of comments that of the run. */
export interface LiveTopics {
  records: { readonly runId: string; readonly records: readonly RunRecord[] };
  progress: StreamProgress;
  /** an episode that is played */
  inFlight: TrajectoryInFlight;
  run: Run;
  runDeleted: { readonly runId: string };
  job: Job;
  worker: Worker;
  alert: Alert;
  comment: CommentChange;
  ratingSet: RatingSet;
  /** a view that the open pages of a key are asked to show */
  view: { readonly path: string; readonly note: string | null; readonly pages: number };
  keyCreated: { readonly keyId: string };
  keyRevoked: { readonly keyId: string };
}

@Injectable()
export class LiveBus {
  private readonly emitter = new EventEmitter().setMaxListeners(0);

  /**
   * Listens to a topic.
   *
   * @param id id to listen to, or `*` for all
   * @returns removes the listener
   */
  on<K extends keyof LiveTopics>(
    topic: K,
    id: string,
    listener: (message: LiveTopics[K]) => void,
  ): () => void {
    const name = `${topic}:${id}`;
    this.emitter.on(name, listener);
    return () => void this.emitter.off(name, listener);
  }

  /** Returns whether a topic of an id has listeners. */
  hasListeners(topic: keyof LiveTopics, id: string): boolean {
    return this.countListeners(topic, id) + this.countListeners(topic, '*') > 0;
  }

  /** Counts the listeners of an id, without those of all. */
  countListeners(topic: keyof LiveTopics, id: string): number {
    return this.emitter.listenerCount(`${topic}:${id}`);
  }

  /** Publishes to the listeners of an id and to those of all. */
  publish<K extends keyof LiveTopics>(topic: K, id: string, message: LiveTopics[K]): void {
    this.emitter.emit(`${topic}:${id}`, message);
    this.emitter.emit(`${topic}:*`, message);
  }
}
