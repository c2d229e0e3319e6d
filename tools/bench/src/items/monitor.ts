/**
 * @file What the collapse monitor costs at its default cadence: seedling on FrozenLake with GRPO, whole iterations. Both measurements
 * that ask the policy fall on the same checks, so the share is that of one such check and the four without, not of the median.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyOverrides, loadConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { createTrainer } from '@espalier/trainer';
import { type BenchItem, type BenchOptions, buildRow, median } from '../row.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

type Row = Readonly<Record<string, number>>;

/** Rows: processor seconds of the monitor per iteration beside those of the iteration, then a check of each kind. */
export const monitor: BenchItem = async (options) => {
  const { rows, every } = await train(options);
  const asking = rows.filter((row) => 'monitor/mi_sequence' in row);
  const others = rows.filter((row) => !('monitor/mi_sequence' in row));
  const seconds = (of: readonly Row[], name: string): number =>
    median(of.map((row) => row[name] ?? Number.NaN));
  const own = 'time/monitor_cpu_seconds';
  // without any check between, all are of one kind
  const plain = others.length === 0 ? asking : others;
  const perIteration = (seconds(asking, own) + (every - 1) * seconds(plain, own)) / every;
  const iteration = seconds(plain, 'time/cpu_seconds') - seconds(plain, own);
  const baseline = { name: 'CPU s of an iteration without it', value: iteration };
  const notes = `medians over ${asking.length} checks that ask the policy and ${others.length} that do not; one in ${every} asks`;
  return [
    buildRow('monitor', perIteration, 'CPU s', baseline, notes),
    buildRow('monitor/asking', seconds(asking, own), 'CPU s', baseline, 'cross-scoring and probes'),
    buildRow('monitor/reading', seconds(plain, own), 'CPU s', baseline, 'text and rules'),
  ];
};

async function train({ short, threads }: BenchOptions): Promise<{ rows: Row[]; every: number }> {
  const registry = await discoverPlugins({ root });
  const overrides = [
    `steps=${short ? 1 : 12}`,
    'validation.every=0',
    'validation.atStart=false',
    'validation.atEnd=false',
    'checkpoint.every=0',
    `device.threads=${threads}`,
    ...(short ? ['rollout.promptsPerStep=2', 'rollout.groupSize=4'] : []),
  ];
  const input = applyOverrides(loadConfig(join(root, 'config/runs/frozen-lake-grpo.yaml')), overrides);
  const { spec } = resolveRunSpec(input, registry);
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  const rows: Row[] = [];
  const trainer = await createTrainer(spec, {
    registry,
    folder: join(folder, 'run'),
    sink: {
      emit: (event) => void (event.kind === 'metrics' && rows.push(event.values)),
      flush: () => Promise.resolve(),
    },
  });
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
  // the first iteration makes sessions
  return { rows: short ? rows : rows.slice(1), every: spec.monitor.mutualInformation.every };
}
