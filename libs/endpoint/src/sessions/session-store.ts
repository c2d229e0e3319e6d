/** @file The sessions of an endpoint: how many may be open, which have been idle too long, and which were. */
import { randomBytes } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import type { Session, SessionTerms } from './session.js';

export interface SessionStoreOptions {
  /** most open sessions */
  readonly maxSessions: number;
  /** milliseconds without a call after which a session is ended */
  readonly idleTimeoutMs: number;
  /** makes a session */
  readonly create: (id: string, terms: SessionTerms) => Session;
  /** called when a session is open no more */
  readonly onEnd: (session: Session) => void;
}

/** Ended sessions that are still answered by what became of them. */
const remembered = 10_000;
const form = /^[\w-]{1,64}$/;

export class SessionStore {
  readonly #open = new Map<string, Session>();
  readonly #ended = new Map<string, Session>();
  readonly #reaper: NodeJS.Timeout;

  constructor(readonly options: SessionStoreOptions) {
    const every = Math.max(10, Math.min(1000, options.idleTimeoutMs / 4));
    this.#reaper = setInterval(() => this.#reap(), every);
    this.#reaper.unref();
  }

  list(): readonly Session[] {
    return [...this.#open.values()];
  }

  /**
   * Opens a session.
   *
   * @param id default: a random one
   * @throws session.at_capacity, session.ended where the id was used before, endpoint.invalid_request
   */
  open(terms: SessionTerms, id = randomBytes(9).toString('base64url')): Session {
    if (!form.test(id))
      throw new AppError(
        'endpoint.invalid_request',
        `session ${JSON.stringify(id.slice(0, 80))}: expected 1 to 64 letters, digits, "_" and "-"`,
      );
    this.#ended.get(id)?.assertOpen('open');
    const present = this.#open.get(id);
    if (present !== undefined) return present;
    const { maxSessions } = this.options;
    if (this.#open.size >= maxSessions)
      throw new AppError(
        'session.at_capacity',
        `open a session: ${maxSessions} are open, which is the most; post rewards of those that are done, wait, or raise the limit`,
      );
    const session = this.options.create(id, terms);
    this.#open.set(id, session);
    void session.ended.then(() => {
      this.#open.delete(id);
      this.#ended.set(id, session);
      const [oldest] = this.#ended.keys();
      if (this.#ended.size > remembered && oldest !== undefined) this.#ended.delete(oldest);
      this.options.onEnd(session);
    });
    return session;
  }

  /** Finds a session, open or ended. @throws session.not_found */
  get(id: string): Session {
    const session = this.find(id);
    if (session !== undefined) return session;
    throw new AppError(
      'session.not_found',
      `session ${JSON.stringify(id.slice(0, 80))}: there is none of this name; open one with POST /sessions`,
    );
  }

  find(id: string): Session | undefined {
    return this.#open.get(id) ?? this.#ended.get(id);
  }

  dispose(): void {
    clearInterval(this.#reaper);
    for (const session of this.list())
      session.fail({ stopReason: 'cancelled', error: 'the endpoint was closed' });
  }

  #reap(): void {
    const { idleTimeoutMs } = this.options;
    for (const session of this.list())
      if (session.idleMs >= idleTimeoutMs)
        session.fail({
          stopReason: 'timeout',
          error: `session ${session.id} was idle for ${idleTimeoutMs} ms and had no reward`,
        });
  }
}
