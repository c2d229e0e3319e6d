/**
 * @file State-by-state comparison of two evaluations of the same initial states. Pairing removes the variance
 * between easy and hard states, so far fewer episodes show a gain than two separate intervals need.
 */
import { AppError } from '@espalier/contracts';
import type { EpisodeOutcome } from './evaluation.js';

export interface PairedComparison {
  readonly states: number;
  /** mean of (second − first) over the states, in success probability */
  readonly difference: number;
  /** 95 % normal interval of that mean */
  readonly low: number;
  readonly high: number;
  /** states solved only by the second, and only by the first */
  readonly gained: number;
  readonly lost: number;
}

/** Environments of different tags may have states of the same seed. */
const stateOf = ({ tag = '', stateSeed }: EpisodeOutcome): string => `${tag} ${stateSeed}`;

const normalQuantile = 1.959963984540054;

/**
 * Compares two evaluations on the states that both hold, matched by state seed, and by tag where there is one.
 *
 * @throws contracts.invalid_value when fewer than two states are shared
 */
export function comparePaired(
  first: readonly EpisodeOutcome[],
  second: readonly EpisodeOutcome[],
): PairedComparison {
  const before = new Map(first.map((outcome) => [stateOf(outcome), outcome.success]));
  const differences = second
    .filter((outcome) => before.has(stateOf(outcome)))
    .map((outcome) => Number(outcome.success) - Number(before.get(stateOf(outcome))));
  const states = differences.length;
  if (states < 2) {
    throw new AppError(
      'contracts.invalid_value',
      `compare evaluations: ${states} state(s) in common of ${first.length} and ${second.length}; ` +
        'evaluate both with the same environment and validation seeds, on at least 2 states',
    );
  }
  const difference = differences.reduce((sum, value) => sum + value, 0) / states;
  const squares = differences.reduce((sum, value) => sum + (value - difference) ** 2, 0);
  const halfWidth = normalQuantile * Math.sqrt(squares / (states - 1) / states);
  return {
    states,
    difference,
    low: difference - halfWidth,
    high: difference + halfWidth,
    gained: differences.filter((value) => value > 0).length,
    lost: differences.filter((value) => value < 0).length,
  };
}
