import type { ScoringModel, Trajectory } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { addStepColumns, type StepColumns } from './step-columns.js';

const trajectory = {
  tokens: Int32Array.from([5, 6, 7, 8]),
  logprobs: Float32Array.from([0, -1, 0, -2]),
  entropies: Float32Array.from([0, 0.5, 0, 0.25]),
} as Trajectory;
const example = {
  trajectory,
  positions: Int32Array.from([1, 3]),
  columns: { oldLogprobs: Float32Array.from([-1, -2]), advantages: Float32Array.from([3, 3]) },
};
const meanRatio: StepColumns = (sequences) =>
  sequences.map(({ logprobs, entropies, columns }) => ({
    shift: logprobs.map((value, i) => value - (columns['oldLogprobs']?.[i] ?? 0)),
    undecided: entropies,
  }));

describe('columns of a step', () => {
  it('come from what sampling recorded where the policy has not changed', async () => {
    const [added] = await addStepColumns([example], meanRatio, { temperature: 1 });
    expect([...(added?.columns['shift'] ?? [])]).toEqual([0, 0]);
    expect([...(added?.columns['undecided'] ?? [])]).toEqual([0.5, 0.25]);
    expect([...(added?.columns['advantages'] ?? [])]).toEqual([3, 3]);
    expect(Object.keys(example.columns)).toEqual(['oldLogprobs', 'advantages']);
  });

  it('come from the policy of now where it has, at the temperature of sampling', async () => {
    const asked: unknown[] = [];
    const model: ScoringModel = {
      score: async (requests) => {
        asked.push(...requests.map(({ positions, temperature }) => [[...positions], temperature]));
        return requests.map(() => ({
          logprobs: Float32Array.from([-0.5, -2.25]),
          entropies: Float32Array.from([1, 2]),
        }));
      },
      dispose: async () => undefined,
    };
    const [added] = await addStepColumns([example], meanRatio, { model, temperature: 0.7 });
    expect(asked).toEqual([[[1, 3], 0.7]]);
    expect([...(added?.columns['shift'] ?? [])]).toEqual([0.5, -0.25]);
    expect([...(added?.columns['undecided'] ?? [])]).toEqual([1, 2]);
  });
});
