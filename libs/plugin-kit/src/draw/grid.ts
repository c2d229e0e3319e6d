/** @file Grids of cells with a color and a short text: boards, puzzles, unfolded cubes. */
import { type Color, fill, type Raster, raster } from './raster.js';
import { text, textSize } from './text.js';

/** A cell; one without a fill is left out. */
export interface GridCell {
  readonly fill?: Color;
  /** written in the middle, as large as it fits */
  readonly text?: string;
  readonly color?: Color;
}

/** Sizes in pixels. */
export interface GridStyle {
  /** side of a cell; default 48 */
  readonly cell?: number;
  /** between cells; default 2 */
  readonly gap?: number;
  /** a wider gap after this many cells of a row and of a column; default: none */
  readonly block?: number;
  readonly background?: Color;
}

/** Draws rows of cells. */
export function grid(rows: readonly (readonly GridCell[])[], style: GridStyle = {}): Raster {
  const { cell = 48, gap = 2, block = Infinity, background = '#202028' } = style;
  const wide = 2 * gap;
  const startOf = (index: number): number =>
    wide + index * (cell + gap) + (block === Infinity ? 0 : Math.floor(index / block) * wide);
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const endOf = (count: number): number => startOf(count - 1) + cell + wide;
  const target = raster(endOf(columns), endOf(rows.length), background);
  for (const [row, line] of rows.entries()) {
    for (const [column, given] of line.entries()) {
      const [x, y] = [startOf(column), startOf(row)];
      if (given.fill !== undefined) fill(target, [x, y, cell, cell], given.fill);
      if (given.text !== undefined && given.text !== '')
        writeCentered(target, [x, y], cell, given.text, given.color ?? '#000000');
    }
  }
  return target;
}

function writeCentered(
  target: Raster,
  [x, y]: readonly [number, number],
  cell: number,
  written: string,
  color: Color,
): void {
  const { width, height } = textSize(written, 1);
  const scale = Math.max(1, Math.min(4, Math.floor((cell * 3) / 4 / Math.max(width, height))));
  const left = x + Math.floor((cell - width * scale) / 2);
  // the lowest row is for descenders, which numbers lack
  const top = y + Math.floor((cell - (height - 1) * scale) / 2);
  text(target, [left, top], written, color, scale);
}
