import { describe, expect, it } from 'vitest';
import { estimateReturnsToGo } from './returns-to-go.js';

describe('returns-to-go of tokens', () => {
  // two turns: reward 1 at position 1, none for the second turn until position 5
  const lossMask = [1, 1, 0, 0, 1, 1];
  const rewards = [0, 1, 9, 0, 0, 4]; // position 2 is not in the loss: its reward is not read

  it('discount per loss token, not per position', () => {
    expect([...estimateReturnsToGo({ rewards, lossMask, gamma: 0.5 })]).toEqual([1, 2, 0, 0, 2, 4]);
  });

  it('are what is left of the total with γ = 1', () => {
    expect([...estimateReturnsToGo({ rewards, lossMask, gamma: 1 })]).toEqual([5, 5, 0, 0, 4, 4]);
  });

  it('are 0 without rewards, and nothing without tokens', () => {
    expect([...estimateReturnsToGo({ rewards: [0, 0], lossMask: [1, 1], gamma: 0.9 })]).toEqual([0, 0]);
    expect([...estimateReturnsToGo({ rewards: [], lossMask: [], gamma: 0.9 })]).toEqual([]);
  });

  it('are refused for arrays of different lengths', () => {
    expect(() => estimateReturnsToGo({ rewards: [1], lossMask: [1, 1], gamma: 1 })).toThrow(/lengths differ/);
  });
});
