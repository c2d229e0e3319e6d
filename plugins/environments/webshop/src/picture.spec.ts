import { createHash } from 'node:crypto';
import { draw } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import webshop from './index.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** The picture of a page, after some actions. */
async function visit(params: object, ...actions: string[]): Promise<Uint8Array> {
  const instance = webshop.create(
    webshop.params.parse({ catalogue: { source: 'generated', style: 'short' }, ...params }),
  );
  await instance.reset({ state: 1, noise: 1 });
  for (const action of actions) await instance.step(action);
  return instance.picture!();
}

/** How many pixels have a color. */
function count({ width, height, ...picture }: draw.Raster, color: draw.Color): number {
  let found = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      found += draw.colorAt({ width, height, ...picture }, x, y) === color ? 1 : 0;
  return found;
}

describe('picture', () => {
  it('shows the task under the name of the shop, and buttons in blue', async () => {
    const home = draw.readPng(await visit({ observation: 'compact' }));
    expect(home.width).toBe(784);
    expect(draw.colorAt(home, 780, 10)).toBe('#204870');
    expect(draw.colorAt(home, 780, 35)).toBe('#e4ecf4');
    expect(count(home, '#1848c0')).toBe(0);
    const found = draw.readPng(await visit({ observation: 'compact' }, 'search[lamp]'));
    expect(found.height).toBeGreaterThan(home.height);
    expect(count(found, '#1848c0')).toBeGreaterThan(100);
  });

  it('is within the limits on a page of many products', async () => {
    const bytes = await visit({ observation: 'text', pageSize: 50 }, 'search[<r>]');
    expect(draw.pictureFinding(bytes)).toBeUndefined();
    expect(draw.readPng(bytes).height).toBe(896);
  });

  it('has the bytes that it always had', async () => {
    expect(sha256(await visit({ observation: 'compact' }))).toBe('b50cb4c7cae029cf');
  });
});
