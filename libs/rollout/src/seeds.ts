/**
 * @file Derives all seeds of rollouts and updates. Splits have disjoint ranges of the 32-bit seeds, so they share no
 * state, whatever the run's seed. Validation and test are the same for every run: their states, environment noise and
 * sampler draws depend on the index only, so runs can be compared state by state.
 */
import { AppError, type RolloutSeeds, type RunSpec, type Split } from '@espalier/contracts';
import { deriveSeed, stateSeedRanges } from '@espalier/random';

/**
 * Gives the state seed of the `index`-th initial state of a split; no state repeats within a run.
 *
 * @param index from 0; in training `(step - 1) · promptsPerStep + group`
 * @throws contracts.invalid_value when the index leaves the range of the split
 */
export function stateSeed(split: Split, runSeed: number, index: number): number {
  const { first, count } = stateSeedRanges[split];
  if (!Number.isInteger(index) || index < 0 || index >= count) {
    throw new AppError(
      'contracts.invalid_value',
      `state seed of ${split}: index ${index}; expected an integer in 0..${count - 1}`,
    );
  }
  const offset = split === 'train' ? deriveSeed(runSeed, 'train', 'state') % count : 0;
  return first + ((offset + index) % count);
}

/** Which rollout the seeds are for. */
export interface SeedAddress {
  readonly runSeed: number;
  readonly split: Split;
  readonly environment: string;
  /** step that the rollout is sampled for, from 1 in training; ignored elsewhere */
  readonly step: number;
  /** groups per iteration, so that iterations do not overlap */
  readonly promptsPerStep: number;
  readonly group: number;
  readonly index: number;
  /** 0, or 1 for the replacement of a failed episode */
  readonly retry: number;
  readonly noiseSeed: RunSpec['rollout']['noiseSeed'];
  /** index of the initial state among those of the split; default: no state repeats */
  readonly task?: number | undefined;
}

/** Streams are derived from how many iterations came before a step. */
const iterationsBefore = (step: number): number => step - 1;

/** Derives the seed that shuffles the examples of one training step for one epoch. */
export function miniBatchSeed(runSeed: number, step: number, epoch: number): number {
  return deriveSeed(runSeed, 'mini-batches', iterationsBefore(step), epoch);
}

/** Derives the seeds of one rollout: state per group, environment noise (unless per group) and sampling per trajectory and retry. */
export function rolloutSeeds(address: SeedAddress): RolloutSeeds {
  const { runSeed, split, environment, step, promptsPerStep, group, index, retry } = address;
  const train = split === 'train';
  const iteration = train ? iterationsBefore(step) : 0;
  const newest = train ? iteration * promptsPerStep + group : group;
  const state = stateSeed(split, runSeed, address.task ?? newest);
  // the labels are part of the seeds: renaming one changes every run
  const stream = (purpose: 'luck' | 'sampling'): number =>
    deriveSeed(train ? runSeed : 0, split, environment, iteration, group, index, retry, purpose);
  return {
    state,
    noise: address.noiseSeed === 'per-group' ? state : stream('luck'),
    sampling: stream('sampling'),
  };
}

/** Draws follow seed and position; windows have the same positions again, so each has a seed of its own. */
export const windowSeed = (seed: number, window: number): number =>
  window === 0 ? seed : deriveSeed(seed, 'window', window);
