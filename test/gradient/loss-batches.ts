/**
 * @file The 1,000 ragged batches of test/golden/loss, and the results of an independent implementation. Numbers are
 * multiples of 1/1024.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { LossAggregation } from '@espalier/objective';
import { goldenFolder } from '@espalier/testing';

const UNIT = 1024;

export interface DrawnTrajectory {
  readonly group: number;
  readonly mask: readonly number[]; // [T]
  readonly ends: readonly number[];
  readonly rewards: readonly number[]; // [T]
  /** of loss tokens */
  readonly columns: Readonly<Record<string, readonly number[]>>; // each [n]
}

export interface DrawnBatch {
  readonly options: Readonly<{
    aggregation: LossAggregation;
    clipLow: number;
    clipHigh: number;
    dualClip: number;
    entropyCoefficient: number;
    klCoefficient: number;
    valueClip: number;
    gamma: number;
    lambda: number;
    turnGamma: number;
    bootstrap: number;
    keepPercent: number;
  }>;
  readonly trajectories: readonly DrawnTrajectory[];
}

/** A loss over a batch: Σ weight · loss, Σ weight · metric, and the gradient of the first by input. */
export interface ExpectedLoss {
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly gradients: Readonly<Record<string, readonly number[]>>; // each [N]
}

export interface ExpectedCredit {
  readonly advantages: readonly number[]; // [N]
  readonly returns: readonly number[]; // [N]
  readonly metrics: Readonly<Record<string, number>>;
}

export interface ExpectedAlgorithm extends Partial<Omit<ExpectedCredit, 'returns'>> {
  readonly params: Readonly<Record<string, unknown>>;
  /** indices of groups */
  readonly kept: readonly number[];
  /** per trajectory that is left */
  readonly weights?: readonly number[];
  readonly returns?: readonly number[]; // [N]
  readonly policy?: ExpectedLoss;
  readonly critic?: ExpectedLoss;
}

/** Reads one file of the folder: an entry for each batch. */
export function loadLines<T>(name: 'batches' | 'terms' | 'credit' | 'algorithms'): T[] {
  const text = gunzipSync(readFileSync(join(goldenFolder('loss'), `${name}.jsonl.gz`))).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

/** Reads the batches, in the units that the formulas use. */
export function loadBatches(): DrawnBatch[] {
  const scaled = (values: readonly number[]) => values.map((value) => value / UNIT);
  return loadLines<DrawnBatch>('batches').map(({ options, trajectories }) => ({
    options: { ...options, bootstrap: options.bootstrap / UNIT },
    trajectories: trajectories.map((one) => ({
      ...one,
      rewards: scaled(one.rewards),
      columns: Object.fromEntries(
        Object.entries(one.columns).map(([name, values]) => [name, scaled(values)]),
      ),
    })),
  }));
}

/** Joins a column of all loss tokens. */
export function joinColumn(trajectories: readonly DrawnTrajectory[], name: string): number[] {
  return trajectories.flatMap((one) => one.columns[name] ?? []); // [N]
}

/** Lists the loss tokens of each trajectory. */
export const lossMasksOf = (trajectories: readonly DrawnTrajectory[]) =>
  trajectories.map(({ mask }) => mask.filter((bit) => bit === 1).length);

/** Scatters a column to all positions, 0 outside the loss mask. */
export function spreadColumn({ mask, columns }: DrawnTrajectory, name: string): Float64Array {
  const entries = (columns[name] ?? [])[Symbol.iterator]();
  return Float64Array.from(mask, (bit) => (bit ? (entries.next().value as number) : 0)); // [T]
}

/** Gathers the loss entries of arrays over all positions. */
export function gatherEntries(
  arrays: readonly ArrayLike<number>[],
  trajectories: readonly DrawnTrajectory[],
): number[] {
  return arrays.flatMap((array, i) => Array.from(array).filter((_, t) => trajectories[i]?.mask[t] === 1)); // [N]
}

/** Repeats the weight of each trajectory for its loss tokens. */
export function spreadWeights(
  trajectories: readonly DrawnTrajectory[],
  weights: readonly number[],
): number[] {
  return lossMasksOf(trajectories).flatMap((count, i) =>
    new Array<number>(count).fill(weights[i] ?? Number.NaN),
  ); // [N]
}
