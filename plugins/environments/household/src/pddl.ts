/** @file Reads PDDL: nested lists in lower case with their lines, and the parts of a problem. */
import { AppError } from '@espalier/plugin-kit';

/** A list of PDDL, or a word. */
export type Expression = string | readonly Expression[];

/** What a fact or an action is about: a predicate and its arguments. */
export interface Fact {
  readonly name: string;
  readonly args: readonly string[];
}

export interface Problem {
  /** name → type */
  readonly objects: ReadonlyMap<string, string>;
  readonly facts: readonly Fact[];
  readonly goal: Expression;
}

/** The error for a game that cannot be played. */
export function invalidGame(file: string, finding: string): AppError {
  return new AppError('plugin.failed', `read ${file}: ${finding}`, { details: { file } });
}

/** No problem is nested deeper. */
const maxDepth = 64;

/**
 * Reads the one list that a text consists of; comments are left out.
 *
 * @throws plugin.failed with file and line
 */
export function readExpression(text: string, file: string): readonly Expression[] {
  const open: { readonly items: Expression[]; readonly line: number }[] = [];
  let whole: readonly Expression[] | undefined;
  let line = 1;
  const fail = (finding: string, at = line): AppError => invalidGame(file, `line ${at}: ${finding}`);
  for (const [token] of text.matchAll(/\n|;[^\n]*|[()]|[^\s();]+/g)) {
    if (token === '\n') line++;
    else if (token.startsWith(';')) continue;
    else if (whole !== undefined)
      throw fail(`"${token.slice(0, 40)}" follows the last parenthesis; remove it`);
    else if (token === '(') {
      if (open.length >= maxDepth)
        throw fail(`lists are nested deeper than ${maxDepth}; give a game of ALFWorld`);
      open.push({ items: [], line });
    } else if (token === ')') {
      const closed = open.pop();
      if (closed === undefined) throw fail('a parenthesis closes nothing; remove it');
      const outer = open.at(-1);
      if (outer === undefined) whole = closed.items;
      else outer.items.push(closed.items);
    } else {
      const outer = open.at(-1);
      if (outer === undefined)
        throw fail(`"${token.slice(0, 40)}" is in no list; give PDDL that begins with (`);
      outer.items.push(token.toLowerCase());
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw fail('this list has no end; close it', unclosed.line);
  if (whole === undefined) throw invalidGame(file, 'it has no list; give PDDL that begins with (');
  return whole;
}

/** Whether an expression is a list with this first word. */
export function isList(
  expression: Expression | undefined,
  head: string,
): expression is readonly Expression[] {
  return Array.isArray(expression) && expression[0] === head;
}

/** Reads `a b - type c - other`; words without a type have the type `object`. */
export function readTyped(words: readonly Expression[]): readonly (readonly [string, string])[] {
  const typed: (readonly [string, string])[] = [];
  let names: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (typeof word !== 'string') continue;
    if (word === '-') {
      const type = words[++at];
      for (const name of names) typed.push([name, typeof type === 'string' ? type : 'object']);
      names = [];
    } else names.push(word);
  }
  return [...typed, ...names.map((name) => [name, 'object'] as const)];
}

/**
 * Reads a problem.
 *
 * @throws plugin.failed where it has no objects, facts or goal
 */
export function readProblem(text: string, file: string): Problem {
  const parts = readExpression(text, file);
  const part = (name: string): readonly Expression[] => {
    const found = parts.find((one) => isList(one, name));
    if (!isList(found, name))
      throw invalidGame(file, `the problem has no part (${name} …); give a complete game of ALFWorld`);
    return found.slice(1);
  };
  const facts: Fact[] = [];
  for (const expression of part(':init')) {
    if (!Array.isArray(expression)) continue;
    const [name, ...args] = expression as readonly Expression[];
    // distances and costs are lists of lists
    if (typeof name === 'string' && args.every((arg) => typeof arg === 'string')) facts.push({ name, args });
  }
  const [goal] = part(':goal');
  if (goal === undefined) throw invalidGame(file, 'the goal is empty; give a complete game of ALFWorld');
  return { objects: new Map(readTyped(part(':objects'))), facts, goal };
}
