/**
 * @file A policy that reads messages and writes text, such as a model behind an API, as a policy engine: its tokens are UTF-16
 * code units, and its chat template marks messages by noncharacters of Unicode, so that every conversation that a rollout
 * builds comes back as the messages it is made of. Log-probabilities and entropies are zero, and it cannot learn.
 */
import {
  AppError,
  type ChatMessage,
  type PolicyEngine,
  type SampleRequest,
  type SampleResult,
  type Tokenizer,
} from '@espalier/contracts';
import { createScriptedEngine } from './scripted-engine.js';

const starts = { system: '\uFDD0', user: '\uFDD1', assistant: '\uFDD2' } as const;
const end = '\uFDD3';
const pad = '\uFDD4';
const marks = /[\uFDD0-\uFDD4]/g;
const roles = new Map<string, ChatMessage['role']>(
  Object.entries(starts).map(([role, mark]) => [mark, role as ChatMessage['role']]),
);
const units = 0x10000;
/** no limit of its own: the endpoint has one */
const contextLength = 2 ** 30;

export interface MessageQuestion {
  readonly messages: readonly ChatMessage[];
  /** how the reply begins already; may be empty */
  readonly opened: string;
  readonly params: SampleRequest['params'];
  readonly seed: number;
}

export interface MessageReply {
  /** what follows `opened`; not empty unless it was cut off */
  readonly text: string;
  /** it reached the limit of its tokens */
  readonly isCut: boolean;
}

/** Creates the tokenizer of conversations with such a policy: one token for each UTF-16 code unit. */
export function createMessageTokenizer(): Tokenizer {
  const endOfTurn = end.charCodeAt(0);
  return {
    vocabularySize: units,
    endOfTurn,
    stopTokens: [endOfTurn],
    pad: pad.charCodeAt(0),
    encode: (text) => Int32Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)),
    decode: (tokens) => Buffer.from(Uint16Array.from(tokens).buffer).toString('utf16le'),
    renderMessages: (messages, { generation }) =>
      messages.map(({ role, content }) => starts[role as keyof typeof starts] + content + end).join('') +
      (generation ? starts.assistant : ''),
  };
}

/**
 * Creates the engine.
 *
 * @param model name for people
 * @param reply answers a conversation; what it throws fails the episode
 */
export function createMessageEngine(
  model: string,
  reply: (question: MessageQuestion) => Promise<MessageReply>,
): PolicyEngine {
  const { encode, decode, endOfTurn } = createMessageTokenizer();
  const scripted = createScriptedEngine({
    vocabularySize: units,
    contextLength,
    async answer({ request: { tokens, params, seed } }) {
      const { messages, opened } = readMessages(decode(tokens));
      const { text, isCut } = await reply({ messages, opened, params, seed });
      const { written, stopped } = cutAtStop(text.replace(marks, '\uFFFD'), params, decode);
      const stop: SampleResult['stop'] = isCut && !stopped ? 'length' : 'stop';
      return { tokens: [...encode(written), ...(stop === 'stop' && !stopped ? [endOfTurn] : [])], stop };
    },
  });
  return { ...scripted, description: { ...scripted.description, kind: 'messages', model } };
}

/** Reads the messages of a conversation whose last one, the reply, is open. */
function readMessages(text: string): Pick<MessageQuestion, 'messages' | 'opened'> {
  const parts = text.split(end);
  const messages = parts.map((part): ChatMessage => {
    const role = roles.get(part.slice(0, 1));
    const content = part.slice(1);
    if (role !== undefined && content.search(marks) < 0) return { role, content };
    throw new AppError(
      'plugin.failed',
      'show a state: its text contains a noncharacter of Unicode (U+FDD0 to U+FDD4), which marks messages; remove it from the text of the environment',
    );
  });
  return { messages: messages.slice(0, -1), opened: messages.at(-1)?.content ?? '' };
}

/** Ends a reply behind the first of the stop sequences, which belong to it. */
function cutAtStop(
  text: string,
  { stopSequences }: SampleRequest['params'],
  decode: Tokenizer['decode'],
): { readonly written: string; readonly stopped: boolean } {
  const ends = stopSequences.flatMap((sequence) => {
    const stop = decode(sequence);
    const at = stop === '' ? -1 : text.indexOf(stop);
    return at < 0 ? [] : [at + stop.length];
  });
  return ends.length === 0
    ? { written: text, stopped: false }
    : { written: text.slice(0, Math.min(...ends)), stopped: true };
}
