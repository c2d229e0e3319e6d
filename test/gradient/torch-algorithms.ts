/**
 * @file What PyTorch made of the 1,000 ragged batches with algorithms (test/golden/loss/make_algorithms.py): losses, and
 * projections of advantages and gradients.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { goldenFolder } from '@espalier/testing';
import type { UpdateSettings } from './loss-algorithms.js';

interface TorchCase {
  readonly use: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** magnitudes: rewards of the batch without their signs; absent: as they are */
  readonly rewards: 'magnitudes' | undefined;
}

/** A case in a run with other settings, by their names in `update`. */
export interface TorchSetting {
  /** name of the case */
  readonly case: string;
  readonly update: UpdateSettings;
}

/** Projection of advantages, loss, projection of its gradient by log-probabilities. */
type TorchResult = readonly [advantages: number, loss: number, gradient: number];

/** Reads the cases, and per batch the result of each; null where nothing is left to learn from. */
export function loadTorch(): {
  readonly cases: Readonly<Record<string, TorchCase>>;
  /** cases of even and of odd groups, by name */
  readonly mixtures: Readonly<Record<string, readonly [even: string, odd: string]>>;
  readonly settings: Readonly<Record<string, TorchSetting>>;
  readonly results: readonly Readonly<Record<string, TorchResult | null>>[];
} {
  const [head = '', ...lines] = gunzipSync(readFileSync(join(goldenFolder('loss'), 'torch.jsonl.gz')))
    .toString()
    .trimEnd()
    .split('\n');
  const { cases, rewards, mixtures, settings } = JSON.parse(head) as {
    cases: Record<string, { use: string }>;
    rewards: Record<string, TorchCase['rewards']>;
    mixtures: Record<string, readonly [string, string]>;
    settings: Record<string, TorchSetting>;
  };
  return {
    cases: Object.fromEntries(
      Object.entries(cases).map(([name, { use, ...options }]) => [
        name,
        { use, options, rewards: rewards[name] },
      ]),
    ),
    mixtures,
    settings,
    results: lines.map((line) => JSON.parse(line) as Record<string, TorchResult | null>),
  };
}

/** Σ c_j · value_j with fixed c, and Σ |c_j · value_j|: what a rounding error is relative to. */
export function project(values: readonly number[]): { readonly sum: number; readonly size: number } {
  let sum = 0;
  let size = 0;
  values.forEach((value, j) => {
    const part = value * (((37 * j) % 101) / 101 - 0.45);
    sum += part;
    size += Math.abs(part);
  });
  return { sum, size };
}
