/** @file The calculator: numbers, + − × ÷ and brackets; by recursive descent, never by running the text. */

/** Longest expression, and deepest brackets. */
const maxLength = 500;
const maxDepth = 50;

/** The value of an expression; undefined where it is none. */
export function calculate(text: string): number | undefined {
  if (text.length > maxLength) return undefined;
  const tokens = text.match(/\d+(?:\.\d+)?|\.\d+|[-+*/()]|\S/g) ?? [];
  let at = 0;
  let depth = 0;
  const sum = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-') value += tokens[at++] === '+' ? product() : -product();
    return value;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === '*' || tokens[at] === '/') {
      const isTimes = tokens[at++] === '*';
      const other = factor();
      value = isTimes ? value * other : value / other;
    }
    return value;
  };
  const factor = (): number => {
    let sign = 1;
    while (tokens[at] === '-' || tokens[at] === '+') if (tokens[at++] === '-') sign = -sign;
    const token = tokens[at++];
    if (token !== '(') return token === undefined ? NaN : sign * Number(token);
    if (++depth > maxDepth) return NaN;
    const value = sum();
    depth -= 1;
    return tokens[at++] === ')' ? sign * value : NaN;
  };
  const value = sum();
  return at === tokens.length && Number.isFinite(value) ? value : undefined;
}
