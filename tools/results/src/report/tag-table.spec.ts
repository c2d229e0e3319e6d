import type { EpisodeOutcome, Evaluation } from '@espalier/trainer';
import { describe, expect, it } from 'vitest';
import { collectTags } from '../collect/collect-tags.js';
import type { SeedResult } from '../collect/result.js';
import { tagTable } from './tag-table.js';

const outcomes = (tag: string, wins: string): EpisodeOutcome[] =>
  [...wins].map((win, stateSeed) => ({
    tag,
    stateSeed,
    success: win === '1',
    total: Number(win),
    stopReason: 'turns',
    turns: 1,
    actions: 1,
    formatShare: 1,
  }));

/** An evaluation of a trained lake and, where it was measured, of boxes that are not trained. */
function evaluate(lake: string, boxes: string | undefined): Evaluation {
  const rate = (wins: string) => {
    const share = [...wins].filter((win) => win === '1').length / wins.length;
    return { episodes: wins.length, failed: 0, successRate: share, successLow: 0.1, successHigh: 0.9 };
  };
  const nothing = { episodes: 0, failed: 4, successRate: null, successLow: null, successHigh: null };
  return {
    environment: 'lake',
    ...rate(lake),
    metrics: {},
    outcomes: [...outcomes('boxes', boxes ?? ''), ...outcomes('lake', lake)],
    tags: [
      {
        tag: 'boxes',
        environment: 'sokoban',
        trained: false,
        ...(boxes === undefined ? { ...nothing, error: 'broken' } : rate(boxes)),
      },
      { tag: 'lake', environment: 'frozen-lake', trained: true, ...rate(lake) },
    ],
  };
}

const seedOf = (start: Evaluation, end: Evaluation): SeedResult =>
  ({ seed: 1, tags: collectTags(start, end) }) as unknown as SeedResult;

describe('success by tag', () => {
  it('has trained tags first, and compares the states of each with themselves', () => {
    const lines = tagTable({ seeds: [seedOf(evaluate('0001', '0110'), evaluate('1101', '0100'))] }).split(
      '\n',
    );
    expect(lines[0]).toBe('| tag | environment | trained | seed | before | after | state by state |');
    expect(lines[2]).toMatch(/^\| lake \| frozen-lake \| yes \| 1 \| 25\.0 % .* \| 75\.0 % .* \| \+50\.0 \[/);
    expect(lines[3]).toMatch(/^\| boxes \| sokoban \| no \| 1 \| 50\.0 % .* \| 25\.0 % .* \| −25\.0 \[/);
  });

  it('leaves out a tag that one of the evaluations could not measure', () => {
    const text = tagTable({ seeds: [seedOf(evaluate('0001', '0110'), evaluate('1101', undefined))] });
    expect(text).not.toContain('boxes');
  });

  it('is empty for a run in one environment', () => {
    const { tags: _tags, ...single } = evaluate('01', '01');
    expect(tagTable({ seeds: [seedOf(single, single)] })).toBe('');
  });
});
