/** @file Whether arguments fit the schema of a tool, as far as names and simple types go; the server knows the rest. */
import type { Tool } from '@modelcontextprotocol/client';
import { isRecord } from './action.js';

type Schema = Readonly<Record<string, unknown>>;

const propertiesOf = ({ inputSchema }: Tool): Readonly<Record<string, unknown>> | undefined => {
  const { properties } = inputSchema as Schema;
  return isRecord(properties) ? properties : undefined;
};

const requiredOf = ({ inputSchema }: Tool): readonly string[] => {
  const { required } = inputSchema as Schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
};

/** What is wrong with arguments; undefined where nothing is. */
export function findMisfit(tool: Tool, given: Readonly<Record<string, unknown>>): string | undefined {
  const properties = propertiesOf(tool) ?? {};
  const names = Object.keys(properties);
  const missing = requiredOf(tool).find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) return `${tool.name} needs ${missing}`;
  const { additionalProperties = false } = tool.inputSchema as Schema;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(properties, name)) {
      if (additionalProperties !== false) continue;
      return `${tool.name} has no argument ${name.slice(0, 60)}; it has ${names.join(', ') || 'none'}`;
    }
    const expected = typesOf(properties[name]);
    if (expected !== undefined && !expected.some((type) => isOfType(value, type)))
      return `${name} of ${tool.name} is of type ${expected.join(' or ')}`;
  }
  return undefined;
}

function typesOf(schema: unknown): readonly string[] | undefined {
  if (!isRecord(schema)) return undefined;
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : undefined;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** A tool in one line: its arguments with types, `?` where one may be left out, and the first sentence about it. */
export function describeTool(tool: Tool): string {
  const required = new Set(requiredOf(tool));
  const list = Object.entries(propertiesOf(tool) ?? {}).map(([name, schema]) => {
    const types = typesOf(schema)?.join('|');
    return `${name}${required.has(name) ? '' : '?'}${types === undefined ? '' : `: ${types}`}`;
  });
  const about = (tool.description ?? '').trim().split(/(?<=\.)\s|\n/)[0] ?? '';
  return `- ${tool.name}(${list.join(', ')})${about === '' ? '' : `: ${about.slice(0, 200)}`}`;
}

/** Arguments that fit, made of words and a number; undefined where a required one is of another kind. */
export function makeArguments(
  tool: Tool,
  pick: (words: readonly string[]) => string,
  words: readonly string[],
  number: number,
): Record<string, unknown> | undefined {
  const made: Record<string, unknown> = {};
  for (const name of requiredOf(tool)) {
    const [type] = typesOf(propertiesOf(tool)?.[name]) ?? [];
    if (type === 'string') made[name] = pick(words);
    else if (type === 'integer' || type === 'number') made[name] = number;
    else if (type === 'boolean') made[name] = number % 2 === 0;
    else if (type === 'array') made[name] = [];
    else return undefined;
  }
  return made;
}
