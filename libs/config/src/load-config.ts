/**
 * @file Reads one YAML file into plain values that remember where they were written.
 * Limits keep a hostile file from costing memory: size, alias expansion, depth; keys may not repeat.
 */
import { readFileSync, statSync } from 'node:fs';
import { parse } from 'node:path';
import { AppError } from '@espalier/contracts';
import { isNode, isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { isRecord, joinPath, leaves } from './json.js';

const maxBytes = 1024 * 1024;
const maxAliases = 100;
const maxDepth = 32;

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
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason =
      (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (cause as Error).message;
    const missing = reason === 'no such file';
    throw new AppError('config.unreadable', `${path}: ${reason}; name a readable YAML file`, {
      cause,
      details: { path, missing },
    });
  }
}

/** Parses YAML text as {@link loadConfig} does; `file` is its name in messages. */
export function parseConfig(text: string, file: string): ConfigInput {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    strict: true,
    prettyErrors: false,
  });
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    throw new AppError(
      'config.unreadable',
      `${file}:${place(problem.pos[0])}: ${problem.message}; correct the YAML`,
    );
  }
  const positions = new Map<string, string>();
  visit(document, (_key, node, ancestors) => {
    if (ancestors.length > maxDepth * 2)
      throw new AppError('config.unreadable', `${file}: nested deeper than ${maxDepth}`);
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
  const origins = new Map<string, Origin>(leaves(value).map(([path]) => [path, 'file']));
  return { file, value, origins, positions };
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
