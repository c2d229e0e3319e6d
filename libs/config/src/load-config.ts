/**
 * @file Reads one YAML file into plain values that remember where they were written.
 * Limits keep a hostile file from costing memory: size, alias expansion, depth; keys may not repeat.
 */
import { readFileSync, statSync } from 'node:fs';
import { parse } from 'node:path';
import { AppError } from '@espalier/contracts';
import { isNode, isPair, isScalar, Lexer, LineCounter, parseDocument, Parser, visit } from 'yaml';
import { isRecord, joinPath, leaves } from './json.js';

/** Far more than any configuration; what checks cost grows with the square of it. */
const maxBytes = 64 * 1024;
const maxAliases = 100;
const maxDepth = 32;
/** of the syntax, where one level of values may have several */
const maxSyntaxDepth = maxDepth * 4;
const tooDeep = `nested deeper than ${maxDepth}, or an alias inside what it stands for; write it flatter`;

/** Plain YAML 1.2 only: no merge keys, no tags that make sets, maps or bytes, whatever a file asks for. */
const yamlOptions = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: true,
  strict: true,
  prettyErrors: false,
} as const;

/** Where a value was written by a person. */
export type Origin = 'file' | '--set';

/** What a person wrote, with the origin of each leaf and the position of each key. */
export interface ConfigInput {
  /** name for messages */
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** by dotted path of the leaf */
  readonly origins: ReadonlyMap<string, Origin>;
  /** `line:column` by dotted path of the key */
  readonly positions: ReadonlyMap<string, string>;
  /** what the file is called, as far as it can be the name of a run; absent for what is no file */
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

/** `Config/My run.yaml` → `my-run`; empty when nothing is left. */
function nameOf(path: string): string {
  const words = parse(path)
    .name.toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).join('-');
}

function readText(path: string): string {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new RangeError('a folder');
    const { size } = stats;
    if (size > maxBytes) throw new RangeError(`${size} bytes; at most ${maxBytes} are read`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const known = code === 'ENOENT' ? 'no such file' : undefined;
    const reason = known ?? (code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not text in UTF-8' : message);
    const missing = reason === 'no such file';
    throw new AppError('config.unreadable', `${path}: ${reason}; name a readable YAML file`, {
      cause,
      details: { path, missing },
    });
  }
}

/** Parses YAML text as {@link loadConfig} does; `file` is its name in messages. */
export function parseConfig(text: string, file: string): ConfigInput {
  const control = findControlCharacter(text);
  if (control !== undefined) {
    const { at, name } = control;
    throw new AppError('config.unreadable', `${file}: ${name} at character ${at}; name a text in YAML`);
  }
  if (!hasShallowSyntax(text)) throw new AppError('config.unreadable', `${file}: ${tooDeep}`);
  const lines = new LineCounter();
  const document = parseDocument(text, { ...yamlOptions, lineCounter: lines });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    throw new AppError('config.unreadable', `${file}:${place(problem.pos[0])}: ${describeFlaw(problem)}`);
  }
  const positions = new Map<string, string>();
  visit(document, (_key, node, ancestors) => {
    if (ancestors.length > maxDepth * 2) throw new AppError('config.unreadable', `${file}: ${tooDeep}`);
    if (isPair(node) && isNode(node.key) && !isScalar(node.key)) {
      const [at] = node.key.range ?? [0];
      throw new AppError(
        'config.unreadable',
        `${file}:${place(at)}: a key that is a list, a mapping or an alias; write keys as plain words`,
      );
    }
    if (isPair(node) && isNode(node.key) && node.key.range) {
      positions.set(joinPath(pathOf([...ancestors, node])), place(node.key.range[0]));
    }
  });
  const value = expand(() => document.toJS({ maxAliasCount: maxAliases }) as unknown, file) ?? {};
  if (!isRecord(value))
    throw new AppError('config.unreadable', `${file}: the top level is no mapping; write keys and values`);
  if (!isShallow(value, maxDepth)) throw new AppError('config.unreadable', `${file}: ${tooDeep}`);
  const origins = new Map<string, Origin>(leaves(value).map(([path]) => [path, 'file']));
  return { file, value, origins, positions };
}

/**
 * Parses YAML that is one value, as strictly as a file.
 *
 * @throws SyntaxError saying what is wrong
 */
export function parseValue(text: string): unknown {
  if (text.length > maxBytes)
    throw new SyntaxError(`${text.length} characters; at most ${maxBytes} are read`);
  if (!hasShallowSyntax(text)) throw new SyntaxError(tooDeep);
  const document = parseDocument(text, yamlOptions);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new SyntaxError(describeFlaw(problem));
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (!isShallow(value, maxDepth)) throw new SyntaxError(tooDeep);
  return value;
}

function describeFlaw({ message }: Error): string {
  return `${message.slice(0, 200)}; correct the YAML`;
}

/**
 * Looks at the nesting before anything is composed: the composer calls itself for each level, and a regular expression
 * that is first compiled near the end of the stack aborts the whole process. The parser of the syntax keeps a stack of
 * its own and stops here at the first level too many.
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

function expand(read: () => unknown, file: string): unknown {
  try {
    return read();
  } catch (cause) {
    throw new AppError('config.unreadable', `${file}: ${(cause as Error).message}; write the values out`, {
      cause,
    });
  }
}

/** Path of a pair, from the chain of nodes above it. */
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
