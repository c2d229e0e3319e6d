/**
 * @file A conversation as text for the browser's storage: a line that a list needs, then the rest. Tokens are columns, and
 * of a prompt only what the exchange before it does not have is written. Text that is no conversation reads as undefined.
 */
import type { ChatStart } from './chat-place.js';
import { type ChatToken, type Conversation, type Exchange, type Sampling, titleOf } from './conversation.js';

/** Another form is read as nothing. */
const form = 1;

/** What a list of conversations shows. */
export interface Summary {
  readonly id: string;
  readonly title: string;
  /** of the checkpoint that replied last; null: none has */
  readonly step: number | null;
  readonly exchanges: number;
  readonly place: ChatStart;
  /** ms since the epoch */
  readonly changedAt: number;
}

const idsAfter = ({ prompt, tokens }: Exchange): number[] => [...prompt, ...tokens.map(({ id }) => id)];

/** How many ids two lists share from their beginnings. */
function sharedLength(one: readonly number[], other: readonly number[]): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  return at;
}

/** Writes a conversation. */
export function toStored(conversation: Conversation, changedAt: number): string {
  const { id: _, runId: __, place, system, sampling, draft, exchanges } = conversation;
  const head = {
    form,
    changedAt,
    title: titleOf(conversation),
    step: exchanges.at(-1)?.step ?? null,
    exchanges: exchanges.length,
    place,
  };
  const body = {
    system,
    sampling,
    draft,
    exchanges: exchanges.map((exchange, at) => {
      const { tokens, prompt, ...rest } = exchange;
      const before = exchanges[at - 1];
      const shared = before === undefined ? 0 : sharedLength(idsAfter(before), prompt);
      return {
        ...rest,
        shared,
        prompt: prompt.slice(shared),
        ids: tokens.map(({ id }) => id),
        texts: tokens.map(({ text }) => text),
        logprobs: tokens.map(({ logprob }) => logprob),
      };
    }),
  };
  return `${JSON.stringify(head)}\n${JSON.stringify(body)}`;
}

/** Reads what a list shows of a conversation. */
export function readSummary(id: string, stored: string): Summary | undefined {
  return readOr(() => {
    const head = record(JSON.parse(stored.slice(0, stored.indexOf('\n'))));
    if (head['form'] !== form) throw odd();
    return {
      id,
      title: string(head['title']),
      step: head['step'] === null ? null : number(head['step']),
      exchanges: number(head['exchanges']),
      place: placeOf(head['place']),
      changedAt: number(head['changedAt']),
    };
  });
}

/** Reads a conversation; a reply that was under way is cut. */
export function readStored(runId: string, id: string, stored: string): Conversation | undefined {
  const summary = readSummary(id, stored);
  if (summary === undefined) return undefined;
  return readOr(() => {
    const body = record(JSON.parse(stored.slice(stored.indexOf('\n') + 1)));
    const exchanges: Exchange[] = [];
    for (const one of array(body['exchanges'])) exchanges.push(exchangeOf(record(one), exchanges.at(-1)));
    return {
      id,
      runId,
      place: summary.place,
      system: body['system'] === undefined ? undefined : string(body['system']),
      sampling: samplingOf(body['sampling']),
      draft: string(body['draft']),
      exchanges,
    };
  });
}

const states: readonly string[] = ['stop', 'length', 'stopped', 'failed', 'cut'];

function exchangeOf(one: Record<string, unknown>, before: Exchange | undefined): Exchange {
  const state = string(one['state']);
  const shared = number(one['shared']);
  const known = before === undefined ? [] : idsAfter(before).slice(0, shared);
  if (known.length !== shared) throw odd();
  return {
    message: one['message'] === undefined ? undefined : string(one['message']),
    sampling: samplingOf(one['sampling']),
    step: number(one['step']),
    opening: string(one['opening']),
    text: string(one['text']),
    tokens: tokensOf(one),
    prompt: [...known, ...array(one['prompt']).map(number)],
    state: states.includes(state) ? (state as Exchange['state']) : 'cut',
    error: one['error'] === undefined ? undefined : string(one['error']),
  };
}

function tokensOf(one: Record<string, unknown>): ChatToken[] {
  const [texts, logprobs] = [array(one['texts']), array(one['logprobs'])];
  return array(one['ids']).map((id, at) => ({
    id: number(id),
    text: string(texts[at]),
    logprob: logprobs[at] === null ? null : number(logprobs[at]),
  }));
}

function samplingOf(value: unknown): Sampling {
  const { temperature, topP, topK, maxTokens } = record(value);
  return {
    temperature: number(temperature),
    topP: number(topP),
    topK: number(topK),
    maxTokens: number(maxTokens),
  };
}

function placeOf(value: unknown): ChatStart {
  const { trajectory, turn, isAfter } = record(value);
  return {
    trajectory: trajectory === undefined ? undefined : string(trajectory),
    turn: turn === undefined ? undefined : number(turn),
    isAfter: isAfter === true,
  };
}

const odd = (): Error => new Error('no conversation of this form');

/** What was read, unless it was odd. */
function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function string(value: unknown): string {
  if (typeof value !== 'string') throw odd();
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw odd();
  return value;
}

function array(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw odd();
  return value;
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw odd();
  return value as Record<string, unknown>;
}
