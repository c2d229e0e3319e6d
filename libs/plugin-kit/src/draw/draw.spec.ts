import { createHash } from 'node:crypto';
import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { draw } from '../index.js';
import { expectPicture } from '../testing/expect-picture.js';

const red = '#d02020';
const white = '#ffffff';
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** Rows of `#` for one color and `.` for any other. */
function dots(picture: draw.Raster, color: draw.Color): string[] {
  return Array.from({ length: picture.height }, (_row, y) =>
    Array.from({ length: picture.width }, (_column, x) =>
      draw.colorAt(picture, x, y) === color ? '#' : '.',
    ).join(''),
  );
}

describe('shapes', () => {
  it('fills discs around a point between pixels', () => {
    const picture = draw.raster(8, 6, white);
    draw.disc(picture, [4, 3], 3, red);
    expect(dots(picture, red)).toEqual([
      '..####..',
      '.######.',
      '.######.',
      '.######.',
      '.######.',
      '..####..',
    ]);
  });

  it('leaves out what lies outside', () => {
    const picture = draw.raster(3, 2, white);
    draw.fill(picture, [-2, -2, 3, 3], red);
    draw.fill(picture, [2, 1, 9, 9], red);
    expect(dots(picture, red)).toEqual(['#..', '..#']);
    expect(() => draw.colorAt(picture, 3, 0)).toThrow(/\(3, 0\) is outside of 3 × 2/);
  });

  it('refuses what lies between pixels, which would leave nothing', () => {
    const picture = draw.raster(8, 8, white);
    expect(() => draw.fill(picture, [0.5, 0, 2, 2], red)).toThrow(
      'rectangle [0.5, 0, 2, 2]; expected integers',
    );
    const shapes = { P: [{ rect: [3, 3, 10, 10], color: red }] } as const;
    expect(() => draw.tiles(['P'], shapes, 1.5)).toThrow('rectangle [4.5, 4.5, 15, 15]; expected integers');
    expect(dots(draw.tiles(['P'], shapes, 1), red)[3]).toBe('...##########...');
  });

  it('refuses colors and sizes that are none', () => {
    expect(() => draw.raster(1, 1, '#red')).toThrow(/color "#red"; expected #rrggbb/);
    expect(() => draw.raster(0, 4, white)).toThrow(/size 0 × 4/);
    expect(() => draw.tiles(['a'], { b: [] })).toThrow(/"a" in row 1 has no shapes; expected one of b/);
  });
});

describe('text', () => {
  it('has the letters that it says', () => {
    const picture = draw.raster(23, 8, white);
    draw.text(picture, [0, 0], 'Ag7?', red, 1);
    expect(dots(picture, red)).toEqual([
      '.###........#####..###.',
      '#...#...........#.#...#',
      '#...#..####....#......#',
      '#####.#...#...#......#.',
      '#...#.#...#..#......#..',
      '#...#..####..#.........',
      '#...#.....#..#......#..',
      '.......###.............',
    ]);
    expect(draw.textSize('Ag7?', 1)).toEqual({ width: 23, height: 8 });
  });

  it('writes accents as letters and everything unknown as a box', () => {
    const written = (line: string): string[] => {
      const picture = draw.raster(12, 8, white);
      draw.text(picture, [0, 0], line, red, 1);
      return dots(picture, red);
    };
    expect(written('é’')).toEqual(written("e'"));
    expect(written('雪')).toEqual(written('\u0007'));
    expect(written('雪').join('')).toContain('#####');
  });

  it('has 95 different characters', () => {
    const all = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
    const shapes = all.map((letter) => {
      const picture = draw.raster(5, 8, white);
      draw.text(picture, [0, 0], letter, red, 1);
      return dots(picture, red).join('\n');
    });
    expect(new Set(shapes).size).toBe(95);
  });
});

describe('grids and pages', () => {
  it('draws tiles in rows, sixteen units a side', () => {
    const picture = draw.tiles(['ab', 'ba'], {
      a: [{ rect: [0, 0, 16, 16], color: red }],
      b: [
        { rect: [0, 0, 16, 16], color: white },
        { disc: [8, 8, 2], color: '#000000' },
      ],
    });
    expect([picture.width, picture.height]).toEqual([64, 64]);
    expect(draw.colorAt(picture, 31, 31)).toBe(red);
    expect(draw.colorAt(picture, 32, 31)).toBe(white);
    expect(draw.colorAt(picture, 48, 16)).toBe('#000000');
  });

  it('widens the gap between blocks of cells', () => {
    const cell: draw.GridCell = { fill: red };
    const picture = draw.grid([[cell, cell, cell]], { cell: 2, gap: 1, block: 2, background: white });
    expect(dots(picture, red)).toEqual([
      '..............',
      '..............',
      '..##.##...##..',
      '..##.##...##..',
      '..............',
      '..............',
    ]);
  });

  it('wraps between words, and in a word only where it is too long', () => {
    const height = (line: string): number => (draw.page([line], { columns: 8 }).height - 16) / 22;
    expect(height('four and')).toBe(1);
    expect(height('four and five')).toBe(2);
    expect(height('unfortunately so')).toBe(2);
    expect(height('')).toBe(1);
  });

  it('cuts a long page off', () => {
    const long = Array.from({ length: 500 }, (_, index) => `line ${index}`);
    expect(draw.page(long).height).toBe(16 + 40 * 22);
    expect(draw.pictureFinding(draw.png(draw.page(long)))).toBeUndefined();
  });
});

describe('png', () => {
  const picture = draw.grid([[{ fill: red, text: '12', color: white }]]);

  it('comes back pixel by pixel, and is read by others', () => {
    const bytes = draw.png(picture);
    expect(draw.readPng(bytes)).toEqual(picture);
    expect(decode(bytes)).toMatchObject({ width: picture.width, height: picture.height, channels: 1 });
  });

  it('has equal bytes everywhere', () => {
    expect(sha256(draw.png(picture))).toBe('6761305592052f48');
  });

  it('refuses more colors than a palette has', () => {
    const many = draw.raster(300, 1, white);
    for (let x = 0; x < 300; x++)
      draw.fill(many, [x, 0, 1, 1], `#${(x + 4096).toString(16).padStart(6, '0')}`);
    expect(() => draw.png(many)).toThrow(/300 colors; expected at most 256/);
  });
});

describe('expectPicture', () => {
  const small = draw.png(draw.raster(4, 4, red));
  const expectOne = (picture: unknown): void =>
    expectPicture(new Map(), 'key', picture as Uint8Array, 'seed 1');

  it('takes a valid picture', () => {
    expect(() => expectOne(small)).not.toThrow();
  });

  it.each([
    ['text', 'PNG', /seed 1: returned of type string; expected the bytes of a PNG/],
    ['other bytes', new Uint8Array(64), /64 bytes that are no PNG/],
    ['a side that is too long', draw.png(draw.raster(1025, 2, red)), /1025 × 2 pixels; expected 1 to 1024/],
    ['too many bytes', new Uint8Array(65_537), /65537 bytes; expected at most 65536/],
    ['a damaged picture', small.with(45, small[45]! ^ 1), /its PNG data is corrupt/],
  ])('refuses %s', (_name, picture, message) => {
    expect(() => expectOne(picture)).toThrow(message);
  });

  it('refuses two pictures of one state', () => {
    const known = new Map([['key', small]]);
    const other = draw.png(draw.raster(4, 4, white));
    expect(() => expectPicture(known, 'key', other, 'seed 1')).toThrow(
      /differs from an earlier picture of the state key "key"/,
    );
  });
});
