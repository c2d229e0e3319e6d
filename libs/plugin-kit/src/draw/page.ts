/** @file Pages of wrapped text. */
import { spell } from './font.js';
import { type Color, fill, type Raster, raster } from './raster.js';
import { advance, text } from './text.js';

/** A line of a page, wrapped between words; a string is written in the color of the page. */
export type PageLine =
  | string
  | { readonly text: string; readonly color?: Color; readonly background?: Color };

export interface PageStyle {
  /** characters of a line; default 64 */
  readonly columns?: number;
  /** lines after wrapping; of a longer page the rest is left out, and the last line is `...`; default 40 */
  readonly lines?: number;
  readonly color?: Color;
  readonly background?: Color;
}

interface WrittenLine {
  readonly text: string;
  readonly color: Color;
  readonly background: Color;
}

const scale = 2;
const margin = 8;
const lineHeight = 11 * scale;

/** Draws a page as high as its text. */
export function page(lines: readonly PageLine[], style: PageStyle = {}): Raster {
  const { columns = 64, lines: most = 40, color = '#202028', background = '#fcfcf8' } = style;
  const all = lines.flatMap((line): WrittenLine[] => {
    const given = typeof line === 'string' ? { text: line } : line;
    return wrap(given.text, columns).map((part) => ({ color, background, ...given, text: part }));
  });
  const shown = all.length <= most ? all : [...all.slice(0, most - 1), { text: '...', color, background }];
  const height = 2 * margin + shown.length * lineHeight;
  const target = raster(2 * margin + columns * advance * scale, height, background);
  for (const [index, line] of shown.entries()) {
    const top = margin + index * lineHeight;
    if (line.background !== background) fill(target, [0, top, target.width, lineHeight], line.background);
    text(target, [margin, top + 2 * scale - 1], line.text, line.color, scale);
  }
  return target;
}

/** Breaks a text into lines of at most `columns` characters, within a word only where it is longer than a line. */
function wrap(given: string, columns: number): string[] {
  return given.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of spell(paragraph).split(' ')) {
      let rest = word;
      if (line !== '' && line.length + 1 + rest.length > columns) {
        lines.push(line);
        line = '';
      }
      for (; rest.length > columns; rest = rest.slice(columns)) lines.push(rest.slice(0, columns));
      line = line === '' ? rest : `${line} ${rest}`;
    }
    return [...lines, line];
  });
}
