/** @file The shape of docs/results/NAME.json. Rates are shares of 1, times minutes. */
import type { PairedComparison } from '@espalier/trainer';
import type { Bar } from '../matrix.js';
import type { Crossing } from './crossings.js';
import type { CurveName } from './curves.js';
import type { Sample } from './samples.js';

/** Success on the fixed states, with its 95 % Wilson interval. */
export interface Measured {
  readonly step: number;
  /** minutes up to here as the budget counts them, see budget-clock.ts */
  readonly minutes: number;
  readonly success: number;
  readonly low: number;
  readonly high: number;
  /** share of turns whose reply has the required format */
  readonly formatValid?: number;
}

/** A model that was warm-started, before and what that took. */
export interface WarmStarted {
  /** titles of the models, from the first to the one that the runs start from */
  readonly models: readonly string[];
  /** the first model on the same states; absent where the configuration of the warm start names the student */
  readonly before?: Omit<Measured, 'step' | 'minutes'>;
  /** of all warm starts, on the wall clock */
  readonly minutes: number;
}

export type Points = readonly (readonly [step: number, value: number])[];

/** Success in one environment of a run in several. */
export interface TagResult {
  readonly tag: string;
  readonly environment: string;
  readonly trained: boolean;
  readonly start: Pick<Measured, 'success' | 'low' | 'high'>;
  readonly end: Pick<Measured, 'success' | 'low' | 'high'>;
  /** end − start, state by state */
  readonly difference: PairedComparison;
}

export interface SeedResult {
  readonly seed: number;
  readonly command: string;
  /** commit of the code, with `-changed` where files differed from it; absent in results of before 2026-11-29 */
  readonly revision?: string;
  readonly outcome: 'finished' | 'no-signal';
  /** starts of the process, resumptions included */
  readonly attempts: number;
  readonly iterations: number;
  /** wall clock: training, validations and saving; starts and pauses are not in it */
  readonly wallMinutes: number;
  /** as the budget counts them, see budget-clock.ts */
  readonly minutes: number;
  readonly sampledTokens: number;
  readonly trainedTokens: number;
  readonly states: number;
  readonly start: Measured;
  /** last validation inside the budget */
  readonly end: Measured;
  /** end − start, state by state */
  readonly difference: PairedComparison;
  /** in a run in several environments, or with others that are validated */
  readonly tags?: readonly TagResult[];
  readonly validations: readonly Measured[];
  readonly curves: Readonly<Partial<Record<CurveName, Points>>>;
  readonly crossings: readonly Crossing[];
  readonly samples?: readonly Sample[];
}

export interface EntryResult {
  readonly name: string;
  readonly title: string;
  readonly config: string;
  readonly command: string;
  readonly machine: string;
  readonly threads: number;
  /** how the machine was used meanwhile, in words */
  readonly note: string;
  readonly seedsAsked: number;
  readonly budgetMinutes: number;
  readonly bar?: Bar;
  readonly temperature: number;
  readonly warmStart?: WarmStarted;
  readonly seeds: readonly SeedResult[];
  /** the resolved spec of the first seed */
  readonly spec: unknown;
}
