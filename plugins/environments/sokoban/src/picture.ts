/** @file A level as tiles of 32 pixels, one for each kind of cell; the symbols of the text have no effect on it. */
import { draw } from '@espalier/plugin-kit';
import type { Level } from './level.js';
import { plainGrid } from './observe.js';

const mortar = '#584038';
const brick = '#a06048';
const wall: draw.Shape[] = [
  { rect: [0, 0, 16, 16], color: mortar },
  ...[0, 1, 2, 3].flatMap((row): draw.Shape[] =>
    row % 2 === 0
      ? [
          { rect: [0, row * 4, 7, 3], color: brick },
          { rect: [8, row * 4, 7, 3], color: brick },
        ]
      : [
          { rect: [0, row * 4, 3, 3], color: brick },
          { rect: [4, row * 4, 7, 3], color: brick },
          { rect: [12, row * 4, 4, 3], color: brick },
        ],
  ),
];
const floor: draw.Shape[] = [
  { rect: [0, 0, 16, 16], color: '#c8bca8' },
  { rect: [0, 0, 15, 15], color: '#e0d8c8' },
];
const target: draw.Shape[] = [
  ...floor,
  { disc: [8, 8, 5], color: '#d02828' },
  { disc: [8, 8, 4], color: '#e0d8c8' },
  { disc: [8, 8, 2], color: '#d02828' },
];
const boxOf = (edge: draw.Color, plank: draw.Color): draw.Shape[] => [
  { rect: [1, 1, 14, 14], color: edge },
  ...[3, 6, 9, 12].map((y): draw.Shape => ({ rect: [3, y - 1, 10, 2], color: plank })),
  ...Array.from({ length: 10 }, (_, place): draw.Shape => ({
    rect: [3 + place, 3 + place, 1, 1],
    color: edge,
  })),
];
const player: draw.Shape[] = [
  { rect: [5, 13, 2, 2], color: '#202840' },
  { rect: [9, 13, 2, 2], color: '#202840' },
  { rect: [5, 7, 6, 6], color: '#2858c8' },
  { rect: [3, 8, 10, 2], color: '#2858c8' },
  { disc: [8, 4, 3], color: '#f0c090' },
];

const shapes = {
  '#': wall,
  _: floor,
  O: target,
  X: [...floor, ...boxOf('#7a4a18', '#c88838')],
  '√': [...target, ...boxOf('#2a6a28', '#60b058')],
  P: [...floor, ...player],
  S: [...target, ...player],
} satisfies Record<string, draw.Shape[]>;

export function levelPicture(level: Level): Uint8Array {
  return draw.png(draw.tiles(plainGrid(level).split('\n'), shapes));
}
