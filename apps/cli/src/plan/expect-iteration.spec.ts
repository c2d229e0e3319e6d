import type { ResolvedRun } from '@espalier/config';
import type { GraphCost } from '@espalier/graph';
import { describe, expect, it } from 'vitest';
import { expectIteration, withGreedy } from './expect-iteration.js';
import type { RunGraphs, SequenceSizes } from './run-graphs.js';

const cost: GraphCost = { flop: 1, movedBytes: 1, nodes: 1, peakBytes: 1 };
const trained: SequenceSizes[] = [];
const scored: SequenceSizes[] = [];
const graphs: RunGraphs = {
  critics: 0,
  reference: false,
  recomputes: false,
  prefill: () => cost,
  decode: () => cost,
  score: (_, sizes) => (scored.push(sizes), cost),
  train: (_, sizes) => (trained.push(sizes), cost),
  nodes: () => [],
};

/** Four episodes of two turns: 50 and 10 tokens shown, 5 and 4 sampled. */
const turns = [
  { shown: 50, sampled: 5 },
  { shown: 10, sampled: 4 },
];

const samplerCorrection = { use: 'off' };

function expectWith(coefficient: number, use = 'off', distillation = 0, late = { ahead: 0, replayed: 0 }) {
  trained.length = 0;
  scored.length = 0;
  const run = {
    spec: {
      rollout: { groupSize: 2, ahead: late.ahead },
      device: { sampling: 'float32' },
      update: {
        epochs: 1,
        miniBatches: 1,
        microBatchTokens: 4096,
        observationLoss: { coefficient },
        selfDistillation: { coefficient: distillation },
        samplerCorrection: { use },
      },
    },
    derived: { keptGroupsPerStep: 2, schedule: { replayedGroupsPerStep: late.replayed } },
  } as unknown as Pick<ResolvedRun, 'spec' | 'derived'>;
  return expectIteration(
    run,
    Array.from({ length: 4 }, () => turns),
    graphs,
  );
}

describe('withGreedy', () => {
  const lengths = (groupSize: number, ...compared: boolean[]) =>
    withGreedy(
      [1, 2, 3, 4].map((sampled) => [{ shown: 1, sampled }]),
      groupSize,
      compared,
    ).map(([turn]) => turn?.sampled);

  it('plays one more episode behind those of each group that is compared with it', () => {
    expect(lengths(2, true, true)).toEqual([1, 2, 2, 3, 4, 4]);
    expect(lengths(1, true, true, true, true)).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
    expect(lengths(2)).toEqual([1, 2, 3, 4]);
    expect(withGreedy([], 2, [true, true])).toEqual([]);
  });

  it('plays them in the tags that have them only, as long as episodes are there', () => {
    // the last tag has two groups of one, the first two: not one in each tag
    expect(lengths(1, false, false, true, true)).toEqual([1, 2, 3, 3, 4, 4]);
    expect(lengths(2, false, true)).toEqual([1, 2, 3, 4, 4]);
  });
});

describe('expectIteration', () => {
  it('trains each window as a sequence of its own', () => {
    trained.length = 0;
    const fresh = [
      { shown: 50, sampled: 5 },
      { shown: 65, sampled: 4, isFresh: true },
    ];
    const { trainedTokens } = expectIteration(
      {
        spec: {
          rollout: { groupSize: 2 },
          device: { sampling: 'float32' },
          update: {
            epochs: 1,
            miniBatches: 1,
            microBatchTokens: 4096,
            observationLoss: { coefficient: 0 },
            selfDistillation: { coefficient: 0 },
            samplerCorrection,
          },
        },
        derived: { keptGroupsPerStep: 2 },
      } as unknown as Pick<ResolvedRun, 'spec' | 'derived'>,
      Array.from({ length: 4 }, () => fresh),
      graphs,
    );
    expect(trained.reduce((sum, { count }) => sum + count, 0)).toBe(4 * 9);
    expect(trainedTokens).toBeGreaterThan(expectWith(0).trainedTokens);
  });

  it('counts the tokens that were shown, where observations are learned in the same pass', () => {
    const plain = expectWith(0);
    expect(plain.sequences).toHaveLength(1);
    const both = expectWith(0.05);
    expect(both.sequences.map(({ session }) => session.split(' ')[0])).toEqual(['policy']);
    // of each episode 9 sampled tokens, and twice 10 observed ones
    expect(trained.map(({ count }) => count)).toEqual([4 * (9 + 20)]);
    expect(both.trainedTokens).toBe(plain.trainedTokens);
    expect(both.optimizerSteps).toBe(plain.optimizerSteps);
  });

  it('counts what a teacher is asked behind a trajectory as long, and the pass that learns from it', () => {
    const plain = expectWith(0);
    const both = expectWith(0, 'off', 0.01);
    expect(both.sequences.map(({ session }) => session.split(' ')[0])).toEqual([
      'teacher',
      'policy',
      'distillation',
    ]);
    expect(trained.map(({ count }) => count)).toEqual([4 * 9, 4 * 9]);
    expect(scored.map(({ count }) => count)).toEqual([4 * 9]);
    const largest = (of: SequenceSizes | undefined) => Math.max(...Object.values(of?.sizes ?? {}));
    expect(largest(scored[0])).toBeGreaterThan(1.5 * largest(trained[0]));
    expect(both.optimizerSteps).toBe(plain.optimizerSteps);
  });

  it('counts that the policy is asked without the sibling where an older one sampled, and no correction asks it', () => {
    const asked = (...given: Parameters<typeof expectWith>) => {
      expectWith(...given);
      return scored.map(({ count }) => count);
    };
    expect(asked(0, 'off', 0.01, { ahead: 1, replayed: 0 })).toEqual([4 * 9, 4 * 9]);
    // of three groups one is replayed
    expect(asked(0, 'off', 0.01, { ahead: 0, replayed: 1 })).toEqual([6 * 9, 2 * 9]);
    expect(asked(0, 'truncated', 0.01, { ahead: 1, replayed: 0 })).toHaveLength(2);
    expect(asked(0, 'off', 0, { ahead: 1, replayed: 0 })).toEqual([]);
  });

  it('counts the passes of a critic that learns more often than the policy', () => {
    trained.length = 0;
    const run = {
      spec: {
        rollout: { groupSize: 2 },
        device: { sampling: 'float32' },
        update: {
          epochs: 1,
          criticEpochs: 3,
          criticMiniBatches: 4,
          miniBatches: 2,
          microBatchTokens: 4096,
          observationLoss: { coefficient: 0 },
          selfDistillation: { coefficient: 0 },
          samplerCorrection,
        },
      },
      derived: { keptGroupsPerStep: 2 },
    } as unknown as Pick<ResolvedRun, 'spec' | 'derived'>;
    const episodes = Array.from({ length: 4 }, () => turns);
    const work = expectIteration(run, episodes, { ...graphs, critics: 1 });
    const names = work.sequences.map(({ session }) => session.split(' ')[0]);
    expect(names.filter((name) => name === 'critic')).toHaveLength(12);
    expect(names.filter((name) => name === 'policy')).toHaveLength(2);
    expect(work.optimizerSteps).toBe(14);
    expect(work.trainedTokens).toBe(expectWith(0).trainedTokens);
    // each of two learns and is asked as one is; the policy learns as before
    const two = expectIteration(run, episodes, { ...graphs, critics: 2 });
    const namesOfTwo = two.sequences.map(({ session }) => session.split(' ')[0]);
    const count = (name: string): number[] =>
      [names, namesOfTwo].map((all) => all.filter((one) => one === name).length);
    expect([count('critic'), count('values'), count('policy')]).toEqual([
      [12, 24],
      [1, 2],
      [2, 2],
    ]);
    expect(two.optimizerSteps).toBe(26);
  });

  it('counts the pass that scores what a corrected sampler wrote', () => {
    const corrected = expectWith(0, 'truncated');
    expect(corrected.sequences.map(({ session }) => session.split(' ')[0])).toEqual(['old', 'policy']);
    expect(corrected.trainedTokens).toBe(expectWith(0).trainedTokens);
  });
});
