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

  it('lets attempts come back with later turns, whose keys reach over what is cached', () => {
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

  it('ends for episodes without turns', () => {
    expect(expectSampling([[], []], 2, noting().graphs)).toMatchObject({ sampledTokens: 0, prefills: [] });
  });
});
