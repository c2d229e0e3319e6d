/**
 * @file Refuses GraphQL text that nests brackets so deep that parsing it would exhaust the stack. Strings and comments
 * are passed over; whatever else is wrong is for the parser to say.
 */
import { AppError } from '@espalier/contracts';

/** selections, lists and objects in each other; far beyond what the limit on fields lets through */
const maxNesting = 100;

const pieces = /"""(?:\\"""|[^])*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*|[[({]|[\])}]/g;

/** @throws graphql.too_deep */
export function requireShallow(text: string): void {
  let depth = 0;
  for (const [piece] of text.matchAll(pieces)) {
    if (piece === '{' || piece === '(' || piece === '[') depth += 1;
    else if (piece === '}' || piece === ')' || piece === ']') depth -= 1;
    if (depth > maxNesting)
      throw new AppError(
        'graphql.too_deep',
        `read the operation: brackets are nested more than ${maxNesting} deep; ask for less at once`,
      );
  }
}
