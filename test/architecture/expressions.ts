/** @file Finds the regular expressions in the sources, and texts that make a bad one slow. */
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import type { AST } from '@eslint-community/regexpp';
import ts from 'typescript';

export interface Expression {
  /** `path:line` */
  readonly place: string;
  /** undefined when it is built at run time */
  readonly regex: RegExp | undefined;
  readonly text: string;
  /** why it may be slow or put together: what follows `-- ` in the mark above it */
  readonly reason: string | undefined;
}

/** The eslint comment that allows a slow expression, or our comment for one built at run time; both need a reason. */
const mark = /(?:eslint-disable-next-line regexp\/no-super-linear-\w+|built from) -- (\S.{9,})$/;

/** Lists regular expression literals and arguments of `RegExp`. */
export function expressionsOf(path: string, text: string): Expression[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    const regex = regexOf(node);
    if (regex !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      const reason = mark.exec(lines[line - 1] ?? '')?.[1];
      found.push({ place: `${path}:${line + 1}`, regex: regex ?? undefined, text: node.getText(), reason });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The expression of a node; null when it is built at run time, undefined when the node is not one. */
function regexOf(node: ts.Node): RegExp | null | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
  }
  const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
  if (!isCall || !ts.isIdentifier(node.expression) || node.expression.text !== 'RegExp') return undefined;
  const given = (node.arguments ?? []).map((argument) =>
    ts.isStringLiteralLike(argument) ? argument.text : undefined,
  );
  const [pattern, flags = ''] = given;
  return pattern === undefined || given.includes(undefined) ? null : new RegExp(pattern, flags);
}

/**
 * Whether a match may be of any length. One that repeats nothing, or only a few times, looks at so many characters from
 * each place where it may begin, and therefore needs time linear in the length of the text, whatever that is.
 */
export function isRepetitive(regex: RegExp): boolean {
  let most = 1;
  visitRegExpAST(new RegExpParser().parseLiteral(String(regex)), {
    onQuantifierEnter: ({ max }) => void (most *= Math.max(1, max)),
  });
  return most > 1000;
}

/** A text of any length: `before`, repetitions of `piece`, `after`. */
export interface Hostile {
  readonly before: string;
  readonly piece: string;
  readonly after: string;
}

const common = ['a', '0', ' ', '\n', '"', '\\', '/', '-', '.', '\u{0}'];

/** Texts that repeat pieces of the expression and end unexpectedly. */
export function hostileTexts(regex: RegExp): Hostile[] {
  const { pattern } = new RegExpParser().parseLiteral(String(regex));
  const letters = lettersOf(regex);
  const pieces = new Set<string>(letters);
  const befores = new Set<string>(['']);
  for (const one of letters.slice(0, 10)) for (const other of letters.slice(0, 10)) pieces.add(one + other);
  collect(pattern, letters, pieces, befores);
  const afters = ['', '\u{1}', '\n\u{1}\n\u{1}'];
  return [...pieces].flatMap((piece) =>
    [...befores].slice(0, 6).flatMap((before) => afters.map((after) => ({ before, piece, after }))),
  );
}

/** Characters that occur in the expression, and some that any class may contain. */
function lettersOf(regex: RegExp): string[] {
  const plain = regex.source.replace(/\\[a-zA-Z]|\\/g, '');
  return [...new Set([...new Set(plain), ...common])].filter((letter) => !'()|*+?^$'.includes(letter));
}

function collect(pattern: AST.Pattern, letters: string[], pieces: Set<string>, befores: Set<string>): void {
  const walk = (alternatives: readonly AST.Alternative[], before: string): void => {
    for (const { elements } of alternatives) {
      let so = before;
      for (const element of elements) {
        if (element.type === 'Quantifier' && element.max > 1000) {
          befores.add(so);
          for (const text of samplesOf(element.element, letters)) if (text !== '') pieces.add(text);
        }
        const inner = element.type === 'Quantifier' ? element.element : element;
        if ('alternatives' in inner) walk(inner.alternatives, so);
        so += samplesOf(element, letters)[0] ?? '';
      }
      // repeated starts of a match: the engine tries to match from each of them
      if (so !== '') pieces.add(so).add(so.slice(0, -1) || so);
    }
  };
  walk(pattern.alternatives, '');
}

/** Some texts that match a part of an expression. */
function samplesOf(element: AST.Element, letters: readonly string[]): string[] {
  switch (element.type) {
    case 'Character':
      return [String.fromCodePoint(element.value)];
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass': {
      const one = new RegExp(`^(?:${element.raw})$`, 'us');
      return letters.filter((letter) => one.test(letter)).slice(0, 6);
    }
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.flatMap(({ elements }) => [
        elements.map((inner) => samplesOf(inner, letters)[0] ?? '').join(''),
        elements.map((inner) => samplesOf(inner, letters).at(-1) ?? '').join(''),
      ]);
    case 'Quantifier':
      return samplesOf(element.element, letters).map((text) => text.repeat(Math.max(1, element.min)));
    default:
      return [''];
  }
}
