/** @file A raster as PNG bytes and back, and which bytes are a picture that a trajectory may hold. */
import { AppError } from '@espalier/contracts';
import { convertIndexedToRgb, decode, encode, hasPngSignature } from 'fast-png';
import type { Raster } from './raster.js';

/** How large a picture may be. */
export interface PictureLimits {
  /** pixels of the longer side */
  readonly side: number;
  readonly bytes: number;
}

/** Turns keep their pictures, and vision models scale larger ones down. */
export const pictureLimits: PictureLimits = { side: 1024, bytes: 65_536 };

/** Encodes a raster of at most 256 colors, a byte for each pixel; equal rasters give equal bytes. */
export function png({ width, height, data }: Raster): Uint8Array {
  const numbers = new Map<number, number>();
  const pixels = new Uint8Array(width * height);
  for (let pixel = 0; pixel < pixels.length; pixel++) {
    const at = pixel * 3;
    const color = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
    const number = numbers.get(color) ?? numbers.size;
    if (number === numbers.size) numbers.set(color, number);
    pixels[pixel] = number;
  }
  if (numbers.size > 256)
    throw new AppError('plugin.failed', `draw.png: ${numbers.size} colors; expected at most 256`);
  const palette = [...numbers.keys()].map((color) => [color >> 16, (color >> 8) & 255, color & 255]);
  return encode(
    { width, height, data: pixels, channels: 1, depth: 8, palette },
    { zlib: { level: 9 } },
  ).slice();
}

/**
 * Decodes a PNG with a palette, as {@link png} writes them, or of 8-bit RGB pixels.
 *
 * @throws plugin.failed for other bytes
 */
export function readPng(bytes: Uint8Array): Raster {
  const finding = pictureFinding(bytes);
  if (finding !== undefined) throw new AppError('plugin.failed', `read a picture: it is ${finding}`);
  try {
    const decoded = decode(bytes, { checkCrc: true });
    const { width, height, channels, depth, palette } = decoded;
    const data = palette === undefined ? decoded.data : convertIndexedToRgb(decoded);
    if ((palette?.[0]?.length ?? channels) === 3 && depth === 8 && data.length === width * height * 3)
      return { width, height, data: Uint8Array.from(data) };
  } catch (cause) {
    throw new AppError('plugin.failed', 'read a picture: its PNG data is corrupt', { cause });
  }
  throw new AppError('plugin.failed', 'read a picture: it is not of RGB colors; write it with draw.png');
}

/**
 * Says why bytes cannot be a picture, from their header alone; undefined: they can. PNG (third edition), 5.2 and 11.2.1.
 */
export function pictureFinding(bytes: unknown): string | undefined {
  if (!(bytes instanceof Uint8Array))
    return `${describe(bytes)}; expected the bytes of a PNG, as draw.png gives them`;
  const { side, bytes: most } = pictureLimits;
  if (bytes.length > most) return `${bytes.length} bytes; expected at most ${most}, so draw it smaller`;
  if (bytes.length < 33 || !hasPngSignature(bytes))
    return `${bytes.length} bytes that are no PNG; expected the bytes of draw.png`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return width >= 1 && height >= 1 && Math.max(width, height) <= side
    ? undefined
    : `${width} × ${height} pixels; expected 1 to ${side} on each side`;
}

const describe = (value: unknown): string => (value === null ? 'null' : `of type ${typeof value}`);
