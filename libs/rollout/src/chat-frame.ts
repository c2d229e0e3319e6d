/**
 * @file What a chat template writes around messages, found by rendering slots and cutting, so that any
 * template works: nothing here knows ChatML. A template that rewrites earlier messages when the conversation
 * grows cannot keep sampled tokens and is refused.
 */
import { AppError, type ChatMessage, type Tokenizer } from '@espalier/contracts';

/** The markup between the contents of a conversation's messages. */
export interface ChatFrame {
  /** what the conversation holds before the first observation */
  readonly start: ChatStart;
  /** goes before the first user message's content where the template has no system role */
  readonly systemInUser: string;
  /** before the content of the first user message; holds the system message and the examples */
  readonly opening: string;
  /** after a user message: its end and all that comes before an assistant's content */
  readonly generation: string;
  /** the part of `generation` that the template writes only before a reply that is there */
  readonly beforeReply: string;
  /** the part of `generation` with which the template itself begins the reply, such as `<think>` */
  readonly begun: string;
  /** closes an assistant's turn; ends with the end-of-turn token */
  readonly closing: string;
  /** after the closing: up to the content of the next user message */
  readonly next: string;
  /** the template drops white space at the ends of a user message */
  readonly trims: boolean;
}

type RenderOptions = Parameters<Tokenizer['renderMessages']>[1];

const slots = ['SLOTUSERONE', 'SLOTREPLYONE', 'SLOTUSERTWO', 'SLOTREPLYTWO', 'SLOTUSERTHREE'] as const;

function refuse(
  finding: string,
  remedy = 'choose a model whose template only appends when a conversation grows',
): never {
  throw new AppError(
    'rollout.unsupported_template',
    `derive the turns of the chat template: ${finding}; ${remedy}`,
  );
}

/** Encodes text behind the id `previous`, or behind ordinary text, with the ids that the whole conversation has. */
export function encodePiece(tokenizer: Tokenizer, text: string, previous: number | undefined): Int32Array {
  return tokenizer.continuation?.encode(text, previous) ?? tokenizer.encode(text);
}

/** Cuts a rendering at the slots, which must appear once each, in order. */
function cut(rendered: string, names: readonly string[]): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const name of names) {
    const at = rendered.indexOf(name, from);
    if (at < 0 || rendered.indexOf(name) !== at)
      refuse(`the message "${name}" is missing, repeated or out of order`);
    parts.push(rendered.slice(from, at));
    from = at + name.length;
  }
  return [...parts, rendered.slice(from)];
}

/** What a conversation holds before the first observation. */
export interface ChatStart {
  /** undefined: no message of its own */
  readonly system: string | undefined;
  /** examples, as turns */
  readonly fewShot: readonly { readonly user: string; readonly assistant: string }[];
}

/** The start and messages in turn, the user's first. */
export function conversationOf({ system, fewShot }: ChatStart, contents: readonly string[]): ChatMessage[] {
  const shown = fewShot.flatMap(({ user, assistant }): ChatMessage[] => [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
  ]);
  const turns = contents.map((content, index): ChatMessage => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  return [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...shown,
    ...turns,
  ];
}

function hasSystemRole(tokenizer: Tokenizer, system: string, options: RenderOptions): boolean {
  try {
    return tokenizer
      .renderMessages(conversationOf({ system, fewShot: [] }, slots.slice(0, 1)), options)
      .includes(system.trim());
  } catch {
    return false;
  }
}

/** Puts the system text before the first user message, for a template without a system role. */
function withoutSystem({ system, fewShot }: ChatStart): ChatStart & { readonly inUser: string } {
  const text = system === undefined ? '' : `${system}\n`;
  const [first, ...others] = fewShot;
  if (first === undefined) return { system: undefined, fewShot, inUser: text };
  return { system: undefined, fewShot: [{ ...first, user: text + first.user }, ...others], inUser: '' };
}

/**
 * Derives the frame of a tokenizer's chat template behind `start`; `variables` are the template's own.
 * @throws rollout.unsupported_template when earlier text changes with the length of the conversation, or an
 * assistant's message is not closed by the end-of-turn token
 */
export function deriveChatFrame(
  tokenizer: Tokenizer,
  start: ChatStart,
  variables: Readonly<Record<string, unknown>> = {},
): ChatFrame {
  const options = { generation: true, variables };
  const { system } = start;
  const isSupported = system === undefined || hasSystemRole(tokenizer, system, options);
  const { inUser, ...begun } = isSupported ? { ...start, inUser: '' } : withoutSystem(start);
  const renderSlots = (contents: readonly string[], names: readonly string[]): string[] =>
    cut(tokenizer.renderMessages(conversationOf(begun, contents), options), names);
  const [opening = '', prompt = ''] = renderSlots(slots.slice(0, 1), slots.slice(0, 1));
  const [first, history = '', between = '', , again, last] = renderSlots(slots, slots);
  if (first !== opening) refuse('the text before the first user message changes with later messages');
  if (between !== again)
    refuse('the text between a reply and the next user message changes from turn to turn');
  if (last !== prompt) refuse('the text after the last user message changes with earlier messages');
  const [padded] = renderSlots([` ${slots[0]}`], slots.slice(0, 1));
  const generation = history.startsWith(prompt) ? history : prompt;
  return {
    start: begun,
    systemInUser: inUser,
    opening,
    generation,
    beforeReply: generation.slice(prompt.length),
    begun: prompt.startsWith(history) ? prompt.slice(history.length) : '',
    ...cutClosing(tokenizer, between),
    trims: padded === opening,
  };
}

/** Cuts what follows a reply behind the end-of-turn token. */
function cutClosing(tokenizer: Tokenizer, between: string): Pick<ChatFrame, 'closing' | 'next'> {
  const ids = encodePiece(tokenizer, between, undefined);
  const end = ids.indexOf(tokenizer.endOfTurn);
  if (end < 0)
    refuse(
      `a reply is followed by ${JSON.stringify(between)}, without a token that ends a turn (${tokenizer.stopTokens.join(', ')})`,
      'choose a model whose template ends replies with a token, or name that token as eos_token in tokenizer_config.json',
    );
  const closing = decodePiece(tokenizer, ids.subarray(0, end + 1), undefined);
  if (!between.startsWith(closing))
    refuse(
      `the text that closes a reply, ${JSON.stringify(between)}, cannot be cut at its end-of-turn token`,
    );
  return { closing, next: between.slice(closing.length) };
}

/** Decodes tokens behind the id `previous`, or behind ordinary text. */
export function decodePiece(tokenizer: Tokenizer, tokens: Int32Array, previous: number | undefined): string {
  return tokenizer.continuation?.decode(tokens, previous) ?? tokenizer.decode(tokens);
}
