/** @file A judge: asks for a score, again where the answer cannot be read, and never twice what it has been told. */
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError, deriveSeed } from '@espalier/plugin-kit';
import { ChatError, retryDelayMs } from '@espalier/plugin-kit/chat';
import pLimit from 'p-limit';
import { AnswerCache, keyOf } from './answer-cache.js';
import { ask, type Endpoint, type Reply } from './ask.js';
import { type Budget, type Price, Purse } from './budget.js';
import type { Message } from './prompt.js';
import { readAnswer, type Scale } from './read-answer.js';

export interface JudgeOptions {
  readonly scale: Scale;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly retries: number;
  readonly backoffMs: number;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly cache: string | false;
  readonly budget?: Budget | undefined;
  readonly price?: Price | undefined;
}

/** A score and what it took. */
export interface Verdict {
  readonly score: number;
  readonly cached: boolean;
  readonly tokens: number;
  readonly requests: number;
  readonly unread: number;
}

/** Waits between two tries, until `signal` aborts. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** Longest wait that a server may ask for. */
const maxWaitMs = 60_000;

export class Judge {
  readonly #limit;
  readonly #cache: AnswerCache;
  readonly #purse: Purse;
  readonly #asked = new Map<string, Promise<Verdict>>();

  constructor(
    readonly options: JudgeOptions,
    readonly pause: Pause = wait,
  ) {
    const folder = options.cache === false ? undefined : resolve(options.cache);
    this.#limit = pLimit(options.concurrency);
    this.#cache = new AnswerCache(folder);
    this.#purse = new Purse(options.budget, options.price, folder && join(folder, 'spent.txt'));
  }

  /** The score of one sample. Equal questions that are under way are asked once. */
  score(
    endpoint: Endpoint,
    messages: readonly Message[],
    sample: number,
    signal?: AbortSignal,
  ): Promise<Verdict> {
    const { temperature, maxTokens, scale } = this.options;
    const { baseUrl, model } = endpoint;
    const key = keyOf({ baseUrl, model, messages, temperature, maxTokens, sample, scale });
    const known = this.#asked.get(key);
    // who waits for the answer of another pays nothing
    if (known !== undefined) return known.then(({ score }) => ({ ...free, score }));
    const verdict = this.#limit(() => this.#find(endpoint, messages, key, signal)).finally(() =>
      this.#asked.delete(key),
    );
    this.#asked.set(key, verdict);
    return verdict;
  }

  async #find(
    endpoint: Endpoint,
    messages: readonly Message[],
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<Verdict> {
    const { scale, retries, temperature, maxTokens, timeoutMs, backoffMs } = this.options;
    const text = this.#cache.get(key);
    const stored = text === undefined ? undefined : readAnswer(text, scale);
    if (typeof stored === 'number') return { ...free, score: stored };
    let tokens = 0;
    let unread = 0;
    let finding = '';
    for (let attempt = 0; attempt <= retries; attempt++) {
      signal?.throwIfAborted();
      this.#purse.take();
      // another seed each time, or a server would repeat the answer that could not be read
      const seed = deriveSeed('judge', key, attempt) & 0x7fffffff;
      let reply: Reply;
      try {
        reply = await ask(endpoint, { messages, temperature, maxTokens, seed }, timeoutMs, signal);
      } catch (error) {
        // what was cut off by a stop may have been answered
        if (error instanceof ChatError || signal?.aborted === true) this.#purse.pay({ input: 0, output: 0 });
        else this.#purse.putBack();
        if (!(error instanceof ChatError)) throw error;
        finding = error.message;
        if (!error.mayRetry) break;
        if (attempt < retries)
          await this.pause(retryDelayMs(attempt, backoffMs, error.waitMs, maxWaitMs), signal);
        continue;
      }
      this.#purse.pay(reply.spent);
      tokens += reply.spent.input + reply.spent.output;
      const score = readAnswer(reply.text, scale);
      if (typeof score === 'number') {
        this.#cache.set(key, reply.text);
        return { score, cached: false, tokens, requests: attempt + 1, unread };
      }
      unread++;
      finding = `its answer cannot be read: ${score}`;
    }
    const { model, baseUrl } = endpoint;
    throw new AppError(
      'plugin.failed',
      `ask the judge "${model}" at ${baseUrl}: ${finding}; the episode counts as failed, because the judge failed and not the policy`,
    );
  }
}

const free = { cached: true, tokens: 0, requests: 0, unread: 0 } as const;
const wait: Pause = async (ms, signal) => setTimeout(ms, undefined, signal && { signal });
