/**
 * @file Caches sessions by key, so that each graph is built and loaded once.
 */
import type { Session } from './session.js';

/** An LRU cache of sessions; evicted sessions are disposed. */
export class SessionCache {
  readonly #sessions = new Map<string, Promise<Session>>();

  constructor(readonly capacity = 16) {}

  /** The number of cached sessions. */
  get size(): number {
    return this.#sessions.size;
  }

  /** The session of a key; created on first use, again after a failure. Run it before the next `get`, which may dispose it. */
  async get(key: string, create: () => Promise<Session>): Promise<Session> {
    const known = this.#sessions.get(key);
    this.#sessions.delete(key);
    const session = known ?? create();
    this.#sessions.set(key, session);
    session.catch(() => this.#sessions.delete(key));
    await this.#evict();
    return session;
  }

  /** Disposes all sessions. */
  async clear(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of await Promise.allSettled(sessions)) {
      if (session.status === 'fulfilled') await session.value.dispose();
    }
  }

  async #evict(): Promise<void> {
    for (const [key, session] of this.#sessions) {
      if (this.#sessions.size <= this.capacity) return;
      this.#sessions.delete(key);
      await (await session).dispose();
    }
  }
}
