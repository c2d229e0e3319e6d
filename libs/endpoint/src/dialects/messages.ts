/** @file POST /v1/messages, the dialect of Anthropic's clients. It has no log-probabilities and no seed. */
import type { TemplateMessage } from '@espalier/contracts/template-message';
import { z } from 'zod';
import type { AgentRequest, Reply } from '../request.js';
import { argumentsOf } from '../tool-calls.js';
import {
  anthropicError,
  type Dialect,
  invalid,
  parseBody,
  readSampling,
  refuseFields,
  samplingFields,
  sampledTokens,
} from './dialect.js';
import { callOf, chooseTools, readConversation, textOf, toolOf } from './messages-in.js';

const textBlock = z.looseObject({ type: z.string(), text: z.string().optional() });
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.union([z.string(), z.array(textBlock)]).nullish(),
});

const body = z.looseObject({
  ...samplingFields,
  system: z.union([z.string(), z.array(textBlock)]).nullish(),
  messages: z
    .array(
      z.looseObject({ role: z.enum(['user', 'assistant']), content: z.union([z.string(), z.array(block)]) }),
    )
    .min(1),
  max_tokens: z.int().min(1),
  stop_sequences: z.array(z.string().min(1)).max(16).nullish(),
  tools: z
    .array(
      z.looseObject({
        name: z.string().min(1),
        description: z.string().optional(),
        input_schema: z.unknown().optional(),
        type: z.string().nullish(),
      }),
    )
    .nullish(),
  tool_choice: z.unknown().optional(),
});

function parse(given: unknown): AgentRequest {
  const read = parseBody(body, given);
  const neutral = { thinking: [{ type: 'disabled' }], mcp_servers: [[]], container: [] };
  refuseFields(read, neutral, Object.keys(body.shape));
  const tools = (read.tools ?? []).map(({ name, description, input_schema: schema, type }, at) => {
    if (typeof type === 'string' && type !== 'custom')
      throw invalid(
        `tools.${at}.type`,
        `${JSON.stringify(type)} is run by Anthropic's servers; describe a tool of your own`,
      );
    return toolOf(name, description, schema);
  });
  const system = textOf(read.system, 'system');
  const messages = read.messages.flatMap(({ role, content }, at) =>
    typeof content === 'string' ? [{ role, content }] : readBlocks(role, content, `messages.${at}.content`),
  );
  return {
    ...readSampling(read),
    prompts: [
      readConversation(
        [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
        chooseTools(tools, read.tool_choice),
        true,
      ),
    ],
    n: 1,
    maxTokens: read.max_tokens,
    stop: read.stop_sequences ?? [],
    logprobs: false,
    streamsUsage: true,
    returnsTokenIds: false,
  };
}

/** A message of blocks: its text and calls of tools, and before them answers of tools as messages of their own. */
function readBlocks(
  role: string,
  blocks: readonly z.output<typeof block>[],
  field: string,
): TemplateMessage[] {
  const answers: TemplateMessage[] = [];
  const calls: NonNullable<TemplateMessage['tool_calls']>[number][] = [];
  const texts: string[] = [];
  for (const { type, text, id = '', name = '', input, tool_use_id: answered = '', content } of blocks) {
    if (type === 'text') texts.push(text ?? '');
    else if (type === 'tool_use') calls.push(callOf(id, name, input ?? {}));
    else if (type === 'tool_result')
      answers.push({ role: 'tool', content: textOf(content, field), tool_call_id: answered });
    else if (type !== 'thinking' && type !== 'redacted_thinking')
      throw invalid(field, `has a block of the type ${JSON.stringify(type)}; this model reads text only`);
  }
  const own = { role, content: texts.join(''), ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  return texts.length + calls.length === 0 ? answers : [...answers, own];
}

function stopReasonOf({ finish, stopText }: Reply): string {
  if (finish === 'tool_calls') return 'tool_use';
  if (finish === 'length') return 'max_tokens';
  return stopText === undefined ? 'end_turn' : 'stop_sequence';
}

const endOf = (reply: Reply) => ({ stop_reason: stopReasonOf(reply), stop_sequence: reply.stopText ?? null });

const blocksOf = ({ content, toolCalls }: Reply): unknown[] => [
  ...(content === '' && toolCalls.length > 0 ? [] : [{ type: 'text', text: content }]),
  ...toolCalls.map(({ id, name, arguments: text }) => ({
    type: 'tool_use',
    id,
    name,
    input: argumentsOf(text),
  })),
];

export const messages: Dialect = {
  path: 'messages',
  idPrefix: 'msg_',
  parse,
  error: anthropicError,
  answer({ id, model, promptTokens }, replies) {
    const [reply] = replies;
    if (reply === undefined) return {};
    return {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: blocksOf(reply),
      ...endOf(reply),
      usage: { input_tokens: promptTokens, output_tokens: sampledTokens(replies) },
    };
  },
  stream({ id, model, promptTokens }, send) {
    const event = (type: string, more: object): void => send({ type, ...more }, type);
    const usage = { input_tokens: promptTokens, output_tokens: 0 };
    const empty = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    event('message_start', { message: { ...empty, usage } });
    let blocks = 0;
    let isOpen = false;
    return {
      delta(_choice, { text }) {
        if (text === '') return;
        if (!isOpen)
          event('content_block_start', { index: blocks, content_block: { type: 'text', text: '' } });
        isOpen = true;
        event('content_block_delta', { index: blocks, delta: { type: 'text_delta', text } });
      },
      end(replies) {
        const [reply] = replies;
        if (isOpen) event('content_block_stop', { index: blocks++ });
        for (const { id: call, name, arguments: text } of reply?.toolCalls ?? []) {
          event('content_block_start', {
            index: blocks,
            content_block: { type: 'tool_use', id: call, name, input: {} },
          });
          event('content_block_delta', {
            index: blocks,
            delta: { type: 'input_json_delta', partial_json: text },
          });
          event('content_block_stop', { index: blocks++ });
        }
        if (reply !== undefined)
          event('message_delta', { delta: endOf(reply), usage: { output_tokens: sampledTokens(replies) } });
        event('message_stop', {});
      },
    };
  },
};
