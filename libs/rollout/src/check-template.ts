/**
 * @file Whether a conversation built turn by turn has the ids of the chat template's own rendering of the whole. It has not
 * where a template rewrites what was said, such as one that drops the reasoning of earlier replies: then training would
 * see other tokens than the model does elsewhere.
 */
import { AppError, type Tokenizer } from '@espalier/contracts';
import { type ChatFrame, conversationOf, encodePiece } from './chat-frame.js';

/** A conversation that was built turn by turn. */
export interface BuiltConversation {
  readonly ids: Int32Array;
  /** contents of the messages: user, assistant, user, …; the last is the user's */
  readonly contents: readonly string[];
  /** the opening of the reply that comes next */
  readonly forced: string;
}

/** Variables by which templates keep the reasoning of earlier replies. */
const keepers: readonly Readonly<Record<string, unknown>>[] = [
  { preserve_thinking: true },
  { clear_thinking: false },
  { keep_past_thinking: true },
  { enable_thinking: true },
  { enable_thinking: false },
];

/** @throws rollout.unsupported_template with the first difference */
export function checkTemplate(
  tokenizer: Tokenizer,
  frame: ChatFrame,
  variables: Readonly<Record<string, unknown>>,
  built: BuiltConversation,
): void {
  const render = (chosen: Readonly<Record<string, unknown>>): Int32Array => {
    const messages = conversationOf(frame.start, built.contents);
    const text = tokenizer.renderMessages(messages, { generation: true, variables: chosen });
    return encodeWhole(tokenizer, text + frame.beforeReply + built.forced, built, frame);
  };
  const whole = render(variables);
  const at = firstDifference(built.ids, whole);
  if (at === undefined) return;
  const keeper = keepers.find((more) =>
    isEqual(
      built.ids,
      attempt(() => render({ ...variables, ...more })),
    ),
  );
  throw new AppError(
    'rollout.unsupported_template',
    `compare the turns of a conversation with the chat template: they differ at token ${at + 1} of ${whole.length}; ` +
      `the template has ${show(tokenizer, whole, at)}, the turns have ${show(tokenizer, built.ids, at)}; ${remedy(keeper, whole, built, tokenizer)}`,
    { details: { token: at } },
  );
}

/**
 * Encodes a rendering. Only behind a forced tag, where a model begins to write, no token may reach across: `<think>` and `The`
 * stay apart though the tokenizer knows `>The`.
 */
function encodeWhole(
  tokenizer: Tokenizer,
  text: string,
  built: BuiltConversation,
  frame: ChatFrame,
): Int32Array {
  const ids: number[] = [];
  let from = 0;
  for (const reply of built.contents.filter((_, index) => index % 2 === 1)) {
    const at = text.indexOf(reply, from);
    if (at < 0) continue;
    const to = at + frame.begun.length + built.forced.length;
    ids.push(...encodeAfter(tokenizer, text.slice(from, to), ids.at(-1)));
    from = to;
  }
  ids.push(...encodeAfter(tokenizer, text.slice(from), ids.at(-1)));
  return Int32Array.from(ids);
}

function encodeAfter(tokenizer: Tokenizer, text: string, previous: number | undefined): Int32Array {
  return previous === undefined ? tokenizer.encode(text) : encodePiece(tokenizer, text, previous);
}

function firstDifference(left: Int32Array, right: Int32Array): number | undefined {
  const length = Math.max(left.length, right.length);
  for (let at = 0; at < length; at++) if (left[at] !== right[at]) return at;
  return undefined;
}

const isEqual = (left: Int32Array, right: Int32Array | undefined): boolean =>
  right !== undefined && firstDifference(left, right) === undefined;

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function show(tokenizer: Tokenizer, ids: Int32Array, at: number): string {
  const id = ids[at];
  const around = tokenizer.decode(ids.subarray(Math.max(0, at - 4), at + 6));
  return `${id === undefined ? 'no token' : `token ${id}`} in ${JSON.stringify(around)}`;
}

function remedy(
  keeper: Readonly<Record<string, unknown>> | undefined,
  whole: Int32Array,
  { ids }: BuiltConversation,
  tokenizer: Tokenizer,
): string {
  if (keeper !== undefined) {
    const [[name, value] = ['', '']] = Object.entries(keeper);
    const key = name === 'enable_thinking' ? 'enableThinking' : `variables.${name}`;
    return `set rollout.template.${key}: ${String(value)}, which keeps earlier replies as they are`;
  }
  if (tokenizer.decode(whole) !== tokenizer.decode(ids))
    return 'the template rewrites earlier replies, such as their reasoning: set rollout.prompt.thinking: none, rollout.context.turns: 1 or rollout.maxTurns: 1, or give the model a template that keeps them';
  return 'choose a model whose tokenizer encodes the turns of a conversation independently of each other';
}
