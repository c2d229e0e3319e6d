/**
 * @file Arithmetic as text: parsed by hand, never by `eval`, and computed exactly with fractions. What may be written is
 * bounded in length, depth and size, so that no answer costs more than a moment.
 */

/** Longest text that is read. */
export const maxLength = 200;
/** Deepest nesting of parentheses, signs and powers. */
const maxDepth = 32;
/** Largest exponent, and most bits of a numerator or denominator. */
const maxExponent = 64n;
const maxBits = 2048;

/**
 * `fractions`: + - * / with exact fractions; `whole`: every division must come out even; `python`: also the // % ** of
 * Python's `eval`.
 */
export type Arithmetic = 'fractions' | 'whole' | 'python';

export type Operator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'negation'; readonly of: Expression }
  | {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    };

/** A fraction in lowest terms; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Why a text has no value. */
class ExpressionError extends Error {}

const sumOperators: readonly string[] = ['+', '-'];
const productOperators: Readonly<Record<Arithmetic, readonly string[]>> = {
  fractions: ['*', '/'],
  whole: ['*', '/'],
  python: ['*', '/', '//', '%'],
};

function tokensOf(text: string): string[] {
  const token = /[ \t]*(\d+|\*\*|\/\/|[-+*/%()])/y;
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  while (token.lastIndex < end) {
    const at = token.lastIndex;
    const found = token.exec(text)?.[1];
    if (found === undefined) throw new ExpressionError(`"${text.slice(at, at + 8)}" is no part of a sum`);
    tokens.push(found);
  }
  return tokens;
}

/** Recursive descent with Python's precedence: a power before a sign before a product before a sum. */
class Parser {
  #at = 0;
  #depth = 0;

  constructor(
    readonly tokens: readonly string[],
    readonly arithmetic: Arithmetic,
  ) {}

  whole(): Expression {
    const expression = this.#sum();
    if (this.#at < this.tokens.length) throw new ExpressionError(`"${this.#next() ?? ''}" is left over`);
    return expression;
  }

  #next(): string | undefined {
    return this.tokens[this.#at];
  }

  #take(options: readonly string[]): Operator | undefined {
    const token = this.#next();
    if (token === undefined || !options.includes(token)) return undefined;
    this.#at += 1;
    return token as Operator;
  }

  #sum(): Expression {
    return this.#row(sumOperators, () => this.#product());
  }

  #product(): Expression {
    return this.#row(productOperators[this.arithmetic], () => this.#signed());
  }

  #row(operators: readonly string[], part: () => Expression): Expression {
    let left = part();
    for (;;) {
      const operator = this.#take(operators);
      if (operator === undefined) return left;
      left = { kind: 'operation', operator, left, right: part() };
    }
  }

  #signed(): Expression {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new ExpressionError(`it nests deeper than ${maxDepth}`);
    const sign = this.#take(sumOperators);
    const expression = sign === undefined ? this.#power() : this.#signed();
    this.#depth -= 1;
    return sign === '-' ? { kind: 'negation', of: expression } : expression;
  }

  #power(): Expression {
    const left = this.#atom();
    const operator = this.arithmetic === 'python' ? this.#take(['**']) : undefined;
    return operator === undefined ? left : { kind: 'operation', operator, left, right: this.#signed() };
  }

  #atom(): Expression {
    const token = this.#next();
    this.#at += 1;
    if (token === '(') {
      const inner = this.#sum();
      if (this.#take([')']) === undefined) throw new ExpressionError('a parenthesis is not closed');
      return inner;
    }
    if (token === undefined || !/^(?:0|[1-9]\d*)$/.test(token))
      throw new ExpressionError(`${token === undefined ? 'the end' : `"${token}"`} stands for no number`);
    return { kind: 'number', value: Number(token) };
  }
}

/** Parses a text; a string says why there is no value. */
export function parseExpression(text: string, arithmetic: Arithmetic): Expression | string {
  if (text.length > maxLength) return `it has more than ${maxLength} characters`;
  try {
    return new Parser(tokensOf(text), arithmetic).whole();
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

/** Computes an expression; a string says why it has no value. */
export function evaluate(expression: Expression, arithmetic: Arithmetic): Fraction | string {
  try {
    return valueOf(expression, arithmetic);
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

function valueOf(expression: Expression, arithmetic: Arithmetic): Fraction {
  if (expression.kind === 'number') return { numerator: BigInt(expression.value), denominator: 1n };
  if (expression.kind === 'negation') {
    const { numerator, denominator } = valueOf(expression.of, arithmetic);
    return { numerator: -numerator, denominator };
  }
  const left = valueOf(expression.left, arithmetic);
  const right = valueOf(expression.right, arithmetic);
  const value = operate(expression.operator, left, right);
  if (arithmetic === 'whole' && expression.operator === '/' && value.denominator !== 1n)
    throw new ExpressionError('a division does not come out even');
  return value;
}

function operate(operator: Operator, left: Fraction, right: Fraction): Fraction {
  const { numerator: a, denominator: b } = left;
  const { numerator: c, denominator: d } = right;
  switch (operator) {
    case '+':
      return reduce(a * d + c * b, b * d);
    case '-':
      return reduce(a * d - c * b, b * d);
    case '*':
      return reduce(a * c, b * d);
    case '/':
      return divide(left, right);
    case '//':
      return { numerator: floor(divide(left, right)), denominator: 1n };
    case '%':
      return operate('-', left, operate('*', right, operate('//', left, right)));
    case '**':
      return raise(left, right);
  }
}

function divide({ numerator: a, denominator: b }: Fraction, { numerator: c, denominator: d }: Fraction) {
  if (c === 0n) throw new ExpressionError('a division by zero');
  return reduce(a * d, b * c);
}

function floor({ numerator, denominator }: Fraction): bigint {
  const quotient = numerator / denominator;
  return numerator < 0n && numerator % denominator !== 0n ? quotient - 1n : quotient;
}

function raise(base: Fraction, { numerator: exponent, denominator }: Fraction): Fraction {
  const size = exponent < 0n ? -exponent : exponent;
  if (denominator !== 1n || size > maxExponent)
    throw new ExpressionError(`an exponent that is no whole number up to ${maxExponent}`);
  const power = { numerator: base.numerator ** size, denominator: base.denominator ** size };
  return exponent < 0n
    ? divide({ numerator: 1n, denominator: 1n }, power)
    : reduce(power.numerator, power.denominator);
}

function reduce(numerator: bigint, denominator: bigint): Fraction {
  if (numerator.toString(16).length * 4 > maxBits || denominator.toString(16).length * 4 > maxBits)
    throw new ExpressionError('a number that is too large');
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator < 0n ? -denominator : denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  const sign = denominator < 0n ? -1n : 1n;
  return { numerator: (sign * numerator) / a, denominator: (sign * denominator) / a };
}

/** Writes a fraction as `7` or `7/2`. */
export function formatFraction({ numerator, denominator }: Fraction): string {
  return denominator === 1n ? String(numerator) : `${numerator}/${denominator}`;
}

/** The numbers that a text writes, in order; parts of decimal numbers count as numbers of their own, as in RAGEN. */
export function numbersIn(text: string): number[] {
  return Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits));
}

/** `all`: every number exactly once; `some`: each at most once. */
export type NumbersUsed = 'all' | 'some';

/** Whether `used` takes the numbers of `given` by the rule, at least one of them. */
export function usesNumbers(used: readonly number[], given: readonly number[], rule: NumbersUsed): boolean {
  const left = [...given];
  for (const number of used) {
    const at = left.indexOf(number);
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return rule === 'all' ? left.length === 0 : used.length > 0;
}
