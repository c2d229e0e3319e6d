/** @file Lines of text on a raster. */
import { eachPixel, glyphHeight, glyphWidth, spell } from './font.js';
import { type Color, fill, type Raster } from './raster.js';

/** Pixels from one letter to the next, and of a line without space below it, at scale 1. */
export const advance = glyphWidth + 1;

/** Pixels that a line of text takes. */
export function textSize(line: string, scale = 2): { width: number; height: number } {
  return { width: Math.max(0, spell(line).length * advance - 1) * scale, height: glyphHeight * scale };
}

/** Writes a line with its top left corner at `[x, y]`. Letters beyond ASCII lose their accents or become a box. */
export function text(
  target: Raster,
  [x, y]: readonly [number, number],
  line: string,
  color: Color,
  scale = 2,
): void {
  for (const [index, character] of [...spell(line)].entries()) {
    const left = x + index * advance * scale;
    if (left >= target.width) return;
    eachPixel(character, (column, row) =>
      fill(target, [left + column * scale, y + row * scale, scale, scale], color),
    );
  }
}
