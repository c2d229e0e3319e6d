/**
 * @file One iteration of training, seedling on FrozenLake with GRPO, split by phase and by who spends the time. The run
 * writes its folder as `espalier train` does, so that encoding and storing metrics and trajectories are included.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyOverrides, loadConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { runClock } from '@espalier/runtime';
import {
  createEventLogSink,
  createMetricSink,
  createTeeSink,
  createTrajectorySink,
} from '@espalier/recorder';
import { createTrainer } from '@espalier/trainer';
import { type BenchItem, type BenchOptions, type BenchRow, buildRow, median } from '../row.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const phases = ['collect', 'select', 'credit', 'update', 'report'] as const;

/** Rows: seconds per iteration relative to its model arithmetic, the share of everything else, and each phase. */
export const iteration: BenchItem = async (options) => {
  const steps = options.short ? 1 : 6;
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  try {
    const { rows, runtimeSeconds } = await train(folder, steps, options);
    const measured = options.short ? rows : rows.slice(1);
    return summarize(measured, runtimeSeconds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

async function train(folder: string, steps: number, { short, threads }: BenchOptions) {
  const registry = await discoverPlugins({ root });
  const overrides = [
    `steps=${steps}`,
    'validation.every=0',
    'validation.atStart=false',
    'validation.atEnd=false',
  ];
  if (short) overrides.push('rollout.promptsPerStep=2', 'rollout.groupSize=4');
  overrides.push(`device.threads=${threads}`);
  const input = applyOverrides(loadConfig(join(root, 'config/runs/frozen-lake-grpo.yaml')), overrides);
  const { spec } = resolveRunSpec(input, registry);
  const sink = createTeeSink(
    createMetricSink(join(folder, 'metrics.jsonl')),
    createTrajectorySink(join(folder, 'trajectories')),
    createEventLogSink(join(folder, 'events.jsonl')),
  );
  const runtimeSeconds: number[] = [];
  const rows: Record<string, number>[] = [];
  runClock.clear();
  const trainer = await createTrainer(spec, {
    registry,
    folder: join(folder, 'run'),
    sink: {
      emit(event) {
        sink.emit(event);
        if (event.kind !== 'metrics') return;
        rows.push({ ...event.values });
        runtimeSeconds.push(runClock.read().seconds);
        runClock.clear();
      },
      flush: () => sink.flush(),
    },
  });
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
  }
  return { rows, runtimeSeconds: runtimeSeconds.slice(-(short ? 1 : steps - 1)) };
}

function summarize(
  rows: readonly Readonly<Record<string, number>>[],
  runtimeSeconds: readonly number[],
): BenchRow[] {
  const middle = (name: string): number => median(rows.map((row) => row[name] ?? Number.NaN));
  const total = middle('time/step_seconds');
  const arithmetic = median(runtimeSeconds);
  const whole = { name: 'whole iteration, s', value: total };
  return [
    buildRow(
      'iteration',
      total,
      's',
      { name: 'its time in ONNX Runtime, s', value: arithmetic },
      `${middle('rollout/sampled_tokens')} tokens sampled, ${middle('update/tokens')} trained; medians over ${rows.length} iterations`,
    ),
    buildRow(
      'iteration/other',
      total - arithmetic,
      's',
      whole,
      'everything that is not model arithmetic: environments, parsing, batching, bookkeeping with trajectories and metrics written to files; the difference of two medians',
    ),
    ...phases.map((phase) =>
      buildRow(
        `iteration/${phase}`,
        middle(`time/${phase}_seconds`),
        's',
        whole,
        'a median of its own: phases need not add up to the whole',
      ),
    ),
  ];
}
