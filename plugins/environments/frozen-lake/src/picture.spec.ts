import { createHash } from 'node:crypto';
import { draw } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import lake from './index.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const ice = '#d8ecf8';
const water = '#184878';
const coat = '#d83020';
const flag = '#20a040';

/** The picture with the player in a cell of a lake with its goal in cell 14 and a hole in cell 2. */
function pictureFrom(player: number): Uint8Array {
  const instance = lake.create(lake.params.parse({}));
  const holes = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const noise = [0, 0, 0, 0, 1, 0, 0, 0, -1];
  instance.restore!({ size: 4, start: 1, goal: 14, holes, player, noise });
  return instance.picture!();
}

describe('picture', () => {
  /** The color a little below the middle of a cell, and that of its upper right part. */
  const colorsOf = (picture: draw.Raster, cell: number): string[] => {
    const [x, y] = [(cell % 4) * 32, Math.floor(cell / 4) * 32];
    return [draw.colorAt(picture, x + 16, y + 20), draw.colorAt(picture, x + 22, y + 6)];
  };

  it('shows player, hole and goal where they are', () => {
    const picture = draw.readPng(pictureFrom(1));
    expect([picture.width, picture.height]).toEqual([128, 128]);
    expect(colorsOf(picture, 1)).toEqual([coat, ice]);
    expect(colorsOf(picture, 2)).toEqual([water, water]);
    expect(colorsOf(picture, 14)).toEqual([ice, flag]);
    expect(colorsOf(picture, 9)).toEqual([ice, ice]);
  });

  it('shows the player on the goal and in a hole', () => {
    expect(colorsOf(draw.readPng(pictureFrom(14)), 14)).toEqual([coat, flag]);
    const fallen = colorsOf(draw.readPng(pictureFrom(2)), 2);
    expect(fallen[1]).toBe(water);
    expect(fallen[0]).not.toBe(water);
  });

  it('has the bytes that it always had', () => {
    expect(sha256(pictureFrom(1))).toBe('54b35bd17d72c009');
  });
});
