import { describe, expect, it } from 'vitest';
import { estimateSeconds, secondsOfUpdates } from './estimate-iteration.js';
import type { IterationWork } from './expect-iteration.js';

const rates = { flop: 1e9, bytes: 1e6, node: 1e-3 };
const cost = { flop: 2e9, movedBytes: 3e6, nodes: 500, peakBytes: 0 };

describe('the seconds of an iteration', () => {
  it('of graphs are those of products, moves and nodes', () => {
    expect(secondsOfUpdates([cost, cost], { steps: 0, trainedParameters: 9 }, rates)).toBeCloseTo(11, 9);
  });

  it('of an optimizer step go by what is trained, and sampling waits for what is merged', () => {
    const work = {
      sampling: { prefills: [], decodes: [], sampledTokens: 0 },
      sequences: [],
      optimizerSteps: 2,
    } as unknown as IterationWork;
    const of = (trainedParameters: number, mergedBytes: number) =>
      estimateSeconds(work, { trainedParameters, mergedBytes }, rates);
    expect(of(1e6, 0)).toEqual({ collect: 0, update: 64 });
    expect(of(1e3, 4e6)).toEqual({ collect: 12, update: 0.064 });
  });
});
