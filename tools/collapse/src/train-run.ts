/** @file Trains one run of the corpus in this process and keeps the metrics that the monitor reads. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyOverrides, loadConfig, resolveRunSpec } from '@espalier/config';
import { observedMetrics } from '@espalier/diagnostics';
import type { discoverPlugins } from '@espalier/plugin-host';
import { createTrainer } from '@espalier/trainer';
import type { PlannedRun } from './families.js';
import type { RecordedRun } from './record.js';

type Registry = Awaited<ReturnType<typeof discoverPlugins>>;

export async function trainRun(
  { family, half, seed, config, set }: PlannedRun,
  {
    root,
    registry,
    signal,
  }: { readonly root: string; readonly registry: Registry; readonly signal: AbortSignal },
): Promise<RecordedRun> {
  const input = applyOverrides(loadConfig(join(root, config)), [...set, `seed=${seed}`]);
  const { spec } = resolveRunSpec(input, registry);
  const folder = mkdtempSync(join(tmpdir(), 'espalier-corpus-'));
  const rows: Readonly<Record<string, number>>[] = [];
  const trainer = await createTrainer(spec, {
    registry,
    folder: join(folder, 'run'),
    sink: {
      emit: (event) =>
        void (event.kind === 'metrics' && 'rollout/success_rate' in event.values && rows.push(event.values)),
      flush: () => Promise.resolve(),
    },
  });
  try {
    await trainer.run(signal);
  } finally {
    await trainer.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
  return { family, half, seed, config, set, metrics: toColumns(rows) };
}

function toColumns(rows: readonly Readonly<Record<string, number>>[]): RecordedRun['metrics'] {
  return Object.fromEntries(
    observedMetrics.flatMap((name) =>
      rows.some((row) => name in row) ? [[name, rows.map((row) => round(row[name]))]] : [],
    ),
  );
}

const round = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Number(value.toPrecision(6));
