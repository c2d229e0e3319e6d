import { createHash } from 'node:crypto';
import { draw } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { solvedCube, turn } from './cube.js';
import { cubePicture } from './picture.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

describe('picture', () => {
  /** The color of a sticker in rows and columns of the unfolded cube. */
  const colorOf = (picture: draw.Raster, row: number, column: number): string => {
    const [x, y] = [column, row].map((index) => 4 + index * 38 + Math.floor(index / 2) * 4);
    return draw.colorAt(picture, x! + 18, y! + 18);
  };

  it('shows the solved cube unfolded: up, then left front right back, then down', () => {
    const picture = draw.readPng(cubePicture(solvedCube));
    expect([0, 2, 4, 6].map((column) => colorOf(picture, 2, column))).toEqual([
      '#f08020',
      '#20a048',
      '#d02828',
      '#2050c0',
    ]);
    expect([colorOf(picture, 0, 3), colorOf(picture, 5, 2)]).toEqual(['#f8f8f8', '#f0d820']);
    expect([colorOf(picture, 0, 0), colorOf(picture, 5, 7)]).toEqual(['#202028', '#202028']);
  });

  it('turns with the cube', () => {
    // U moves the upper belt one face on: what was right comes to the front
    const picture = draw.readPng(cubePicture(turn(solvedCube, 0)));
    expect([0, 1].map((row) => colorOf(picture, 2 + row, 2))).toEqual(['#d02828', '#20a048']);
  });

  it('has the bytes that it always had', () => {
    expect(sha256(cubePicture(turn(solvedCube, 0)))).toBe('6ab5777b5e02fae1');
  });
});
