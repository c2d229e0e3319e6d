/** @file A grid with its numbers; given ones are black on grey. */
import { draw } from '@espalier/plugin-kit';
import type { Geometry, Grid } from './grid.js';

export function sudokuPicture(grid: Grid, given: Grid, { size }: Geometry): Uint8Array {
  const rows = Array.from({ length: size }, (_row, row) =>
    Array.from({ length: size }, (_column, column): draw.GridCell => {
      const cell = row * size + column;
      const value = grid[cell]!;
      return {
        fill: given[cell] === 0 ? '#ffffff' : '#d8d8d0',
        text: value === 0 ? '' : String(value),
        color: given[cell] === 0 ? '#1848c0' : '#000000',
      };
    }),
  );
  return draw.png(draw.grid(rows, { cell: 36, block: Math.sqrt(size) }));
}
