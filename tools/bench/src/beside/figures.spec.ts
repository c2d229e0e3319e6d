import { describe, expect, it } from 'vitest';
import { renderReport } from '../report.js';
import { Figures, rowsBeside, take } from './figures.js';
import { liveRows, longRun, manyRuns, wholeAmounts } from './sets.js';

function sides(): [ours: Figures, theirs: Figures] {
  const [ours, theirs] = [new Figures(), new Figures()];
  ours.add('open', 500, 400, 600, 450);
  theirs.add('open', 2000, 1000, 3000);
  ours.add('longest-task', 0);
  theirs.add('longest-task', 0);
  ours.add('pan', 58, 60);
  ours.add('push', ...Array.from({ length: 20 }, (_, at) => 100 + at));
  theirs.add('push', 900, 30_000, 700);
  theirs.couldNot('it has no panning: a drag | chooses a range', 'pan');
  return [ours, theirs];
}
const rowsOf = ([ours, theirs]: [Figures, Figures]) =>
  rowsBeside('dashboard-beside/peer', ours, theirs, 'peer 1.2', { open: 'waited for a line' });

describe('figures of two pages', () => {
  it('become medians, and a delay the one that 95 % keep within', () => {
    const found = Object.fromEntries(rowsOf(sides()).map((row) => [row.name, row]));
    expect(found['dashboard-beside/peer/open']).toEqual({
      name: 'dashboard-beside/peer/open',
      value: 500,
      unit: 'ms',
      baseline: { name: 'peer 1.2', value: 2000 },
      ratio: 0.25,
      notes:
        'the long run opened, cache empty; waited for a line; ours 500, 400, 600, 450; theirs 2000, 1000, 3000',
    });
    expect(found['dashboard-beside/peer/push']).toMatchObject({
      value: 119,
      baseline: { value: 30_000 },
      notes: expect.stringContaining('ours 100 to 119 (20, median 110); theirs 900, 30000, 700') as string,
    });
  });

  it('say what a page could not, and why', () => {
    const row = rowsOf(sides()).find(({ name }) => name.endsWith('/pan'));
    expect(row).toMatchObject({ value: 60, ratio: null, baseline: { value: null } });
    expect(renderReport({ rows: row === undefined ? [] : [row] }, '')).toContain(
      '| `dashboard-beside/peer/pan` | 60 pictures/s | peer 1.2 could not: it has no panning: a drag \\| chooses a range |  | times that the chart of all runs was another while it was panned by dragging; ours 58, 60 |',
    );
  });

  it('have no ratio where the other has nothing, and no row where nothing was tried', () => {
    const rows = rowsOf(sides());
    expect(rows.find(({ name }) => name.endsWith('longest-task'))).toMatchObject({ value: 0, ratio: null });
    expect(rows.map(({ name }) => name.split('/')[2])).toEqual(['open', 'longest-task', 'pan', 'push']);
  });

  it('keep the first reason of a measure and do not try it again', async () => {
    const figures = new Figures();
    let tries = 0;
    for (let round = 0; round < 2; round++)
      await take(figures, ['open', 'data'], async () => {
        tries += 1;
        figures.add('open', 1);
        throw new Error(`page.click: Timeout ${tries}\nCall log:\n  - waiting`);
      });
    expect([tries, figures.reason('open'), figures.reason('data')]).toEqual([
      1,
      'page.click: Timeout 1',
      'page.click: Timeout 1',
    ]);
  });
});

describe('the sets', () => {
  it('are a million points in a hundred metrics, and 200 runs of a thousand steps, all of them finite', () => {
    const long = longRun(wholeAmounts);
    expect([long.values.length, new Set(long.names).size]).toEqual([1_000_000, 100]);
    expect(long.values.every(Number.isFinite)).toBe(true);
    const many = manyRuns(wholeAmounts);
    expect(many.map(({ run, values }) => [run, values.length])).toEqual(
      Array.from({ length: 200 }, (_, run) => [`many-${String(run).padStart(3, '0')}`, 1000]),
    );
    const again = longRun(wholeAmounts).values;
    expect(Buffer.from(again.buffer).equals(Buffer.from(long.values.buffer))).toBe(true);
  });

  it('change at every step of the run that goes on', () => {
    const [first = 0, second = 0, third = 0] = liveRows(1, 3).values;
    expect([Math.abs(second - first) > 0.5, Math.abs(third - second) > 0.5]).toEqual([true, true]);
    expect(liveRows(3, 1).values[0]).toBe(third);
  });
});
