/** @file What /v1/responses is asked, and the answers that later requests continue. */
import type { TemplateMessage } from '@espalier/contracts/template-message';
import { z } from 'zod';
import type { AgentRequest, Reply } from '../request.js';
import {
  type AnswerStart,
  invalid,
  parseBody,
  readSampling,
  refuseFields,
  samplingFields,
} from './dialect.js';
import { callOf, chooseTools, readConversation, textOf, toolOf } from './messages-in.js';

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
    .nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  output: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
    .optional(),
});

const body = z.looseObject({
  ...samplingFields,
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        description: z.string().nullish(),
        parameters: z.unknown().optional(),
      }),
    )
    .nullish(),
  tool_choice: z.unknown().optional(),
  include: z.array(z.string()).nullish(),
  top_logprobs: z.int().min(0).nullish(),
  previous_response_id: z.string().nullish(),
});

const neutral = {
  text: [{ format: { type: 'text' } }, {}],
  background: [false],
  truncation: ['disabled'],
  conversation: [],
  prompt: [],
};

/** Answers that can be continued. */
const remembered = 1000;
const logprobsName = 'message.output_text.logprobs';

/** Reads an item of the input: a message, a call, or the answer of a tool. */
function readItem(given: z.output<typeof item>, at: number): TemplateMessage[] {
  const field = `input.${at}`;
  const { type = 'message', role = 'user', call_id: id = '', name = '', arguments: text = '{}' } = given;
  if (type === 'message')
    return [
      { role: role === 'developer' ? 'system' : role, content: textOf(given.content, `${field}.content`) },
    ];
  if (type === 'function_call')
    return [{ role: 'assistant', content: '', tool_calls: [callOf(id, name, text)] }];
  if (type === 'function_call_output')
    return [{ role: 'tool', content: textOf(given.output, `${field}.output`), tool_call_id: id }];
  if (type === 'reasoning') return [];
  throw invalid(
    field,
    `has the type ${JSON.stringify(type)}; this model reads messages and calls of functions`,
  );
}

/** Text and calls of one reply come as several items; templates read them as one message. */
function joinReplies(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const joined: TemplateMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const calls = message.tool_calls;
    if (calls === undefined || last?.role !== 'assistant') joined.push(message);
    else joined[joined.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), ...calls] };
  }
  return joined;
}

function readTools(tools: z.output<typeof body>['tools']) {
  return (tools ?? []).map(({ type, name = '', description, parameters }, at) => {
    if (type !== 'function')
      throw invalid(`tools.${at}.type`, `${JSON.stringify(type)} is none of this model; give functions`);
    return toolOf(name, description ?? undefined, parameters);
  });
}

export interface Conversations {
  /** @throws endpoint.invalid_request */
  parse(body: unknown): AgentRequest;
  /** Remembers an answer, so that it can be continued. */
  keep(start: AnswerStart, reply: Reply): void;
}

/** Creates the memory of the last answers. */
export function createConversations(): Conversations {
  const kept = new Map<string, readonly TemplateMessage[]>();
  // instructions hold for one answer, and are not part of what is continued
  const conversations = new WeakMap<AgentRequest, readonly TemplateMessage[]>();

  function parse(given: unknown): AgentRequest {
    const read = parseBody(body, given);
    refuseFields(read, neutral, Object.keys(body.shape));
    if ((read.top_logprobs ?? 0) > 0)
      throw invalid(
        'top_logprobs',
        'only log-probabilities of the sampled tokens are known; leave it out, or give 0',
      );
    const tools = readTools(read.tools);
    const before = read.previous_response_id ?? undefined;
    const earlier = before === undefined ? [] : kept.get(before);
    if (earlier === undefined)
      throw invalid(
        'previous_response_id',
        `${JSON.stringify(before)} is not among the last ${remembered} answers; send the conversation`,
      );
    const own =
      typeof read.input === 'string' ? [{ role: 'user', content: read.input }] : read.input.flatMap(readItem);
    const system = read.instructions ?? '';
    const conversation = joinReplies([...earlier, ...own]);
    const request: AgentRequest = {
      ...readSampling(read),
      prompts: [
        readConversation(
          [...(system === '' ? [] : [{ role: 'system', content: system }]), ...conversation],
          chooseTools(tools, read.tool_choice),
          false,
        ),
      ],
      n: 1,
      maxTokens: read.max_output_tokens ?? undefined,
      stop: [],
      logprobs: read.include?.includes(logprobsName) ?? false,
      streamsUsage: true,
      returnsTokenIds: false,
    };
    conversations.set(request, conversation);
    return request;
  }

  function keep({ id, request }: AnswerStart, { content, toolCalls }: Reply): void {
    const calls = toolCalls.map((call) => callOf(call.id, call.name, call.arguments));
    const reply = { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    kept.set(id, [...(conversations.get(request) ?? []), reply]);
    const [oldest] = kept.keys();
    if (kept.size > remembered && oldest !== undefined) kept.delete(oldest);
  }

  return { parse, keep };
}
