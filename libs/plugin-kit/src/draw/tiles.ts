/** @file Grids of tiles, each a list of shapes. */
import { AppError } from '@espalier/contracts';
import { type Color, disc, fill, type Raster, raster } from './raster.js';

/** A part of a tile, in sixteenths of its side: `[x, y, width, height]`, or `[x, y, radius]`. */
export type Shape =
  | { readonly rect: readonly [number, number, number, number]; readonly color: Color }
  | { readonly disc: readonly [number, number, number]; readonly color: Color };

/**
 * Draws a grid of symbols.
 *
 * @param rows text rows of equal length, one symbol a tile
 * @param shapes symbol → its shapes, the lowest first
 * @param scale pixels of a sixteenth; a tile has 16 · scale
 */
export function tiles(
  rows: readonly string[],
  shapes: Readonly<Record<string, readonly Shape[]>>,
  scale = 2,
): Raster {
  const symbols = rows.map((row) => [...row]);
  const side = 16 * scale;
  const target = raster((symbols[0]?.length ?? 0) * side, symbols.length * side, '#000000');
  for (const [row, line] of symbols.entries()) {
    for (const [column, symbol] of line.entries()) {
      const parts = Object.hasOwn(shapes, symbol) ? shapes[symbol]! : undefined;
      if (parts === undefined)
        throw new AppError(
          'plugin.failed',
          `draw.tiles: "${symbol}" in row ${row + 1} has no shapes; expected one of ${Object.keys(shapes).join(' ')}`,
        );
      for (const part of parts) paint(target, column * side, row * side, scale, part);
    }
  }
  return target;
}

function paint(target: Raster, left: number, top: number, scale: number, part: Shape): void {
  if ('disc' in part) {
    const [x, y, radius] = part.disc;
    disc(target, [left + x * scale, top + y * scale], radius * scale, part.color);
    return;
  }
  const [x, y, width, height] = part.rect;
  fill(target, [left + x * scale, top + y * scale, width * scale, height * scale], part.color);
}
