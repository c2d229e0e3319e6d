import { createHash } from 'node:crypto';
import { draw } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import sokoban from './index.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** Wall around three cells: player, box, target. */
function pictureOf(state: readonly number[], params = {}): Uint8Array {
  const instance = sokoban.create(sokoban.params.parse(params));
  const wall = [0, 0, 0, 0, 0];
  instance.restore!({
    rows: 3,
    columns: 5,
    fixed: [...wall, 0, 2, 1, 2, 0, ...wall],
    state: [...wall, ...state, ...wall],
    steps: 0,
  });
  return instance.picture!();
}

const start = [0, 5, 4, 2, 0];
const mortar = '#584038';
const coat = '#2858c8';
const ring = '#d02828';
const [wood, woodEdge] = ['#c88838', '#7a4a18'];
const green = '#60b058';

/** The color of a pixel of a cell in the middle row. */
const colorOf = (picture: draw.Raster, column: number, x: number, y: number): string =>
  draw.colorAt(picture, column * 32 + x, 32 + y);

describe('picture', () => {
  it('shows walls, player, box and target where they are', () => {
    const picture = draw.readPng(pictureOf(start));
    expect([picture.width, picture.height]).toEqual([160, 96]);
    expect(draw.colorAt(picture, 15, 3)).toBe(mortar);
    expect(colorOf(picture, 1, 16, 20)).toBe(coat);
    expect(colorOf(picture, 2, 3, 3)).toBe(woodEdge);
    expect(colorOf(picture, 2, 16, 12)).toBe(wood);
    expect(colorOf(picture, 3, 16, 16)).toBe(ring);
  });

  it('tells boxes and players on targets from others', () => {
    const done = draw.readPng(pictureOf([0, 2, 5, 3, 0]));
    expect(colorOf(done, 3, 16, 12)).toBe(green);
    // the ring around a player who stands on the target
    expect(colorOf(draw.readPng(pictureOf(start)), 1, 8, 21)).toBe(ring);
    expect(colorOf(done, 2, 8, 21)).not.toBe(ring);
  });

  it('does not depend on the symbols of the text', () => {
    expect(pictureOf(start, { symbols: { box: 'C', player: '@' } })).toEqual(pictureOf(start));
  });

  it('has the bytes that it always had', () => {
    expect(sha256(pictureOf(start))).toBe('ad48f561b503b85f');
  });
});
