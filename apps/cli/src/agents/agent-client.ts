/**
 * @file One agent behind an API: asks again where that helps, replies from what is kept, holds its budget, and says when
 * nothing more can come of it.
 */
import { setTimeout } from 'node:timers/promises';
import { AppError, type ErrorCode } from '@espalier/contracts';
import type { MessageQuestion, MessageReply } from '@espalier/engine';
import { askChat, ChatError, type ChatReply, retryDelayMs } from '@espalier/plugin-kit/chat';
import { identityOf, type NamedAgent } from './agent-options.js';
import { type Asked, describeMissing, hashOf, type KeptReply, type Replies } from './replies.js';
import { addSpent, AgentBudget, nothingSpent, type Spent } from './spent.js';

export interface AgentParts {
  readonly agent: NamedAgent;
  /** where replies are kept, and looked for */
  readonly replies: Replies;
  /** of another evaluation, which are taken instead of asking; `file` is its name */
  readonly replay?: { readonly file: string; readonly replies: Replies } | undefined;
  readonly signal: AbortSignal;
  /** says what people should know while it goes on */
  readonly note: (text: string) => void;
}

/** Tokens of the markup of one message, at most. */
const messageTokens = 16;
/** The server is taken to be gone after so many requests in a row, further tries included, or twice as many as at once. */
const fewestFailures = 4;
const notedWaitMs = 10_000;
/** What endpoints say where a filter refuses one conversation, and would take others. */
const contentRefusal = /content[_ -](filter|policy|management)|safety system/i;

export class AgentClient {
  readonly #parts: AgentParts;
  readonly #identity: string;
  readonly #budget: AgentBudget;
  readonly #key: string | undefined;
  readonly #stop = new AbortController();
  #error: AppError | undefined;
  #taken = nothingSpent;
  #hasReplied: boolean;
  #failuresInRow = 0;
  #retried = 0;
  #resumeAt = 0;
  #notedUntil = 0;

  /** @throws cli.no_key */
  constructor(parts: AgentParts) {
    this.#parts = parts;
    const { agent, replies, replay } = parts;
    const { baseUrl, model } = agent.options;
    this.#identity = hashOf(identityOf(agent));
    const own = replies
      .all()
      .filter(
        ({ agent: by = this.#identity, asked }) =>
          by === this.#identity && asked.baseUrl === baseUrl && asked.model === model,
      );
    this.#hasReplied = own.some(({ failure }) => failure === undefined);
    this.#budget = new AgentBudget(agent.options, own.reduce<Spent>(addSpent, nothingSpent));
    this.#key = replay === undefined ? readKey(agent) : undefined;
  }

  /** Aborted once nothing more can come of the agent, and when the command stops. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.#parts.signal, this.#stop.signal]);
  }

  /** Why nothing more can come of it. */
  get error(): AppError | undefined {
    return this.#error;
  }

  /** episodes that may be under way */
  get atOnce(): number {
    return this.#parts.agent.options.concurrency;
  }

  /** requests that were sent again */
  get retried(): number {
    return this.#retried;
  }

  /** What the replies took that were given since this was last called, whenever they were paid for. */
  take(): Spent {
    const taken = this.#taken;
    this.#taken = nothingSpent;
    return taken;
  }

  /** Replies to a conversation. @throws agent.failed for what only this episode fails by; else what `error` has */
  async reply(question: MessageQuestion): Promise<MessageReply> {
    const { replies, replay } = this.#parts;
    const asked = this.#ask(question);
    const known = replay?.replies.find(asked) ?? replies.find(asked);
    if (known !== undefined && (known.failure === undefined || replay !== undefined))
      return this.#give(known);
    if (replay !== undefined)
      throw this.#end(
        'agent.not_recorded',
        `no reply in ${replay.file}: ${describeMissing(replay.replies, asked)}; give the command that it was kept by, or leave out --replay`,
      );
    const reply = await this.#send(question, asked, known ?? nothingSpent);
    replies.add(reply);
    return this.#give(reply);
  }

  #give(reply: KeptReply): MessageReply {
    this.#taken = addSpent(this.#taken, reply);
    if (reply.failure === undefined) return { text: reply.text, isCut: reply.isCut };
    throw new AppError('agent.failed', this.#say(`${reply.failure}; the episode counts as failed`));
  }

  #ask({ messages, opened, params, seed }: MessageQuestion): Asked {
    const { agent } = this.#parts;
    const { baseUrl, model, maxTokens = params.maxTokens, maxTokensField, body, prefill } = agent.options;
    const { temperature = params.temperature } = agent.options;
    const fields = {
      ...body,
      ...(temperature === false ? {} : { temperature }),
      ...(params.topP === 1 ? {} : { top_p: params.topP }),
      ...(params.topK === 0 ? {} : { top_k: params.topK }),
      [maxTokensField]: maxTokens,
    };
    return {
      baseUrl,
      model,
      fields,
      seed: seed & 0x7fffffff,
      isSeedSent: agent.options.seed,
      ...(prefill && opened !== '' ? { prefill: opened } : {}),
      opened,
      messages: hashOf(messages),
    };
  }

  /** Asks until there is a reply; one that failed in a former command is asked for again, and stays paid. */
  async #send(question: MessageQuestion, asked: Asked, before: Spent): Promise<KeptReply> {
    const { options } = this.#parts.agent;
    const { signal } = this;
    let spent: Spent = before;
    for (let attempt = 0; ; attempt++) {
      try {
        const { text, isCut } = await this.#sendOnce(
          question,
          asked,
          signal,
          (more) => (spent = addSpent(spent, more)),
        );
        this.#hasReplied = true;
        this.#failuresInRow = 0;
        return { agent: this.#identity, asked, ...pick(spent), text, isCut };
      } catch (error) {
        if (!(error instanceof ChatError)) throw error;
        if (!error.mayRetry || attempt >= options.retries) {
          this.#endWhereHopeless(error, attempt);
          const { message: failure } = error;
          return { agent: this.#identity, asked, ...pick(spent), text: '', isCut: false, failure };
        }
        this.#retried += 1;
        const waitMs = retryDelayMs(attempt, options.backoffMs, error.waitMs, options.maxWaitMs);
        // who is asked to wait need not be asked by the others
        if (error.waitMs > 0) this.#resumeAt = Math.max(this.#resumeAt, Date.now() + waitMs);
        this.#noteWait(error.message, waitMs);
        await setTimeout(waitMs, undefined, { signal });
      }
    }
  }

  async #sendOnce(
    { messages, opened }: MessageQuestion,
    { fields, seed, isSeedSent, prefill }: Asked,
    signal: AbortSignal,
    onSpent: (spent: Spent) => void,
  ): Promise<MessageReply> {
    const { options } = this.#parts.agent;
    while (this.#resumeAt > Date.now()) await setTimeout(this.#resumeAt - Date.now(), undefined, { signal });
    const begun = prefill === undefined ? [] : [{ role: 'assistant', content: prefill } as const];
    const request = { messages: [...messages, ...begun], fields: { ...fields, ...(isSeedSent && { seed }) } };
    const most = this.#largest(request.messages, Number(fields[options.maxTokensField]));
    const finding = await this.#budget.reserve(most, signal);
    if (finding !== undefined) throw this.#end('agent.budget_exhausted', `its budget is spent (${finding})`);
    let taken: Spent = nothingSpent;
    try {
      const reply = await askChat(options, request, { key: this.#key, timeoutMs: options.timeoutMs, signal });
      const { usage } = reply;
      taken = {
        requests: 1,
        input: usage?.input ?? 0,
        output: usage?.output ?? 0,
        unmetered: usage === undefined ? 1 : 0,
      };
      onSpent(taken);
      if (usage === undefined && (options.budget?.tokens ?? options.budget?.cost) !== undefined)
        throw this.#end(
          'agent.failed',
          'its answers do not tell their tokens (usage), so its budget cannot be held; give budget.requests instead',
        );
      return readText(reply, opened, Number(fields[options.maxTokensField]));
    } finally {
      this.#budget.settle(most, taken);
    }
  }

  /** A token has at least one byte. */
  #largest(messages: readonly { readonly content: string }[], output: number): Spent {
    const input = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content) + messageTokens, 0);
    return { requests: 1, input, output, unmetered: 0 };
  }

  #endWhereHopeless(error: ChatError, retries: number): void {
    const { mayRetry, status = 0, message } = error;
    const { concurrency, apiKeyFrom } = this.#parts.agent.options;
    if (status === 401 || status === 403)
      throw this.#end(
        'agent.refused',
        `${message}; ${apiKeyFrom === undefined ? 'name the variable of its key as apiKeyFrom' : `put a valid key into ${apiKeyFrom}`}`,
      );
    if (status === 402 || (status === 429 && !mayRetry))
      throw this.#end('agent.refused', `${message}; its account has nothing left: top it up`);
    if (status === 404) throw this.#end('agent.refused', `${message}; check baseUrl (up to /v1) and model`);
    if (mayRetry || !this.#hasReplied) this.#failuresInRow += 1;
    if (!this.#hasReplied && status >= 400 && !mayRetry && !contentRefusal.test(message))
      throw this.#end(
        'agent.refused',
        `${message}; it refuses what it is sent: see temperature, seed, maxTokensField and body of the agent`,
      );
    const isGone = this.#failuresInRow >= Math.max(fewestFailures, 2 * concurrency);
    if (isGone && !mayRetry)
      throw this.#end(
        'agent.unavailable',
        `${message}, and none of its first ${this.#failuresInRow} replies was usable`,
      );
    if (isGone || (!this.#hasReplied && mayRetry)) throw this.#endAfter(retries, message);
  }

  /** Says what failed first, and that a wait is long, once for all that wait. */
  #noteWait(message: string, waitMs: number): void {
    const isFirst = this.#retried === 1;
    if ((waitMs < notedWaitMs && !isFirst) || Date.now() < this.#notedUntil) return;
    this.#notedUntil = Date.now() + waitMs;
    const { name } = this.#parts.agent;
    this.#parts.note(`${name}: ${message}; trying again in ${Math.round(waitMs / 1000)} s`);
  }

  #endAfter(retries: number, message: string): AppError {
    return this.#end(
      'agent.unavailable',
      `${message}, also after ${retries} further tries; try again later, or raise retries, backoffMs or timeoutMs`,
    );
  }

  /** Remembers why nothing more can come of it; the first reason counts. */
  #end(code: ErrorCode, finding: string): AppError {
    this.#error ??= new AppError(code, this.#say(finding));
    this.#stop.abort(this.#error);
    return this.#error;
  }

  #say(finding: string): string {
    const { name, options } = this.#parts.agent;
    return `ask ${name} at ${options.baseUrl}: ${finding}`;
  }
}

const pick = ({ requests, input, output, unmetered }: Spent): Spent => ({
  requests,
  input,
  output,
  unmetered,
});

/** The key of an agent. @throws cli.no_key */
function readKey({ word, options: { apiKeyFrom } }: NamedAgent): string | undefined {
  if (apiKeyFrom === undefined) return undefined;
  const key = process.env[apiKeyFrom];
  if (key !== undefined && key !== '') return key;
  throw new AppError(
    'cli.no_key',
    `eval ${word}: the variable ${apiKeyFrom} is not set; set it to the API key`,
  );
}

/**
 * What a policy would have sampled: without the tag that the run gives every reply, which an agent mostly writes itself; with
 * its reasoning where the server tells that apart.
 */
function readText({ text, reasoning, isCut }: ChatReply, opened: string, maxTokens: number): MessageReply {
  const isApart = reasoning !== undefined && opened !== '<answer>' && !text.includes('</think>');
  const whole = isApart ? `<think>${reasoning}${text === '' && isCut ? '' : '</think>'}${text}` : text;
  if (whole.trim() === '')
    throw isCut
      ? new ChatError(`it used all its ${maxTokens} tokens without an answer (raise maxTokens)`, false)
      : new ChatError('its answer is empty', true);
  const start = whole.trimStart();
  return { text: opened !== '' && start.startsWith(opened) ? start.slice(opened.length) : whole, isCut };
}
