import { createHash } from 'node:crypto';
import { draw } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import sudoku from './index.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const grey = '#d8d8d0';
const white = '#ffffff';
const blue = '#1848c0';

function pictureOf(grid: readonly number[]): Uint8Array {
  const instance = sudoku.create(sudoku.params.parse({ size: 4 }));
  const given = [1, 0, 0, 4, 0, 0, 1, 0, 0, 1, 0, 0, 4, 0, 0, 1];
  instance.restore!({ grid, given, solution: given });
  return instance.picture!();
}

const first = [1, 2, 0, 4, 0, 0, 1, 0, 0, 1, 0, 0, 4, 0, 0, 1];

describe('picture', () => {
  const picture = draw.readPng(pictureOf(first));
  /** All colors of a cell. */
  const colorsOf = (row: number, column: number): Set<string> => {
    const [x, y] = [column, row].map((index) => 4 + index * 38 + Math.floor(index / 2) * 4);
    const pixels = Array.from({ length: 36 * 36 }, (_, pixel) =>
      draw.colorAt(picture, x! + (pixel % 36), y! + Math.floor(pixel / 36)),
    );
    return new Set(pixels);
  };

  it('tells given, placed and empty cells apart', () => {
    expect(colorsOf(0, 0)).toEqual(new Set([grey, '#000000']));
    expect(colorsOf(0, 1)).toEqual(new Set([white, blue]));
    expect(colorsOf(0, 2)).toEqual(new Set([white]));
    expect(colorsOf(3, 3)).toEqual(new Set([grey, '#000000']));
  });

  it('changes with a number', () => {
    expect(pictureOf(first.with(1, 3))).not.toEqual(pictureOf(first));
  });

  it('has the bytes that it always had', () => {
    expect(sha256(pictureOf(first))).toBe('a74203ed9464d03e');
  });
});
