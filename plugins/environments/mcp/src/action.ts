/** @file What a policy writes: one call of a tool, as JSON or as `name(key="…")`, or the end with an answer. */

/** A call with its arguments; `finish` ends the episode. */
export interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The action that ends an episode; its only argument is `answer`. */
export const finish = 'finish';

/** Longest action that is read. */
export const maxAction = 20_000;

/** Reads an action. @returns the call, or what is wrong with it */
export function parseAction(action: string): Call | string {
  if (action.length > maxAction) return `an action has at most ${maxAction} characters`;
  const text = action.trim();
  return text.startsWith('{') ? parseJson(text) : parseCall(text);
}

function parseJson(text: string): Call | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'that is no JSON';
  }
  const { tool, name, arguments: given = {}, ...others } = value as Record<string, unknown>;
  const called = tool ?? name;
  if (
    typeof called !== 'string' ||
    (tool !== undefined && name !== undefined) ||
    Object.keys(others).length > 0
  )
    return 'JSON has the form {"tool": "name", "arguments": {…}}';
  return isRecord(given) ? { tool: called, arguments: given } : '"arguments" is an object';
}

const form = 'a call has the form name(key="text", other=3)';

function parseCall(text: string): Call | string {
  const open = text.indexOf('(');
  const tool = (open < 0 ? text : text.slice(0, open)).trim();
  if (!/^[\w./-]{1,128}$/.test(tool)) return form;
  if (open < 0) return `${form}; without arguments: ${tool}()`;
  const pairs: [string, unknown][] = [];
  let at = skipSpace(text, open + 1);
  while (at < text.length && text[at] !== ')') {
    const key = /^[\w-]{1,64}\s*=\s*/.exec(text.slice(at, at + 80))?.[0];
    if (key === undefined) return form;
    const end = endOfValue(text, at + key.length);
    const value = valueOf(text.slice(at + key.length, end).trim());
    if (value === undefined)
      return `the value of ${key.trim()} … is no text in quotes, number, true, false, list or object`;
    const name = key.slice(0, key.indexOf('=')).trim();
    if (pairs.some(([known]) => known === name)) return `${name} is given twice`;
    pairs.push([name, value]);
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] !== ')') return form;
  }
  if (text[at] !== ')' || at !== text.length - 1) return form;
  return { tool, arguments: Object.fromEntries(pairs) };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at]!.trim() === '') at++;
  return at;
}

/** Where a value ends: before a comma or a bracket that is not inside of it. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const letter = text[at]!;
    if (quote !== '') {
      if (letter === '\\') at++;
      else if (letter === quote) quote = '';
    } else if (letter === '"' || (letter === "'" && depth === 0)) quote = letter;
    else if (letter === '[' || letter === '{' || letter === '(') depth++;
    else if ((letter === ',' || letter === ')') && depth === 0) return at;
    else if (letter === ']' || letter === '}' || letter === ')') depth--;
  }
  return text.length;
}

/** A value as JSON, Python's names of constants, or text in single quotes. */
function valueOf(raw: string): unknown {
  if (raw === 'True') return true;
  if (raw === 'False') return false;
  if (raw === 'None') return null;
  const isSingle = raw.length >= 2 && raw.startsWith("'") && raw.endsWith("'");
  const text = isSingle
    ? `"${raw.slice(1, -1).replaceAll(/\\'|"/g, (part) => (part === '"' ? '\\"' : "'"))}"`
    : raw;
  // a line end inside of quotes is meant as one
  for (const attempt of [text, text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')]) {
    try {
      return JSON.parse(attempt) as unknown;
    } catch {
      // the next one
    }
  }
  return undefined;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A call in the form that is shown. */
export function writeCall({ tool, arguments: given }: Call): string {
  const pairs = Object.entries(given).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${tool}(${pairs.join(', ')})`;
}
