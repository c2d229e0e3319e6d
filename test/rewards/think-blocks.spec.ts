import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { blockRules } from './block-rules.js';
import { cellOf, type Count, tableOf, withTable } from './figures.js';
import { replyRules } from './reply-rules.js';
import { readBlocks } from './think-blocks.js';

const blocks = readBlocks();
const written = blocks.filter(({ style }) => style !== 'generated');

/** Compares the README of a reward with what is measured now; `vitest run test/rewards -u` writes it. */
async function expectFigures(reward: string, table: string): Promise<void> {
  const path = fileURLToPath(new URL(`../../plugins/rewards/${reward}/README.md`, import.meta.url));
  await expect(withTable(readFileSync(path, 'utf8'), table)).toMatchFileSnapshot(path);
}

describe('labelled think blocks', () => {
  it('are 300 or more, at least half of them written by hand, in several styles', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(300);
    expect(written.length).toBeGreaterThanOrEqual(blocks.length / 2);
    const styles = new Set(written.map(({ style }) => style));
    for (const style of [
      'terse',
      'verbose',
      'listy',
      'first person',
      'contradiction',
      'negation',
      'hypothetical',
      'other player',
    ])
      expect(styles).toContain(style);
    expect(new Set(written.map(({ think, file }) => `${file} ${think}`)).size).toBe(written.length);
  });

  it.each(Object.entries(blockRules))('give the figures in the README of %s', async (reward, rules) => {
    const columns = [
      written.filter(({ isHeld }) => !isHeld),
      written.filter(({ isHeld }) => isHeld),
      blocks.filter(({ style }) => style === 'generated'),
    ];
    const rows = Object.entries(rules).map(([name, rule]) => [
      name,
      ...columns.map((some) => cellOf(rule, some)),
    ]);
    const head = ['what', 'written, seen', 'written, held out', 'generated'];
    await expectFigures(reward, tableOf([head, ...rows]));
  });
});

describe('labelled replies', () => {
  it.each(Object.entries(replyRules))('give the figures in the README of %s', async (reward, rules) => {
    const same = (count: Count): Count => count;
    const rows = rules.map(({ name, counts }) => [
      name,
      cellOf(
        same,
        counts.filter((_, index) => index % 3 < 2),
      ),
      cellOf(
        same,
        counts.filter((_, index) => index % 3 === 2),
      ),
    ]);
    await expectFigures(reward, tableOf([['what', 'seen', 'held out'], ...rows]));
  });
});
