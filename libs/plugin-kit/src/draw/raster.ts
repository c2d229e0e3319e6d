/** @file A raster of RGB pixels, and the two shapes that everything else is drawn with. Integers only, so bytes are equal everywhere. */
import { AppError } from '@espalier/contracts';

/** `#rrggbb` */
export type Color = `#${string}`;

/** Pixels row by row, three bytes each. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array; // [height · width · 3]
}

/** Creates a raster of one color. */
export function raster(width: number, height: number, color: Color): Raster {
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1)
    throw new AppError('plugin.failed', `draw: size ${width} × ${height}; expected integers ≥ 1`);
  const made: Raster = { width, height, data: new Uint8Array(width * height * 3) };
  fill(made, [0, 0, width, height], color);
  return made;
}

/** Fills the rectangle `[x, y, width, height]`; what lies outside of the raster is left out. */
export function fill(
  { width, height, data }: Raster,
  [x, y, across, down]: readonly [number, number, number, number],
  color: Color,
): void {
  if (![x, y, across, down].every(Number.isInteger))
    throw new AppError(
      'plugin.failed',
      `draw.fill: rectangle [${[x, y, across, down].join(', ')}]; expected integers, so choose scales and sizes that give them`,
    );
  const [red, green, blue] = bytesOf(color);
  const right = Math.min(width, x + across);
  const bottom = Math.min(height, y + down);
  for (let row = Math.max(0, y); row < bottom; row++) {
    for (let column = Math.max(0, x); column < right; column++) {
      const at = (row * width + column) * 3;
      data[at] = red;
      data[at + 1] = green;
      data[at + 2] = blue;
    }
  }
}

/** Fills a disc around the point `[x, y]` between pixels. */
export function disc(target: Raster, [x, y]: readonly [number, number], radius: number, color: Color): void {
  for (let row = -radius; row < radius; row++) {
    // half-pixels, doubled: the center of a pixel lies at an odd number
    const rest = 4 * radius * radius - (2 * row + 1) ** 2;
    let half = 0;
    while (half < radius && (2 * half + 1) ** 2 <= rest) half += 1;
    fill(target, [x - half, y + row, 2 * half, 1], color);
  }
}

/** Reads a pixel as `#rrggbb`. */
export function colorAt({ width, height, data }: Raster, x: number, y: number): Color {
  if (x < 0 || y < 0 || x >= width || y >= height)
    throw new AppError('plugin.failed', `draw: pixel (${x}, ${y}) is outside of ${width} × ${height}`);
  const at = (y * width + x) * 3;
  const hex = [...data.subarray(at, at + 3)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `#${hex.join('')}`;
}

function bytesOf(color: Color): [number, number, number] {
  if (!/^#[0-9a-f]{6}$/i.test(color))
    throw new AppError('plugin.failed', `draw: color "${color}"; expected #rrggbb, such as #d03020`);
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
