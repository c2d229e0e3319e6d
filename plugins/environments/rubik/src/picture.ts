/** @file The unfolded cube in its colors. */
import { draw } from '@espalier/plugin-kit';
import { type Cube, netText } from './cube.js';

const fills: Readonly<Record<string, draw.Color>> = {
  W: '#f8f8f8',
  O: '#f08020',
  G: '#20a048',
  R: '#d02828',
  B: '#2050c0',
  Y: '#f0d820',
};

export function cubePicture(cube: Cube): Uint8Array {
  const rows = netText(cube)
    .split('\n')
    .map((line) =>
      // every other character is a sticker or nothing
      [...line]
        .filter((_, place) => place % 2 === 0)
        .map((letter): draw.GridCell => {
          const fill = fills[letter];
          return fill === undefined ? {} : { fill };
        }),
    );
  return draw.png(draw.grid(rows, { cell: 36, gap: 2, block: 2 }));
}
