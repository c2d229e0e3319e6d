/** @file What a tool answered, as text of a bounded length. */
import { isRecord } from './action.js';
import type { ToolAnswer } from './server/connection.js';

/** All text of an answer; pictures and the like are named, not shown. */
export function textOf({ content, structured }: ToolAnswer): string {
  const parts = content.map((item) => (isRecord(item) ? partOf(item) : ''));
  const text = parts.filter((part) => part !== '').join('\n');
  return text === '' && structured !== undefined ? JSON.stringify(structured) : text;
}

function partOf(item: Record<string, unknown>): string {
  const { type, text, mimeType = 'unknown type', uri, resource } = item;
  if (typeof text === 'string') return text;
  if (type === 'resource_link') return `[resource ${String(uri)}]`;
  if (isRecord(resource))
    return typeof resource['text'] === 'string' ? resource['text'] : `[resource ${String(resource['uri'])}]`;
  return `[${String(type)}, ${String(mimeType)}]`;
}

/** The first characters of a text, and how many were left out. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}\n[${text.length - most} more characters]`;
}
