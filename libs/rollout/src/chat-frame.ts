/**
 * @file What a chat template writes around messages, found by rendering slots and cutting, so that any
 * template works: nothing here knows ChatML. A template that rewrites earlier messages when the conversation
 * grows cannot keep sampled tokens and is refused.
 */
import { AppError, type ChatMessage, type Tokenizer } from '@espalier/contracts';

/** The markup between the contents of a conversation's messages. */
export interface ChatFrame {
  /** before the content of the first user message; holds the system message and the examples */
  readonly opening: Int32Array;
  /** after a user message: its end and the opening of the assistant's turn */
  readonly generation: Int32Array;
  /** closes an assistant's turn; ends with the end-of-turn token */
  readonly closing: Int32Array;
  /** after the closing: up to the content of the next user message */
  readonly next: Int32Array;
  /** goes before the first user message's content where the template has no system role */
  readonly systemInUser: string;
}

type RenderOptions = Parameters<Tokenizer['renderMessages']>[1];

const slots = ['SLOTUSERONE', 'SLOTREPLYONE', 'SLOTUSERTWO', 'SLOTREPLYTWO', 'SLOTUSERTHREE'] as const;

function refuse(finding: string): never {
  throw new AppError(
    'rollout.unsupported_template',
    `derive the turns of the chat template: ${finding}; choose a model whose template only appends when a conversation grows`,
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

function conversation({ system, fewShot }: ChatStart, count: number): ChatMessage[] {
  const shown = fewShot.flatMap(({ user, assistant }): ChatMessage[] => [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
  ]);
  const turns = slots
    .slice(0, count)
    .map((content, index): ChatMessage => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  return [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...shown,
    ...turns,
  ];
}

function hasSystemRole(tokenizer: Tokenizer, system: string, options: RenderOptions): boolean {
  try {
    return tokenizer
      .renderMessages(conversation({ system, fewShot: [] }, 1), options)
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
  const render = (count: number): string[] =>
    cut(tokenizer.renderMessages(conversation(begun, count), options), slots.slice(0, count));
  const [opening = '', generation = ''] = render(1);
  const long = render(5);
  const [first, , between = '', , again, last] = long;
  if (first !== opening) refuse('the text before the first user message changes with later messages');
  if (between !== again)
    refuse('the text between a reply and the next user message changes from turn to turn');
  if (last !== generation) refuse('the text after the last user message changes with earlier messages');
  const turn = encodePiece(tokenizer, between, undefined);
  const end = turn.indexOf(tokenizer.endOfTurn);
  if (end < 0) refuse(`a reply is not closed by the end-of-turn token ${tokenizer.endOfTurn}`);
  return {
    opening: tokenizer.encode(opening),
    generation: encodePiece(tokenizer, generation, undefined),
    closing: turn.slice(0, end + 1),
    next: turn.slice(end + 1),
    systemInUser: inUser,
  };
}
