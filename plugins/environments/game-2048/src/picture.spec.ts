import { createHash } from 'node:crypto';
import { draw } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { boardPicture } from './picture.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const board = [0, 2, 4, 2048, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 65536];

describe('picture', () => {
  const picture = draw.readPng(boardPicture(board, 4));
  /** The color in a corner of a cell. */
  const fillOf = (row: number, column: number): string =>
    draw.colorAt(picture, 12 + column * 70, 12 + row * 70);

  it('colors cells by their tiles', () => {
    expect([fillOf(0, 0), fillOf(1, 3)]).toEqual(['#b8aca0', '#b8aca0']);
    expect([fillOf(0, 1), fillOf(0, 2), fillOf(2, 0)]).toEqual(['#f0e8dc', '#ecdcb8', '#e8c860']);
    expect([fillOf(0, 3), fillOf(3, 3)]).toEqual(['#40a070', '#306898']);
  });

  it('writes the numbers', () => {
    const other = draw.readPng(boardPicture(board.with(15, 32768), 4));
    expect(other).not.toEqual(picture);
    expect(other.data.length).toBe(picture.data.length);
  });

  it('has the bytes that it always had', () => {
    expect(sha256(boardPicture(board, 4))).toBe('5779e3b8a7ecc071');
  });
});
