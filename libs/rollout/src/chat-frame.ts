/**
 * @file What a chat template writes around messages, found by rendering slots and cutting, so that any
 * template works: nothing here knows ChatML. A template that rewrites earlier messages when the conversation
 * grows cannot keep sampled tokens and is refused.
 */
import { AppError, type ChatMessage, type Tokenizer } from '@espalier/contracts';

/** The markup between the contents of a conversation's messages. */
export interface ChatFrame {
  /** before the content of the first user message; holds the system message */
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

function conversation(system: string | undefined, count: number): ChatMessage[] {
  const turns = slots
    .slice(0, count)
    .map((content, index): ChatMessage => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  return system === undefined ? turns : [{ role: 'system', content: system }, ...turns];
}

function hasSystemRole(tokenizer: Tokenizer, system: string, options: RenderOptions): boolean {
  try {
    return tokenizer.renderMessages(conversation(system, 1), options).includes(system);
  } catch {
    return false;
  }
}

/**
 * Derives the frame of a tokenizer's chat template around `system`; `variables` are the template's own.
 * @throws rollout.unsupported_template when earlier text changes with the length of the conversation, or an
 * assistant's message is not closed by the end-of-turn token
 */
export function deriveChatFrame(
  tokenizer: Tokenizer,
  system: string,
  variables: Readonly<Record<string, unknown>> = {},
): ChatFrame {
  const options = { generation: true, variables };
  const supported = hasSystemRole(tokenizer, system, options);
  const render = (count: number): string[] =>
    cut(
      tokenizer.renderMessages(conversation(supported ? system : undefined, count), options),
      slots.slice(0, count),
    );
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
    systemInUser: supported ? '' : `${system}\n`,
  };
}
