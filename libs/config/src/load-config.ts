/**
 * @file Reads a YAML file into plain values with their source positions. Limits on size, alias expansion and depth keep
 * a hostile file from exhausting memory; keys must be unique.
 */
import { readFileSync, statSync } from 'node:fs';
import { parse } from 'node:path';
import { AppError } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';
import {
  type Document,
  isNode,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  parseDocument,
  Parser,
  visit,
} from 'yaml';
import { joinPath, leaves } from './json.js';

/** Far more than any configuration needs; the cost of checks grows quadratically. */
const maxBytes = 64 * 1024;
const maxAliases = 100;
const maxDepth = 32;
/** one level of values may take several levels of syntax */
const maxSyntaxDepth = maxDepth * 4;
const tooDeep = `nested more than ${maxDepth} levels deep, or an alias that contains itself; flatten it`;

/** Plain YAML 1.2: no merge keys, no tags for sets, maps or bytes, whatever a file declares. */
const yamlOptions = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  // findRepeatedKey does it in linear time
  uniqueKeys: false,
  strict: true,
  prettyErrors: false,
} as const;

/** Where a value was set. */
export type Origin = 'file' | '--set';

/** A configuration with the origin of each leaf and the position of each key. */
export interface ConfigInput {
  /** name in messages */
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** by dotted path of the leaf */
  readonly origins: ReadonlyMap<string, Origin>;
  /** `line:column` by dotted path of the key */
  readonly positions: ReadonlyMap<string, string>;
  /** the file name as a valid run name; absent if there is no file */
  readonly fileName?: string;
}

/**
 * Loads a YAML file.
 *
 * @throws config.unreadable when it is missing, too large, too deep, not YAML, or repeats a key
 */
export function loadConfig(path: string): ConfigInput {
  const fileName = nameOf(path);
  return { ...parseConfig(readText(path), path), ...(fileName === '' ? {} : { fileName }) };
}

/** `Config/My run.yaml` → `my-run`; empty when no valid character remains. */
function nameOf(path: string): string {
  const words = parse(path)
    .name.toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).join('-');
}

function readText(path: string): string {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new RangeError('it is a folder');
    const { size } = stats;
    if (size > maxBytes) throw new RangeError(`${size} bytes; the limit is ${maxBytes}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const known = code === 'ENOENT' ? 'no such file' : undefined;
    const reason = known ?? (code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not UTF-8 text' : message);
    const missing = reason === 'no such file';
    throw new AppError('config.unreadable', `${path}: ${reason}; name a readable YAML file`, {
      cause,
      details: { path, missing },
    });
  }
}

/** Parses YAML text like {@link loadConfig}; `file` is its name in messages. */
export function parseConfig(text: string, file: string): ConfigInput {
  const control = findControlCharacter(text);
  if (control !== undefined) {
    const { at, name } = control;
    throw new AppError('config.unreadable', `${file}: ${name} at character ${at}; expected YAML text`);
  }
  if (!hasShallowSyntax(text)) throw new AppError('config.unreadable', `${file}: ${tooDeep}`);
  const lines = new LineCounter();
  const document = parseDocument(text, { ...yamlOptions, lineCounter: lines });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const problem = findProblem(document);
  if (problem !== undefined)
    throw new AppError(
      'config.unreadable',
      `${file}:${place(problem.at)}: ${describeSyntaxError(problem.message)}`,
    );
  const positions = new Map<string, string>();
  visit(document, (_key, node, ancestors) => {
    if (ancestors.length > maxDepth * 2) throw new AppError('config.unreadable', `${file}: ${tooDeep}`);
    if (isPair(node) && isNode(node.key) && !isScalar(node.key)) {
      const [at] = node.key.range ?? [0];
      throw new AppError(
        'config.unreadable',
        `${file}:${place(at)}: a key is a list, a mapping or an alias; write keys as plain words`,
      );
    }
    if (isPair(node) && isNode(node.key) && node.key.range) {
      positions.set(joinPath(pathOf([...ancestors, node])), place(node.key.range[0]));
    }
  });
  const value = expandAliases(() => document.toJS({ maxAliasCount: maxAliases }) as unknown, file) ?? {};
  if (!isRecord(value))
    throw new AppError('config.unreadable', `${file}: the top level is not a mapping; write keys and values`);
  if (!isShallow(value, maxDepth)) throw new AppError('config.unreadable', `${file}: ${tooDeep}`);
  const origins = new Map<string, Origin>(leaves(value).map(([path]) => [path, 'file']));
  return { file, value, origins, positions };
}

/**
 * Parses a single YAML value as strictly as a file.
 *
 * @throws SyntaxError
 */
export function parseValue(text: string): unknown {
  if (text.length > maxBytes) throw new SyntaxError(`${text.length} characters; the limit is ${maxBytes}`);
  if (!hasShallowSyntax(text)) throw new SyntaxError(tooDeep);
  const document = parseDocument(text, yamlOptions);
  const problem = findProblem(document);
  if (problem !== undefined) throw new SyntaxError(describeSyntaxError(problem.message));
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (!isShallow(value, maxDepth)) throw new SyntaxError(tooDeep);
  return value;
}

interface Problem {
  /** offset in the text */
  readonly at: number;
  readonly message: string;
}

/** Finds the first problem of a document. */
function findProblem(document: Document.Parsed): Problem | undefined {
  const [problem] = [...document.errors, ...document.warnings];
  return problem === undefined ? findRepeatedKey(document) : { at: problem.pos[0], message: problem.message };
}

function findRepeatedKey(document: Document.Parsed): Problem | undefined {
  let repeated: Problem | undefined;
  visit(document, {
    Map(_key, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) {
          repeated = { at: key.range?.[0] ?? 0, message: 'Map keys must be unique' };
          return visit.BREAK;
        }
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return repeated;
}

function describeSyntaxError(message: string): string {
  return `${message.slice(0, 200)}; correct the YAML`;
}

/**
 * Checks the nesting before composing: the composer recurses for each level, and V8 aborts the process when a regular
 * expression is first compiled near the end of the stack. The parser keeps an explicit stack, so this check can stop at
 * the first level too many.
 */
function hasShallowSyntax(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)) if (parser.stack.length > maxSyntaxDepth) return false;
    if (parser.stack.length > maxSyntaxDepth) return false;
  }
  return true;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((entry) => isShallow(entry, levels - 1));
}

function findControlCharacter(text: string): { readonly at: number; readonly name: string } | undefined {
  const at = text.search(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/);
  if (at < 0) return undefined;
  return { at, name: `the control character 0x${text.charCodeAt(at).toString(16).padStart(2, '0')}` };
}

function expandAliases(read: () => unknown, file: string): unknown {
  try {
    return read();
  } catch (cause) {
    throw new AppError('config.unreadable', `${file}: ${(cause as Error).message}; write the values out`, {
      cause,
    });
  }
}

/** The path of a pair, from its ancestors. */
function pathOf(chain: readonly unknown[]): string[] {
  const path: string[] = [];
  chain.forEach((node, index) => {
    if (isPair(node)) path.push(isScalar(node.key) ? String(node.key.value) : String(node.key));
    const above = chain[index - 1] as { items?: unknown[] } | undefined;
    if (!isPair(node) && Array.isArray(above?.items) && above.items.includes(node))
      path.push(String(above.items.indexOf(node)));
  });
  return path;
}
