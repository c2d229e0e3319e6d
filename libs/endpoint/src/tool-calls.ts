/**
 * @file Reads calls of tools from a reply, in the forms that chat templates teach models: Hermes and Qwen
 * (`<tool_call>{…}</tool_call>`), Mistral (`[TOOL_CALLS][…]`), and Llama 3 (the whole reply is one JSON object).
 */
import { isRecord } from '@espalier/contracts/values';
import type { Tool, ToolCall } from './request.js';

/** Where a reply stops being text for people, if it has calls. */
export const callMarks = ['<tool_call>', '[TOOL_CALLS]'] as const;

/** A reply as text and calls. */
export interface ReadReply {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
}

/**
 * Reads a reply; what is no whole call of a named tool stays text.
 *
 * @param idOf names the call number `index`
 */
export function parseToolCalls(
  text: string,
  tools: readonly Tool[],
  idOf: (index: number) => string,
): ReadReply {
  if (tools.length === 0) return { content: text, toolCalls: [] };
  const names = new Set(tools.map((tool) => tool.function.name));
  const read = readHermes(text) ?? readMistral(text) ?? readPlain(text);
  const calls = read?.calls.flatMap((call) => callOf(call, names) ?? []) ?? [];
  if (read === undefined || calls.length === 0 || calls.length < read.calls.length)
    return { content: text, toolCalls: [] };
  return {
    content: read.content,
    toolCalls: calls.map((call, index) => ({ ...call, id: idOf(index) })),
  };
}

interface Found {
  readonly content: string;
  readonly calls: readonly unknown[];
}

function readHermes(text: string): Found | undefined {
  const [before = '', ...parts] = text.split('<tool_call>');
  if (parts.length === 0) return undefined;
  const closed = parts.map((part) => part.split('</tool_call>', 2));
  const content = before + closed.map(([, after = '']) => after).join('');
  // one that is not closed is none
  return {
    content: content.trim(),
    calls: closed.map(([inner = '', after]) => (after === undefined ? undefined : parseJson(inner))),
  };
}

function readMistral(text: string): Found | undefined {
  const at = text.indexOf('[TOOL_CALLS]');
  if (at < 0) return undefined;
  const list = parseJson(text.slice(at + '[TOOL_CALLS]'.length));
  return Array.isArray(list) ? { content: text.slice(0, at).trim(), calls: list } : undefined;
}

function readPlain(text: string): Found | undefined {
  const whole = text.replace(/^\s*<\|python_tag\|>/, '').trim();
  return whole.startsWith('{') ? { content: '', calls: [parseJson(whole)] } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function callOf(value: unknown, names: ReadonlySet<string>): Omit<ToolCall, 'id'> | undefined {
  if (!isRecord(value)) return undefined;
  const { name, arguments: given = value['parameters'] ?? {} } = value;
  if (typeof name !== 'string' || !names.has(name)) return undefined;
  return { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}

/** The arguments of a call as chat templates read them. */
export function argumentsOf(text: string): unknown {
  const value = parseJson(text);
  return isRecord(value) ? value : text;
}
