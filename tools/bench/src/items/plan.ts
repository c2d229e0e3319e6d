/** @file The predictions of `espalier plan` compared with the run: seconds per iteration and peak memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchItem, type BenchOptions, type BenchRow, buildRow, median } from '../row.js';
import { describeError, espalier, overrides } from './command.js';

const runs = ['frozen-lake-grpo', 'bandit-starpo-s'] as const;

interface Prediction {
  readonly secondsPerStep: number;
  readonly peakBytes: number;
  readonly sampledTokens: number;
  readonly trainedTokens: number;
}

/** Rows `plan/seconds/<run>` and `plan/memory/<run>`: predicted next to measured; the ratio is predicted over measured. */
export const planErrors: BenchItem = async (options) => {
  const rows = (options.short ? runs.slice(1) : runs).map((name) => compare(name, options));
  return [...rows.map(({ seconds }) => seconds), ...rows.map(({ memory }) => memory)];
};

function compare(name: string, { short, threads }: BenchOptions): { seconds: BenchRow; memory: BenchRow } {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  try {
    const words = [
      `config/runs/${name}.yaml`,
      ...overrides(['validation.every=0', 'validation.atStart=false', 'validation.atEnd=false']),
      ...overrides([`steps=${short ? 2 : 6}`, `device.threads=${threads}`]),
      ...(short ? overrides(['rollout.promptsPerStep=2', 'rollout.groupSize=4']) : []),
    ];
    const planned = JSON.parse(espalier(['plan', ...words, '--json']).stdout) as {
      readonly estimate: { readonly expected: Prediction };
    };
    const { peakBytes } = espalier(['train', ...words, '--out', join(folder, 'run')]);
    const metrics = readMetrics(join(folder, 'run', 'metrics.jsonl'));
    return rowsOf(name, planned.estimate.expected, metrics, peakBytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Metrics = Readonly<Record<string, number>>;

function readMetrics(file: string): Metrics[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { readonly values?: Metrics } & Metrics);
  return rows
    .map((row): Metrics => row.values ?? row)
    .filter((row) => row['time/step_seconds'] !== undefined);
}

function rowsOf(name: string, predicted: Prediction, metrics: readonly Metrics[], peak: number) {
  // the first iteration also builds graphs and touches its memory for the first time
  const warm = metrics.length > 1 ? metrics.slice(1) : metrics;
  const middle = (metric: string): number => median(warm.map((row) => row[metric] ?? Number.NaN));
  const seconds = middle('time/step_seconds');
  return {
    seconds: buildRow(
      `plan/seconds/${name}`,
      predicted.secondsPerStep,
      's predicted',
      { name: 's measured', value: seconds },
      `${describeError(predicted.secondsPerStep, seconds)}; tokens predicted ${predicted.sampledTokens} sampled, ${predicted.trainedTokens} trained, seen ${middle('rollout/sampled_tokens')} and ${middle('update/tokens')}`,
    ),
    memory: buildRow(
      `plan/memory/${name}`,
      predicted.peakBytes / 1e9,
      'GB predicted',
      { name: 'GB measured', value: peak / 1e9 },
      `${describeError(predicted.peakBytes, peak)}; highest resident memory of the run's process`,
    ),
  };
}
