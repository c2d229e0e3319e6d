import { AppError } from '@espalier/contracts';

/** arrays and objects in each other; what a plugin defines is a tenth of that, and a stack ends at some thousand */
const maxDepth = 256;

/**
 * Refuses a value from JSON that nests so deep that whoever recurses into it would exhaust the stack.
 *
 * @throws server.malformed
 */
export function checkDepth(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth)
      throw new AppError(
        'server.malformed',
        `read the request: its JSON is nested more than ${maxDepth} deep; send it flatter`,
      );
    level = level.filter(isNested).flatMap((each) => Object.values(each));
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
