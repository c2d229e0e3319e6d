/**
 * @file Reads large JSON files record by record, so that neither the text of a file nor its whole value is ever in memory.
 * An error names the file, the record and what to do.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { AppError } from '@espalier/contracts';

/** One element of an array, one entry of an object, or one line. */
export interface JsonElement {
  readonly value: unknown;
  /** of an entry */
  readonly key?: string;
  /** for errors, such as `item 3`, `"B000000001"` or `line 12` */
  readonly place: string;
}

/** Longest record in characters. */
const maxElement = 16 * 2 ** 20;

/** The error for data that cannot be used. */
export function invalidData(file: string, place: string, finding: string): AppError {
  return new AppError('plugin.failed', `read ${file}, ${place}: ${finding}`, { details: { file, place } });
}

/** Characters that matter: quotes, brackets, and the comma between elements. */
const quote = 34;
const comma = 44;
const backslash = 92;

/**
 * Reads the elements of a JSON file.
 *
 * @param container what the file has to be
 * @throws plugin.failed where the file is missing, cut off or no such JSON
 */
export function* readElements(file: string, container: 'array' | 'object'): Generator<JsonElement> {
  const [open, close] = container === 'array' ? ['[', ']'] : ['{', '}'];
  let index = 0;
  let text = '';
  /** 0 before the first bracket and after the last */
  let depth = 0;
  let isEnded = false;
  let isString = false;
  let isEscaped = false;
  let position = 0;

  const finish = (part: string, end: number, isLast: boolean): JsonElement | undefined => {
    const raw = text + part;
    text = '';
    if (isLast && index === 0 && raw.trim() === '') return undefined;
    index++;
    return parseElement(file, container, raw, index, end);
  };

  for (const part of readParts(file)) {
    let start = 0;
    for (let at = 0; at < part.length; at++) {
      const code = part.charCodeAt(at);
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) isString = false;
        continue;
      }
      if (depth === 0) {
        if (code === 0xfeff || /\s/.test(part[at]!)) continue;
        if (isEnded || part[at] !== open)
          throw invalidData(
            file,
            `character ${position + at + 1}`,
            isEnded
              ? `there is more after the end of the ${container}; remove it`
              : `expected a JSON ${container}, which begins with ${open}`,
          );
        depth = 1;
        start = at + 1;
      } else if (code === quote) isString = true;
      else if (code === 91 || code === 123) depth++;
      else if (code === 93 || code === 125) {
        depth--;
        if (depth > 0) continue;
        if (part[at] !== close)
          throw invalidData(file, `character ${position + at + 1}`, `expected ${close}; repair the file`);
        const last = finish(part.slice(start, at), position + at, true);
        if (last !== undefined) yield last;
        isEnded = true;
      } else if (code === comma && depth === 1) {
        const element = finish(part.slice(start, at), position + at, false);
        if (element !== undefined) yield element;
        start = at + 1;
      }
    }
    if (depth > 0) text += part.slice(start);
    if (text.length > maxElement)
      throw invalidData(
        file,
        `item ${index + 1}`,
        `is longer than ${maxElement} characters; is it one record?`,
      );
    position += part.length;
  }
  if (!isEnded)
    throw invalidData(
      file,
      `item ${index + 1}`,
      depth === 0
        ? `the file is empty; expected a JSON ${container}`
        : 'the file ends in the middle; copy it again',
    );
}

/** The text of a file, a part at a time. */
function* readParts(file: string): Generator<string> {
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(2 ** 20);
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    for (;;) {
      const length = readSync(handle, buffer);
      if (length === 0) break;
      yield decoder.write(buffer.subarray(0, length));
    }
    yield decoder.end();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw invalidData(file, 'opening it', `${code}; give the path of a JSON file that can be read`);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function parseElement(
  file: string,
  container: 'array' | 'object',
  raw: string,
  index: number,
  end: number,
): JsonElement {
  let value: unknown;
  try {
    value = JSON.parse(container === 'array' ? raw : `{${raw}}`);
  } catch {
    // the parser's own message quotes the file
    throw invalidData(file, `item ${index}`, `is not JSON (it ends at character ${end}); repair the file`);
  }
  if (container === 'array') return { value, place: `item ${index}` };
  const [entry] = Object.entries(value as Record<string, unknown>);
  if (entry === undefined) throw invalidData(file, `item ${index}`, 'has no key; expected "key": value');
  return { key: entry[0], value: entry[1], place: `"${entry[0].slice(0, 40)}"` };
}

/**
 * Reads a file with a record per line (JSONL), or with a JSON array of records.
 *
 * @throws plugin.failed where the file is missing or a record is not JSON
 */
export function* readRecords(file: string): Generator<JsonElement> {
  if (firstLetter(file) === '[') yield* readElements(file, 'array');
  else yield* readLines(file);
}

/** The first character that is no white space. */
function firstLetter(file: string): string {
  for (const part of readParts(file)) {
    const found = part.replace(/^[\s\ufeff]+/, '');
    if (found !== '') return found[0]!;
  }
  return '';
}

function* readLines(file: string): Generator<JsonElement> {
  let number = 0;
  let rest = '';
  const parse = (line: string): JsonElement | undefined => {
    number++;
    const place = `line ${number}`;
    // a mark at the start of a file is white space to `trim`
    if (line.trim() === '') return undefined;
    try {
      return { value: JSON.parse(line.trim()), place };
    } catch {
      // the parser's own message quotes the file
      throw invalidData(file, place, 'is not JSON; expected one record per line, or a JSON array of records');
    }
  };
  for (const part of readParts(file)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxElement)
      throw invalidData(
        file,
        `line ${number + lines.length + 1}`,
        `is longer than ${maxElement} characters; expected one record per line`,
      );
    for (const line of lines) {
      const record = parse(line);
      if (record !== undefined) yield record;
    }
  }
  const last = parse(rest);
  if (last !== undefined) yield last;
}
