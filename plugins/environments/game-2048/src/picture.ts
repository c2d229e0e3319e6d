/** @file A board whose tiles get darker with their numbers. */
import { draw } from '@espalier/plugin-kit';
import type { Board } from './board.js';

/** Of 2, 4, 8 and so on; larger tiles have the last. */
const fills: readonly draw.Color[] = [
  '#f0e8dc',
  '#ecdcb8',
  '#f0b078',
  '#f09060',
  '#e87058',
  '#e04830',
  '#e8c860',
  '#e0b840',
  '#d8a820',
  '#b88c10',
  '#40a070',
  '#306898',
];

export function boardPicture(board: Board, size: number): Uint8Array {
  const rows = Array.from({ length: size }, (_, row) =>
    board.slice(row * size, (row + 1) * size).map((value): draw.GridCell => {
      if (value === 0) return { fill: '#b8aca0' };
      const fill = fills[Math.min(fills.length, Math.log2(value)) - 1]!;
      return {
        fill,
        text: String(value),
        color: value < 8 || (value >= 128 && value < 1024) ? '#504840' : '#ffffff',
      };
    }),
  );
  return draw.png(draw.grid(rows, { cell: 64, gap: 6, background: '#887868' }));
}
