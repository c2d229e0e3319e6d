/** @file A lake as tiles of 32 pixels, one for each symbol of the grid. */
import { draw } from '@espalier/plugin-kit';
import { gridText } from './text.js';
import type { LakeMap } from './map.js';

const ice: draw.Shape[] = [
  { rect: [0, 0, 16, 16], color: '#9cc4dc' },
  { rect: [0, 0, 15, 15], color: '#d8ecf8' },
  { rect: [3, 10, 3, 1], color: '#f8fcff' },
  { rect: [9, 4, 4, 1], color: '#f8fcff' },
];
const water: draw.Shape[] = [
  ...ice,
  { disc: [8, 8, 7], color: '#88a8c0' },
  { disc: [8, 8, 6], color: '#184878' },
];
const flag: draw.Shape[] = [
  ...ice,
  { rect: [4, 2, 1, 12], color: '#604020' },
  { rect: [5, 2, 8, 5], color: '#20a040' },
  { rect: [3, 14, 3, 1], color: '#604020' },
];
const player: draw.Shape[] = [
  { rect: [5, 13, 2, 2], color: '#402818' },
  { rect: [9, 13, 2, 2], color: '#402818' },
  { rect: [5, 7, 6, 6], color: '#d83020' },
  { rect: [3, 8, 10, 2], color: '#d83020' },
  { disc: [8, 4, 3], color: '#f0c090' },
];

const shapes = {
  _: ice,
  O: water,
  G: flag,
  P: [...ice, ...player],
  X: [...water, { disc: [8, 7, 3], color: '#f0c090' }, { rect: [4, 9, 8, 2], color: '#88a8c0' }],
  '√': [...flag, ...player],
} satisfies Record<string, draw.Shape[]>;

export function lakePicture(map: LakeMap, cell: number): Uint8Array {
  return draw.png(draw.tiles(gridText(map, cell).split('\n'), shapes));
}
