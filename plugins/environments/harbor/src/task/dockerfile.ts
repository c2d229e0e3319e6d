/**
 * @file The part of a Dockerfile that can be carried out without a container: one stage, whose base is taken to be this machine, and
 * files, folders and variables on top of it.
 */

import { fixedVariables } from '../sandbox/sandbox.js';

/** What is done before an episode, in order. */
export type BuildStep =
  | {
      readonly kind: 'copy';
      readonly sources: readonly string[];
      readonly target: string;
      readonly line: number;
    }
  | { readonly kind: 'run'; readonly command: string; readonly folder: string; readonly line: number }
  | { readonly kind: 'folder'; readonly path: string };

export interface Dockerfile {
  readonly steps: readonly BuildStep[];
  readonly workdir: string;
  /** those of ENV */
  readonly variables: Readonly<Record<string, string>>;
  /** why it needs a container, each with its line */
  readonly obstacles: readonly string[];
}

/** Words of commands that get software from elsewhere. */
const installers = new Set(
  'add-apt-repository apk apt apt-get aptitude brew bun bunx cargo conda curl dnf gem go mamba microdnf npm npx pip pip3 pipx pnpm poetry uv uvx wget yarn yum'.split(
    ' ',
  ),
);

/** What has no effect where commands are run one by one. */
const passedOver = new Set(['CMD', 'ENTRYPOINT', 'EXPOSE', 'LABEL', 'MAINTAINER', 'STOPSIGNAL']);

/** Reads a Dockerfile; `installs` passes over what installs packages. */
export function parseDockerfile(text: string, installs: 'refuse' | 'assume'): Dockerfile {
  const steps: BuildStep[] = [];
  const obstacles: string[] = [];
  const variables: Record<string, string> = {};
  const argumentsOfBuild: Record<string, string> = {};
  let workdir = '/';
  let stages = 0;
  const valueOf = (name: string): string | undefined =>
    [variables, argumentsOfBuild, fixedVariables].find((known) => Object.hasOwn(known, name))?.[name];
  for (const { line, keyword, rest } of instructionsOf(text)) {
    const refuse = (why: string): void => void obstacles.push(`Dockerfile:${line}: ${why}`);
    const fill = (value: string): string => expand(value, valueOf, refuse);
    if (passedOver.has(keyword)) continue;
    if (keyword === 'FROM') {
      if (++stages === 2) refuse('it has several stages');
    } else if (keyword === 'WORKDIR') {
      workdir = resolvePath(workdir, fill(unquote(rest))).replace(/(.)\/$/, '$1');
      steps.push({ kind: 'folder', path: workdir });
    } else if (keyword === 'ENV') Object.assign(variables, pairsOf(rest, fill));
    else if (keyword === 'ARG') {
      const [name = '', value = ''] = splitAtFirst(rest, '=');
      argumentsOfBuild[name] = fill(unquote(value));
    } else if (keyword === 'USER') {
      if (!['root', '0', '0:0', 'root:root'].includes(rest)) refuse(`it runs as user ${rest}`);
    } else if (keyword === 'COPY') {
      const copy = readCopy(rest, fill);
      if (typeof copy === 'string') refuse(copy);
      else steps.push({ kind: 'copy', ...copy, target: resolvePath(workdir, copy.target), line });
    } else if (keyword === 'RUN') {
      const command = readRun(rest);
      if (command.includes('<<')) {
        refuse('it has a file within');
        continue;
      }
      const installer = (command.match(/[\w.+-]+/g) ?? []).find((word) => installers.has(word));
      if (installer === undefined) steps.push({ kind: 'run', command, folder: workdir, line });
      else if (installs === 'refuse') refuse(`it gets software with ${installer}`);
    } else refuse(`${keyword} needs a container`);
  }
  return { steps, workdir, variables, obstacles };
}

/** Fills in `$NAME`, `${NAME}` and `${NAME:-default}`; `refuse` is told what has no value. */
function expand(
  text: string,
  valueOf: (name: string) => string | undefined,
  refuse: (why: string) => void,
): string {
  return text.replaceAll(/\\\$|\$(?:\{([^${}]*\}?)|(\w+))/g, (found, braced?: string, plain?: string) => {
    if (found === '\\$') return '$';
    const [, name = plain, spare] = /^(\w+)(?::-(.*))?\}$/.exec(braced ?? '') ?? [];
    const value = name === undefined ? undefined : valueOf(name);
    if (spare !== undefined) return value === undefined || value === '' ? spare : value;
    if (name === undefined)
      refuse(`it has ${found}, where only $NAME, \${NAME} and \${NAME:-default} are understood`);
    else if (value === undefined)
      refuse(`it takes ${name} from its base image, which is not known here: write \${${name}:-default}`);
    return value ?? '';
  });
}

interface Instruction {
  readonly line: number;
  readonly keyword: string;
  readonly rest: string;
}

/** Instructions with continued lines joined; comments left out. */
function instructionsOf(text: string): Instruction[] {
  const found: Instruction[] = [];
  let held = '';
  let begin = 0;
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    if (raw.trim() === '' || raw.trimStart().startsWith('#')) continue;
    if (held === '') begin = at + 1;
    const isContinued = /\\\s*$/.test(raw);
    held += isContinued ? `${raw.replace(/\\\s*$/, '')} ` : raw;
    if (isContinued) continue;
    const [keyword, rest] = splitAtFirst(held.trim().replace('\t', ' '), ' ');
    found.push({ line: begin, keyword: keyword.toUpperCase(), rest: rest.trim() });
    held = '';
  }
  return found;
}

/** Sources and target of COPY, or why it cannot be done. */
function readCopy(
  rest: string,
  fill: (value: string) => string,
): { readonly sources: readonly string[]; readonly target: string } | string {
  let left = rest;
  for (
    let flag = /^--(\w+)(?:=\S+)?\s+/.exec(left);
    flag !== null;
    flag = /^--(\w+)(?:=\S+)?\s+/.exec(left)
  ) {
    if (flag[1] === 'from') return 'it copies from another image';
    left = left.slice(flag[0].length);
  }
  if (left.startsWith('<<')) return 'it has a file within';
  const words = left.startsWith('[') ? listOf(left) : left.split(/\s+/).map(unquote);
  const [target, ...sources] = (words ?? []).map(fill).reverse();
  if (target === undefined || sources.length === 0) return 'COPY has no sources and target';
  if (sources.some((source) => /[*?[]/.test(source))) return 'it copies by a pattern';
  // a folder is what several sources go into
  return {
    sources: sources.reverse(),
    target: sources.length > 1 && !target.endsWith('/') ? `${target}/` : target,
  };
}

function readRun(rest: string): string {
  const command = rest.replace(/^(--\w+(=\S+)?\s+)+/, '');
  const words = command.startsWith('[') ? listOf(command) : undefined;
  return words === undefined
    ? command
    : words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
}

function listOf(text: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** `A=1 B="two words"`, or the old form `A one value`. */
function pairsOf(rest: string, fill: (value: string) => string): Record<string, string> {
  if (!/^\w+=/.test(rest)) {
    const [name = '', value = ''] = splitAtFirst(rest, ' ');
    return { [name]: fill(value.trim()) };
  }
  const pairs: Record<string, string> = {};
  for (const [, name = '', value = ''] of rest.matchAll(/\b(\w+)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/g))
    pairs[name] = value.startsWith("'") ? unquote(value) : fill(unquote(value));
  return pairs;
}

function splitAtFirst(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

const unquote = (text: string): string => /^(["'])(.*)\1$/s.exec(text.trim())?.[2] ?? text.trim();

/** A path of the container; a slash at the end, or dots, make a target a folder, with a slash. */
export function resolvePath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : folder}/${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const isFolder = /(^|\/)\.{0,2}$/.test(path) && parts.length > 0;
  return `/${parts.join('/')}${isFolder ? '/' : ''}`;
}
