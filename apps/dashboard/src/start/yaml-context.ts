/** @file Where a cursor stands in a YAML text that is being written, and so may not parse: block style and `{ … }` on a line. */

export interface YamlContext {
  /** of the mapping that a key would be added to, or that the value belongs to */
  readonly path: readonly (string | number)[];
  /** set where a value is being written */
  readonly key?: string;
  /** what is written of the word so far */
  readonly word: string;
}

interface Line {
  readonly indent: number;
  readonly dashes: number;
  readonly key: string | undefined;
  /** nothing but a comment follows the key */
  readonly isOpen: boolean;
}

const readLine = (text: string): Line => {
  const [whole = '', space = '', dashes = '', key] =
    /^(\s*)((?:-\s+)*)(?:([\w.-]+)\s*:(?:\s|$))?/.exec(text) ?? [];
  const rest = text.slice(whole.length).trimStart();
  const isOpen = key !== undefined && (rest === '' || rest.startsWith('#'));
  return { indent: space.length, dashes: dashes.length, key, isOpen };
};

/** The end of a text that belongs to one word. */
export function wordBefore(text: string): string {
  let start = text.length;
  while (start > 0 && /[\w.-]/.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start);
}

/** The context at an offset of a text. */
export function contextAt(text: string, offset: number): YamlContext {
  const lines = text.slice(0, offset).split('\n');
  const current = lines.at(-1) ?? '';
  const word = wordBefore(current);
  const { indent, dashes } = readLine(current);
  const outer = ancestors(lines.slice(0, -1), indent + dashes, dashes > 0 ? indent : undefined);
  const item = dashes > 0 ? [...outer, itemNumber(lines, indent)] : outer;
  return within(current.slice(indent + dashes), item, word);
}

/** Keys of the lines above that are less and less indented. */
function ancestors(lines: readonly string[], column: number, dash: number | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  // a key may stand right above the dashes of its list, another item may not
  let limit = dash === undefined ? column : dash + 1;
  let itemLimit = dash ?? column;
  for (let at = lines.length - 1; at >= 0 && limit > 0; at--) {
    const text = lines[at] ?? '';
    if (text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const { indent, dashes, key, isOpen } = readLine(text);
    const start = indent + dashes;
    if (start < limit && isOpen && key !== undefined) {
      path.unshift(key);
      limit = start;
      itemLimit = Math.min(itemLimit, start);
    }
    if (dashes > 0 && indent < itemLimit && (start <= column || isOpen)) {
      path.unshift(itemNumber(lines.slice(0, at + 1), indent));
      limit = indent + 1;
      itemLimit = indent;
    } else if (start < limit && !isOpen) limit = Math.min(limit, start + 1);
  }
  return path;
}

/** The number of the list item that the last line with a dash at a column begins. */
function itemNumber(lines: readonly string[], column: number): number {
  let count = -1;
  for (let at = lines.length - 1; at >= 0; at--) {
    const { indent, dashes } = readLine(lines[at] ?? '');
    if ((lines[at] ?? '').trim() === '') continue;
    if (indent === column && dashes > 0) count += 1;
    if (indent < column || (indent === column && dashes === 0)) break;
  }
  return Math.max(0, count);
}

/** Goes through `key: { key: [ { …` on the line of the cursor. */
function within(line: string, outer: readonly (string | number)[], word: string): YamlContext {
  const stack: (string | number)[][] = [[...outer]];
  let key: string | undefined;
  let token = '';
  let isQuoted = false;
  const items: number[] = [];
  for (const character of line) {
    if (character === '"' || character === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    const path = stack.at(-1) ?? [];
    if (character === ':') {
      key = token.trim();
      token = '';
    } else if (character === '{' || character === '[') {
      const isList = items.length === stack.length - 1 && items.length > 0 && (items.at(-1) ?? -1) >= 0;
      const inner = key !== undefined ? [...path, key] : isList ? [...path, items.at(-1) ?? 0] : [...path];
      stack.push(inner);
      items.push(character === '[' ? 0 : -1);
      key = undefined;
      token = '';
    } else if (character === '}' || character === ']') {
      if (stack.length > 1) stack.pop();
      items.pop();
      key = undefined;
      token = '';
    } else if (character === ',' && stack.length > 1) {
      const last = items.length - 1;
      if ((items[last] ?? -1) >= 0) items[last] = (items[last] ?? 0) + 1;
      key = undefined;
      token = '';
    } else token += character;
  }
  const path = stack.at(-1) ?? [];
  return key === undefined ? { path, word } : { path, key, word };
}
