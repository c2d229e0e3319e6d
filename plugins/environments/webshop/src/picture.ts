/** @file A page of the shop: the task, then what the page says; what can be clicked is blue. */
import { draw } from '@espalier/plugin-kit';
import type { Page, WebShopOptions } from './episode.js';
import { compactPage } from './views.js';

export function pagePicture(page: Page, { observation, pageSize }: WebShopOptions): Uint8Array {
  // where the text does not tell what was chosen, neither does the picture
  const visit = observation === 'compact' ? page.visit : { ...page.visit, chosen: [] };
  const lines = compactPage({ ...page, visit }, page.clickables, pageSize);
  return draw.png(
    draw.page([
      { text: 'WebShop', color: '#ffffff', background: '#204870' },
      { text: page.instruction, background: '#e4ecf4' },
      ...lines.map((line): draw.PageLine => {
        const isButtons = /^(?:\[[^\]]+\] ?)+$/.test(line);
        return { text: line, color: isButtons ? '#1848c0' : '#202028' };
      }),
    ]),
  );
}
