/** @file Messages and tools of the dialects as chat templates read them. */
import type { TemplateMessage } from '@espalier/contracts/template-message';
import { z } from 'zod';
import type { AgentPrompt, Tool } from '../request.js';
import { argumentsOf } from '../tool-calls.js';
import { invalid } from './dialect.js';

const textPart = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(textPart)]).nullish();

/** Messages of /v1/chat/completions. */
export const chatMessages = z.array(
  z.looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content,
    tool_calls: z
      .array(
        z.looseObject({
          id: z.string(),
          function: z.looseObject({ name: z.string(), arguments: z.string() }),
        }),
      )
      .nullish(),
    tool_call_id: z.string().nullish(),
    name: z.string().nullish(),
  }),
);

export const chatTools = z
  .array(
    z.looseObject({
      type: z.literal('function'),
      function: z.looseObject({
        name: z.string().min(1),
        description: z.string().optional(),
        parameters: z.unknown().optional(),
      }),
    }),
  )
  .nullish();

/** Joins the texts of a content. @throws endpoint.invalid_request for pictures and sounds */
export function textOf(given: z.output<typeof content>, field: string): string {
  if (given === null || given === undefined) return '';
  if (typeof given === 'string') return given;
  return given
    .map(({ type, text }) => {
      if (text !== undefined && /text$/.test(type)) return text;
      throw invalid(field, `has a part of the type ${JSON.stringify(type)}; this model reads text only`);
    })
    .join('');
}

/** Reads chat messages. */
export function readChatMessages(given: z.output<typeof chatMessages>): TemplateMessage[] {
  return given.map(({ role, content: said, tool_calls: calls, tool_call_id: id, name }, at) => ({
    // what newer models call developer is the system of templates
    role: role === 'developer' ? 'system' : role,
    content: textOf(said, `messages.${at}.content`),
    ...(calls === null || calls === undefined || calls.length === 0
      ? {}
      : { tool_calls: calls.map((call) => callOf(call.id, call.function.name, call.function.arguments)) }),
    ...(role === 'tool' && typeof id === 'string' ? { tool_call_id: id } : {}),
    ...(role === 'tool' && typeof name === 'string' ? { name } : {}),
  }));
}

export const callOf = (
  id: string,
  name: string,
  given: unknown,
): NonNullable<TemplateMessage['tool_calls']>[number] => ({
  id,
  type: 'function',
  function: { name, arguments: typeof given === 'string' ? argumentsOf(given) : given },
});

/** Reads the tools of /v1/chat/completions. */
export function readChatTools(given: z.output<typeof chatTools>): Tool[] {
  return (given ?? []).map(({ function: { name, description, parameters } }) =>
    toolOf(name, description, parameters),
  );
}

export function toolOf(name: string, description: string | undefined, parameters: unknown): Tool {
  return {
    type: 'function',
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
    },
  };
}

/** The tools that a choice leaves. @throws endpoint.invalid_request for a choice that no sampler can promise */
export function chooseTools(tools: readonly Tool[], choice: unknown): readonly Tool[] {
  const kind = typeof choice === 'object' && choice !== null ? (choice as { type?: unknown }).type : choice;
  if (kind === 'none') return [];
  if (kind === undefined || kind === null || kind === 'auto') return tools;
  throw invalid('tool_choice', `${JSON.stringify(choice)} cannot be promised; give "auto" or "none"`);
}

/** A conversation to reply to; where its last message is a reply that has begun, that one is continued. */
export function readConversation(
  messages: readonly TemplateMessage[],
  tools: readonly Tool[],
  isContinued: boolean,
): Extract<AgentPrompt, { messages: unknown }> {
  const last = messages.at(-1);
  if (!isContinued || last?.role !== 'assistant' || last.tool_calls !== undefined)
    return { messages, tools, opened: '' };
  return { messages: messages.slice(0, -1), tools, opened: last.content };
}
