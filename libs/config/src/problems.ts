/**
 * @file Turns zod issues into messages: location, finding, expectation. All problems of a file are reported at once.
 */
import { AppError, type ErrorCode } from '@espalier/contracts';
import { closestKey, nearestKey } from '@espalier/contracts/nearest-key';
import { tagForm } from '@espalier/contracts/mixing';
import { isRecord } from '@espalier/contracts/values';
import { z } from 'zod';
import { remedyForForeign } from './foreign-names.js';
import { joinPath, quote } from './json.js';
import type { ConfigInput } from './load-config.js';

type Issue = z.core.$ZodIssue;
type JsonSchema = Record<string, unknown>;

export interface Problem {
  readonly code: ErrorCode;
  readonly path: string;
  readonly message: string;
  /** thrown as it is when this is the only problem */
  readonly error?: AppError;
}

/** Limit of problems per message: a file can have thousands, and each needs a search for the nearest key. */
const maxShown = 20;

const inputSchemas = new WeakMap<z.ZodType, JsonSchema>();

/** The JSON Schema of the input of a zod schema. Cached: do not modify it. */
export function inputSchema(schema: z.ZodType): JsonSchema {
  const known = inputSchemas.get(schema);
  if (known !== undefined) return known;
  const generated = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  inputSchemas.set(schema, generated);
  return generated;
}

/** The keys of a JSON Schema at a path; union members are merged. */
export function keysAt(schema: JsonSchema | undefined, path: readonly PropertyKey[]): string[] {
  if (schema === undefined) return [];
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap(
    (name) => (schema[name] as JsonSchema[] | undefined) ?? [],
  );
  const inBranches = branches.flatMap((branch) => keysAt(branch, path));
  const properties = (schema['properties'] as Record<string, JsonSchema> | undefined) ?? {};
  const [first, ...rest] = path;
  if (first === undefined) return [...Object.keys(properties), ...entryNames(schema), ...inBranches];
  const next =
    typeof first === 'number'
      ? (schema['items'] as JsonSchema | undefined)
      : (properties[String(first)] ?? entriesOf(schema));
  return [...keysAt(next, rest), ...inBranches];
}

/** The keys that a map may have, where they are a fixed list. */
function entryNames({ propertyNames: names }: JsonSchema): string[] {
  const listed = isRecord(names) ? names['enum'] : undefined;
  return Array.isArray(listed) ? listed.filter((name) => typeof name === 'string') : [];
}

/** The schema of every value of a map with free keys. */
function entriesOf(schema: JsonSchema): JsonSchema | undefined {
  const { additionalProperties: entries } = schema;
  return isRecord(entries) ? entries : undefined;
}

/** The dotted paths of all keys in a JSON Schema. */
export function allPaths(schema: JsonSchema, prefix = ''): string[] {
  const properties = (schema['properties'] as Record<string, JsonSchema> | undefined) ?? {};
  return Object.entries(properties).flatMap(([key, entry]) => [
    `${prefix}${key}`,
    ...allPaths(entry, `${prefix}${key}.`),
  ]);
}

const overriddenBy = new WeakMap<ConfigInput, ReadonlySet<string>>();

/** The paths that overrides set, with all their ancestors. */
function overriddenPaths(input: ConfigInput): ReadonlySet<string> {
  const known = overriddenBy.get(input);
  if (known !== undefined) return known;
  const paths = new Set<string>();
  for (const [leaf, origin] of input.origins) {
    if (origin !== '--set') continue;
    for (let at = leaf; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) paths.add(at);
  }
  overriddenBy.set(input, paths);
  return paths;
}

/** The source location of a path: `x.yaml:3:5`, or `--set` for an override. */
export function locate(input: ConfigInput, path: string): string {
  if (overriddenPaths(input).has(path)) return '--set';
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const position = input.positions.get(at);
    if (position !== undefined) return `${input.file}:${position}`;
  }
  return input.file;
}

/** Whether a configuration is that of a run; service settings have no equivalents in other trainers. */
const isOfRun = ({ value }: ConfigInput): boolean => 'environment' in value || 'environments' in value;

/** Describes an unknown key, with the nearest valid key at its level, or the path of a key with the same name. */
export function unknownKey(
  input: ConfigInput,
  path: string,
  key: string,
  valid: readonly string[],
  whole: JsonSchema = {},
): Problem {
  const near = nearestKey(key, valid);
  const elsewhere = allPaths(whole).find((known) => known.endsWith(`.${key}`));
  const closest = closestKey(key, valid);
  let remedy =
    closest === undefined
      ? 'there are no options here'
      : `the nearest is ${closest}; valid here: ${valid.join(', ')}`;
  if (elsewhere !== undefined) remedy = `did you mean ${elsewhere}?`;
  if (near !== undefined) remedy = `did you mean ${near}?`;
  const foreign = isOfRun(input) ? remedyForForeign(key) : undefined;
  if (foreign !== undefined) remedy = foreign;
  return {
    code: 'config.unknown_key',
    path,
    message: `${locate(input, path)}: unknown key ${path.length > 100 ? `${path.slice(0, 97)}...` : path}; ${remedy}`,
  };
}

/**
 * Describes the zod issues of a part of the configuration.
 *
 * @param prefix path of that part
 * @param schema the schema that reported them
 * @param found  the validated value
 */
export function describeIssues(
  input: ConfigInput,
  prefix: readonly string[],
  schema: z.ZodType,
  found: unknown,
  issues: readonly Issue[],
): Problem[] {
  const known = inputSchema(schema);
  return issues.slice(0, maxShown + 1).flatMap((issue): Problem[] => {
    const parts = [...prefix, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      const valid = keysAt(known, issue.path);
      return issue.keys
        .slice(0, maxShown + 1)
        .map((key) =>
          unknownKey(input, joinPath([...parts, key]), key, valid, prefix.length === 0 ? known : {}),
        );
    }
    const path = joinPath(parts);
    const actual = issue.path.reduce<unknown>(
      (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
      found,
    );
    const shorthand = describeShorthand(known, issue, actual);
    if (shorthand !== undefined)
      return [{ code: 'config.wrong_type', path, message: `${locate(input, path)}: ${path} ${shorthand}` }];
    const shown = describeFound(issue.path, actual);
    return [
      {
        code: 'config.wrong_type',
        path,
        message: `${locate(input, path)}: ${path || 'the file'} ${shown}; ${isNonFinite(actual) ? 'expected a finite number' : expectation(issue, expectsInteger(known, issue.path))}`,
      },
    ];
  });
}

/** Options whose values are kept out of messages, which end up in logs. */
const isSecret = /(secret|password|(^|admin|worker|api)key)$/i;

function describeFound(path: readonly PropertyKey[], value: unknown): string {
  if (value === undefined) return 'is missing';
  return isSecret.test(String(path.at(-1))) ? 'has another form' : `is ${quote(value)}`;
}

const isNonFinite = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value);

/** The remedy when a plugin is given as its id alone. */
function describeShorthand(known: JsonSchema, issue: Issue, actual: unknown): string | undefined {
  if (issue.code !== 'invalid_type' || typeof actual !== 'string') return undefined;
  const written = `is ${quote(actual)}; write`;
  if (issue.expected === 'object' && keysAt(known, issue.path).includes('use'))
    return `${written} { use: ${actual} }`;
  if (issue.expected === 'array' && keysAt(known, [...issue.path, 0]).includes('use'))
    return `${written} [{ use: ${actual} }]`;
  return undefined;
}

/** Whether the value at a path must be an integer. */
function expectsInteger(schema: JsonSchema | undefined, path: readonly PropertyKey[]): boolean {
  const [first, ...rest] = path;
  if (schema === undefined || first === undefined) return schema?.['type'] === 'integer';
  const properties = (schema['properties'] as Record<string, JsonSchema> | undefined) ?? {};
  const next = typeof first === 'number' ? (schema['items'] as JsonSchema | undefined) : undefined;
  return expectsInteger(next ?? properties[String(first)] ?? entriesOf(schema), rest);
}

/** What a value should be, as the end of a sentence. */
export function expectation(issue: Issue, isInteger = false): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${isInteger || issue.expected === 'int' ? 'a whole number' : `type ${issue.expected === 'record' ? 'object' : issue.expected}`}`;
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
    case 'invalid_value':
      return `expected one of ${issue.values.map((value) => quote(value)).join(', ')}`;
    case 'invalid_format':
      if (!issue.message.startsWith('Invalid')) return issue.message;
      if (issue.format === 'url') return 'expected a URL, such as http://127.0.0.1:8000';
      return `expected the form ${'pattern' in issue && typeof issue.pattern === 'string' ? issue.pattern : issue.format}`;
    case 'invalid_key':
      return keyExpectation(issue.issues) ?? `expected a tag: ${tagForm}`;
    case 'invalid_union':
      // a discriminated union whose discriminator is invalid
      if ('options' in issue && Array.isArray(issue.options))
        return `expected one of ${issue.options.map((value) => quote(value)).join(', ')}`;
      return `expected one of ${issue.errors
        .flat()
        .map((inner) => expectation(inner).replace('expected ', '').replace('one of ', ''))
        .join(', or ')}`;
    default:
      return issue.message;
  }
}

/** What the schema of the keys of a map says of itself, if it does. */
const keyExpectation = (issues: readonly Issue[]): string | undefined =>
  issues.find(({ message }) => message.startsWith('expected '))?.message;

/**
 * Throws all problems as one error with the code of the first; returns when there are none.
 *
 * @param details added to the details of the error
 */
export function throwProblems(
  problems: readonly Problem[],
  details: Readonly<Record<string, unknown>> = {},
): void {
  const [first] = problems;
  if (first === undefined) return;
  if (problems.length === 1 && first.error !== undefined) throw first.error;
  const shown = problems.slice(0, maxShown).map(({ code, path, message }) => ({ code, path, message }));
  const isCut = problems.length > shown.length;
  const lines = [...shown.map((problem) => problem.message), ...(isCut ? ['and more'] : [])];
  throw new AppError(first.code, lines.join('\n'), { details: { problems: shown, ...details } });
}

/** Wraps plain values as a configuration without positions and origins. */
export function asConfigInput(input: ConfigInput | Readonly<Record<string, unknown>>): ConfigInput {
  const loaded = 'origins' in input && input.origins instanceof Map && isRecord(input['value']);
  if (loaded) return input as ConfigInput;
  return {
    file: 'run spec',
    value: input as Readonly<Record<string, unknown>>,
    origins: new Map(),
    positions: new Map(),
  };
}
