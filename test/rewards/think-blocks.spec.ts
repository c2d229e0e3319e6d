import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { figures, readBlocks, rules } from './think-blocks.js';

const blocks = readBlocks();
const written = blocks.filter(({ style }) => style !== 'generated');

/** The row of a rule in the table of its README. */
const rowOf = (name: string): string => {
  const columns = [
    written.filter(({ isHeld }) => !isHeld),
    written.filter(({ isHeld }) => isHeld),
    blocks.filter(({ style }) => style === 'generated'),
  ];
  return `| ${[name, ...columns.map((some) => figures(name, some))].join(' | ')} |`;
};

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

  it.each([
    ['true claims', 'faithfulness'],
    ['false claims', 'faithfulness'],
    ['planned moves', 'plan-consistency'],
    ['right predictions', 'prediction'],
    ['wrong predictions', 'prediction'],
  ])('give the figures of %s in the README of %s', (name, reward) => {
    const url = new URL(`../../plugins/rewards/${reward}/README.md`, import.meta.url);
    const lines = readFileSync(url, 'utf8')
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim());
    expect(rules).toHaveProperty([name]);
    expect(lines, `the table needs: ${rowOf(name)}`).toContain(rowOf(name));
  });
});
