/** @file Our page and a peer's, by turns in one browser on the same data, so that both meet the same minutes. */
import type { Browser } from 'playwright-core';
import { AppError } from '@espalier/contracts';
import { missingBrowser } from '../browser/bench-page.js';
import { findMissingPackages } from '../items/python-peer.js';
import type { BenchItem, BenchOptions } from '../row.js';
import { type ColdPage, launchBrowser, type Motion, openColdPage, until } from './cold-page.js';
import { Figures, type Measure, rowsBeside, take } from './figures.js';
import { openOurViewer } from './our-viewer.js';
import { type Amounts, liveRows, longRun, manyRuns, shortAmounts, wholeAmounts } from './sets.js';
import type { Pan, View, Viewer } from './viewer.js';

export type OpenViewer = (options: BenchOptions) => Promise<Viewer>;

/** Rows `dashboard-beside/<id>/…`. @param packages that its Python has to have */
export const dashboardBeside =
  (id: string, packages: readonly string[], openPeer: OpenViewer): BenchItem =>
  async (options) => {
    const missing = missingBrowser();
    if (missing !== undefined) return { skipped: missing };
    const absent = findMissingPackages(options, packages);
    if (absent !== undefined) return absent;
    const amounts = options.short ? shortAmounts : wholeAmounts;
    const ours = new Side(await openOurViewer(), amounts);
    try {
      const theirs = new Side(await openPeer(options), amounts);
      try {
        await ours.fill();
        await theirs.fill();
        await compare(ours, theirs, options.short);
        return rowsBeside(
          `dashboard-beside/${id}`,
          ours.figures,
          theirs.figures,
          theirs.viewer.name,
          theirs.notes(ours),
        );
      } finally {
        await theirs.viewer.close();
      }
    } finally {
      await ours.viewer.close();
    }
  };

/** Ours first and last: what the machine did meanwhile shows in the difference. */
async function compare(ours: Side, theirs: Side, short: boolean): Promise<void> {
  const browser = await launchBrowser();
  const rounds = short ? 1 : 3;
  const live = short
    ? { samples: 2, seconds: 5, patienceMs: 60_000 }
    : { samples: 20, seconds: 90, patienceMs: 60_000 };
  try {
    for (let round = 0; round < rounds; round++) {
      await ours.openLong(browser);
      await theirs.openLong(browser);
    }
    await ours.openLong(browser);
    for (let round = 0; round < rounds; round++) {
      await ours.openMany(browser, short);
      await theirs.openMany(browser, short);
    }
    await ours.openMany(browser, short);
    await ours.follow(browser, live);
    await theirs.follow(browser, live);
    if (theirs.viewer.reload !== undefined) {
      await theirs.follow(browser, live, theirs.viewer.reload);
      ours.figures.add('push-reload', ...ours.figures.of('push'));
    }
    await ours.follow(browser, live);
  } finally {
    await browser.close();
  }
  const failed = (['open', 'overlay', 'push'] as const).find((measure) => ours.figures.hasFailed(measure));
  if (failed !== undefined)
    throw new AppError('bench.item_failed', `our own page, ${failed}: ${ours.figures.reason(failed)}`);
}

/** A page with its data and its figures. */
class Side {
  readonly figures = new Figures();
  private readonly elsewhere = new Set<string>();
  private readonly waited = new Map<Measure, string>();
  private liveStep = 1;

  constructor(
    readonly viewer: Viewer,
    private readonly amounts: Amounts,
  ) {}

  async fill(): Promise<void> {
    const begin = liveRows(1, 20);
    for (const rows of [longRun(this.amounts), ...manyRuns(this.amounts), begin])
      await this.viewer.write(rows);
    this.liveStep += 20;
  }

  openLong(browser: Browser): Promise<void> {
    const wanted: Measure[] = ['open', 'open-again', 'first-load', 'data', 'longest-task'];
    return take(this.figures, wanted, () =>
      this.inPage(browser, async (page) => {
        const view = await this.viewer.view('long');
        this.waited.set('open', view.waitsFor);
        const { ms, fileBytes, dataBytes, longestTask } = await page.open(view, 1);
        this.figures.add('open', ms);
        this.figures.add('first-load', fileBytes / 1000);
        this.figures.add('data', dataBytes / 1000);
        this.figures.add('longest-task', longestTask);
        this.figures.add('open-again', await page.again(view, 1));
      }),
    );
  }

  openMany(browser: Browser, short: boolean): Promise<void> {
    const moves = short ? 20 : 200;
    const { figures } = this;
    const { pan } = this.viewer;
    return this.inPage(browser, async (page) => {
      const view = await this.viewer.view('many');
      this.waited.set('overlay', view.waitsFor);
      await take(figures, ['overlay'], async () => {
        figures.add('overlay', (await page.open(view, this.amounts.runs)).ms);
      });
      const reason = figures.reason('overlay');
      if (reason !== undefined) return figures.couldNot(reason, 'pointer', 'pan', 'pan-frames');
      await take(figures, ['pointer'], async () => {
        figures.add('pointer', (await moveOver(page, view, moves)).frames);
      });
      if (typeof pan === 'string') return figures.couldNot(pan, 'pan', 'pan-frames');
      await take(figures, ['pan', 'pan-frames'], async () => {
        const panned = await moveOver(page, view, moves, pan);
        figures.add('pan', panned.pictures);
        figures.add('pan-frames', panned.frames);
      });
    });
  }

  /** Delays until the picture of an open chart changes after a step was written. @param reload makes the page ask */
  follow(
    browser: Browser,
    { samples, seconds, patienceMs }: { samples: number; seconds: number; patienceMs: number },
    reload?: string,
  ): Promise<void> {
    const measure = reload === undefined ? 'push' : 'push-reload';
    const use = async (page: ColdPage): Promise<void> => {
      const view = await this.viewer.view('live');
      await page.open(view, 1);
      // what comes after the first lines: legends, a second layout
      await page.page.waitForTimeout(3000);
      const end = performance.now() + seconds * 1000;
      const delays: number[] = [];
      while (delays.length < samples && (delays.length < 3 || performance.now() < end)) {
        const before = await page.page.evaluate<string>(view.picture);
        const begin = performance.now();
        await this.viewer.write(liveRows(this.liveStep++, 1));
        await until(page.page, `(${view.picture}) !== ${JSON.stringify(before)}`, patienceMs);
        delays.push(performance.now() - begin);
        // a page that asks at intervals must not be met at the same place of each
        await page.page.waitForTimeout(300 + Math.random() * Math.min(30_000, Math.max(...delays)));
      }
      this.figures.add(measure, ...delays);
    };
    return take(this.figures, [measure], () => this.inPage(browser, use, reload));
  }

  /** What was waited for on both pages, and whether this one asked for something elsewhere. */
  notes(ours: Side): Partial<Record<Measure, string>> {
    const both = (measure: Measure): string =>
      `waited for ${ours.waited.get(measure) ?? ''} (ours), ${this.waited.get(measure) ?? ''} (theirs)`;
    const asked = [...this.elsewhere];
    return {
      open: both('open'),
      overlay: [both('overlay'), ...(this.viewer.limit === undefined ? [] : [this.viewer.limit])].join('; '),
      'first-load':
        asked.length === 0
          ? 'nothing was asked for elsewhere'
          : `it asked for ${asked.join(', ')}, in vain, as the browser reaches this machine only`,
      ...(this.viewer.refresh === undefined ? {} : { push: this.viewer.refresh }),
    };
  }

  private async inPage(browser: Browser, use: (page: ColdPage) => Promise<void>, reload = ''): Promise<void> {
    const page = await openColdPage(browser, `${this.viewer.script ?? ''}${reload}`);
    try {
      await use(page);
    } finally {
      for (const host of page.elsewhere) this.elsewhere.add(host);
      await page.close();
    }
  }
}

/** Moves the pointer over a chart: as it hovers, or as it pans. */
async function moveOver(page: ColdPage, view: View, moves: number, pan?: Pan): Promise<Motion> {
  const place = pan?.handle ?? view.chart;
  const box = await page.page.locator(place).first().boundingBox();
  if (box === null) throw new AppError('bench.item_failed', `nothing at ${place}`);
  const { mouse, keyboard } = page.page;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  if (pan?.key !== undefined) await keyboard.down(pan.key);
  await mouse.move(x, y);
  if (pan !== undefined) await mouse.down();
  const reach = Math.min(80, box.width / 3);
  try {
    return await page.watch(view, async () => {
      // a page that draws for seconds at every move has told enough by then
      const end = performance.now() + 15_000;
      for (let move = 0; move < moves && performance.now() < end; move++)
        await mouse.move(x + reach * Math.sin(move / 10), y);
    });
  } finally {
    if (pan !== undefined) await mouse.up();
    if (pan?.key !== undefined) await keyboard.up(pan.key);
  }
}
