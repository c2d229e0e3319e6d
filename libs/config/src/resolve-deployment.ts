/**
 * @file Settings of a service (server, worker): an optional YAML file, overridden by environment variables.
 * A variable is named by a prefix and the path of the key, joined by double underscores, in any case:
 * `ESPALIER__SERVER__DATABASE__MAXCONNECTIONS` is `database.maxConnections`. Values are YAML, as in the file.
 */
import { existsSync } from 'node:fs';
import { AppError } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import type { z } from 'zod';
import { joinPath } from './json.js';
import { type ConfigInput, loadConfig, parseConfig, parseValue } from './load-config.js';
import { describeIssues, inputSchema, keysAt, type Problem, throwProblems, unknownKey } from './problems.js';

/**
 * Resolves the settings of a service.
 *
 * @param schema of the file; strict objects, so that unknown keys are reported
 * @param file   YAML file, which may be missing
 * @param env    environment variables; empty ones are ignored
 * @param prefix of the variables, without trailing underscores: `ESPALIER__SERVER`
 * @param labels names of variables in messages, such as the command line option that sets one
 * @throws config.unreadable, config.unknown_key, config.wrong_type, naming file and position, or the variable
 */
export function resolveDeployment<Schema extends z.ZodType>(
  schema: Schema,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  prefix: string,
  labels: Readonly<Record<string, string>> = {},
): z.output<Schema> {
  const written = existsSync(file) ? loadConfig(file) : parseConfig('', file);
  const value = withoutEmptySections(written.value, inputSchema(schema));
  const problems: Problem[] = [];
  const variables = new Map<string, string>();
  const start = `${prefix}__`.toUpperCase();
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || text === '' || !variable.toUpperCase().startsWith(start)) continue;
    const name = labels[variable] ?? variable;
    const path = findPath(schema, name, variable.slice(start.length).split('__'), problems);
    if (path === undefined) continue;
    variables.set(joinPath(path), name);
    put(value, path, readValue(schema, path, name, text));
  }
  throwProblems(problems, { settings: prefix });
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const found = parsed.error.issues.flatMap((issue) => {
    const name = variables.get(joinPath(issue.path));
    const source = name === undefined ? written : variableAsInput(name);
    return describeIssues(source, [], schema, value, [issue]);
  });
  throwProblems(found, { settings: prefix });
  throw parsed.error;
}

/** Drops empty sections, so that a file can list section names without values. */
function withoutEmptySections(
  value: Readonly<Record<string, unknown>>,
  schema: Record<string, unknown>,
): Record<string, unknown> {
  const sections = Object.entries(value).flatMap(([key, entry]): [string, unknown][] => {
    const inside = sectionOf(schema, key);
    if (inside === undefined) return [[key, structuredClone(entry)]];
    if (entry === null) return [];
    return [[key, isRecord(entry) ? withoutEmptySections(entry, inside) : structuredClone(entry)]];
  });
  return Object.fromEntries(sections);
}

/** The schema of a section; undefined if the key is not a section. */
function sectionOf(schema: Record<string, unknown>, key: string): Record<string, unknown> | undefined {
  const properties = schema['properties'];
  const found = isRecord(properties) ? properties[key] : undefined;
  return isRecord(found) && isRecord(found['properties']) ? found : undefined;
}

const variableAsInput = (name: string): ConfigInput => parseConfig('', name);

/** The path of a variable in the spelling of the schema; an unknown key is added to the problems. */
function findPath(
  schema: z.ZodType,
  name: string,
  words: readonly string[],
  problems: Problem[],
): readonly string[] | undefined {
  const path: string[] = [];
  for (const word of words) {
    const valid = keysAt(inputSchema(schema), path);
    const key = valid.find((known) => known.toLowerCase() === word.toLowerCase());
    if (key === undefined) {
      problems.push(
        unknownKey(variableAsInput(name), joinPath([...path, word.toLowerCase()]), word.toLowerCase(), valid),
      );
      return undefined;
    }
    path.push(key);
  }
  return path;
}

/** Parses YAML, but keeps values of text options as text: `007`, `yes`, `1.20`. */
function readValue(schema: z.ZodType, path: readonly string[], name: string, text: string): unknown {
  try {
    const value = parseValue(text);
    return typeof value !== 'string' && typeAt(inputSchema(schema), path) === 'string' ? text : value;
  } catch (cause) {
    throw new AppError('config.unreadable', `${name}: ${(cause as Error).message}`, { cause });
  }
}

function typeAt(schema: Record<string, unknown>, path: readonly string[]): unknown {
  const at = path.reduce<unknown>((node, key) => {
    const properties = isRecord(node) ? node['properties'] : undefined;
    return isRecord(properties) ? properties[key] : undefined;
  }, schema);
  return isRecord(at) ? at['type'] : undefined;
}

function put(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = root;
  for (const key of path.slice(0, -1)) {
    const next = at[key];
    const inside = isRecord(next) ? next : {};
    at[key] = inside;
    at = inside;
  }
  at[path.at(-1) ?? ''] = value;
}
