import { describe, expect, it } from 'vitest';
import { expectSampling } from './expect-sampling.js';
import type { RunGraphs } from './run-graphs.js';

const nothing = { flop: 0, movedBytes: 0, nodes: 0, peakBytes: 0 };

/** Graphs that only note what they were asked. */
function noting() {
  const prefills: Parameters<RunGraphs['prefill']>[0][] = [];
  const decodes: Parameters<RunGraphs['decode']>[0][] = [];
  const graphs = {
    prefill: (sizes: (typeof prefills)[number]) => (prefills.push(sizes), nothing),
    decode: (sizes: (typeof decodes)[number]) => (decodes.push(sizes), nothing),
  } as unknown as RunGraphs;
  return { graphs, prefills, decodes };
}

describe('expectSampling', () => {
  it('prefills equal first prompts once and decodes one token less than each reply has', () => {
    const { graphs, prefills, decodes } = noting();
    const turns = [{ shown: 50, sampled: 10 }];
    const work = expectSampling([turns, turns, turns, turns], 2, graphs);
    expect(prefills).toEqual([{ rows: 2, tokens: 64, draws: 4, keys: 0, slots: 4, width: 64 }]);
    expect(decodes).toHaveLength(9);
    expect(work.sampledTokens).toBe(40);
  });

  it('lets episodes come back with later turns, whose keys reach over what is cached', () => {
    const { graphs, prefills, decodes } = noting();
    const turns = [
      { shown: 50, sampled: 5 },
      { shown: 20, sampled: 5 },
    ];
    expectSampling([turns, turns], 2, graphs);
    expect(prefills.map(({ rows, tokens, keys }) => ({ rows, tokens, keys }))).toEqual([
      { rows: 1, tokens: 64, keys: 0 },
      { rows: 2, tokens: 32, keys: 128 },
    ]);
    expect(decodes).toHaveLength(8);
  });

  it('computes a turn that begins a window from its first token', () => {
    const { graphs, prefills, decodes } = noting();
    const turns = [
      { shown: 50, sampled: 5 },
      { shown: 60, sampled: 5, isFresh: true },
    ];
    const work = expectSampling([turns, turns], 2, graphs);
    expect(prefills.map(({ rows, tokens, keys }) => ({ rows, tokens, keys }))).toEqual([
      { rows: 1, tokens: 64, keys: 0 },
      { rows: 2, tokens: 64, keys: 0 },
    ]);
    expect(decodes).toHaveLength(8);
    // never more than one window at a time
    expect(work.soloWidth).toBe(64);
  });

  it('keeps a long prompt once for its group, and every step reads it once', () => {
    const { graphs, prefills, decodes } = noting();
    const turns = [
      { shown: 100, sampled: 5 },
      { shown: 20, sampled: 5 },
    ];
    const work = expectSampling([turns, turns, turns, turns, turns, turns], 3, graphs);
    const prefixes = { rows: 2, groupSize: 3, width: 128 };
    expect(prefills).toEqual([
      { rows: 2, tokens: 128, draws: 6, keys: 0, slots: 6, width: 64 },
      { rows: 6, tokens: 32, draws: 6, keys: 128, slots: 6, width: 64, prefixes },
    ]);
    expect(decodes).toHaveLength(8);
    expect(decodes.map((sizes) => sizes.prefixes)).toEqual(decodes.map(() => prefixes));
    expect(work).toMatchObject({ width: 64, prefixes: { rows: 2, width: 128 }, soloWidth: 192 });
  });

  it('shares nothing among episodes that stand alone', () => {
    const { graphs, decodes } = noting();
    const turns = [{ shown: 100, sampled: 3 }];
    const work = expectSampling([turns, turns], 1, graphs);
    expect(decodes.map(({ width, prefixes }) => [width, prefixes])).toEqual([
      [128, undefined],
      [128, undefined],
    ]);
    expect(work.prefixes).toEqual({ rows: 0, width: 0 });
  });

  it('ends for episodes without turns', () => {
    expect(expectSampling([[], []], 2, noting().graphs)).toMatchObject({ sampledTokens: 0, prefills: [] });
  });
});
