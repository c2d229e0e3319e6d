/**
 * @file What it costs a training to tell of its episodes while they are played: FrozenLake with 64 and with 512 episodes a
 * step, written to an outbox as a worker's training process does. A sampling profiler tells how much of the
 * time lies within the functions that tell, whatever they call.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyOverrides, loadConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { createMetricSink, createOutboxSink, createTeeSink, createTrajectorySink } from '@espalier/recorder';
import { createTrainer } from '@espalier/trainer';
import { type BenchItem, type BenchRow, buildRow } from '../row.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
/** µs between two samples */
const interval = 200;
/** files whose functions tell, and those that write what is told */
const telling = /\/follow-episodes\.(?:js|ts)$/;

/** Rows: seconds within what tells, of those of the iterations. */
export const inFlight: BenchItem = async ({ short, threads }) => {
  const rows: BenchRow[] = [];
  for (const prompts of short ? [1] : [8, 64]) {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
    try {
      const shape = { prompts, steps: short ? 1 : 4, threads };
      const { seconds, told, profile } = await train(folder, shape);
      rows.push(
        buildRow(
          `in-flight/${prompts * 8}`,
          secondsWithin(profile, telling),
          's',
          { name: 'the iterations, s', value: seconds },
          `${told.turns} turns told in ${told.portions} portions, ${shape.steps} iterations of ${prompts} × 8 episodes; by samples every ${interval} µs`,
        ),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return rows;
};

async function train(
  folder: string,
  { prompts, steps, threads }: { readonly prompts: number; readonly steps: number; readonly threads: number },
) {
  const registry = await discoverPlugins({ root });
  const input = applyOverrides(loadConfig(join(root, 'config/runs/frozen-lake-grpo.yaml')), [
    `steps=${steps}`,
    'validation.every=0',
    'validation.atStart=false',
    'validation.atEnd=false',
    `rollout.promptsPerStep=${prompts}`,
    'rollout.groupSize=8',
    `device.threads=${threads}`,
  ]);
  const { spec } = resolveRunSpec(input, registry);
  const outbox = createOutboxSink(join(folder, 'outbox.jsonl'));
  const told = { turns: 0, portions: 0 };
  const counted = {
    ...outbox,
    follow(turns: Parameters<NonNullable<typeof outbox.follow>>[0]) {
      told.turns += turns.length;
      told.portions++;
      outbox.follow?.(turns);
    },
  };
  const sink = createTeeSink(
    counted,
    createMetricSink(join(folder, 'metrics.jsonl')),
    createTrajectorySink(join(folder, 'trajectories')),
  );
  const trainer = await createTrainer(spec, { registry, folder: join(folder, 'run'), sink });
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval });
    await session.post('Profiler.start');
    const begin = performance.now();
    await trainer.run(new AbortController().signal);
    const seconds = (performance.now() - begin) / 1000;
    const { profile } = await session.post('Profiler.stop');
    return { seconds, told, profile };
  } finally {
    session.disconnect();
    await trainer.dispose();
    outbox.close();
  }
}

/** Seconds in the functions of some files, and in all that they called. */
function secondsWithin({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, files: RegExp): number {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const within = new Set<number>();
  const mark = (id: number, isWithin: boolean): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const counts = isWithin || files.test(node.callFrame.url);
    if (counts) within.add(id);
    for (const child of node.children ?? []) mark(child, counts);
  };
  const [first] = nodes;
  if (first !== undefined) mark(first.id, false);
  return samples.reduce((sum, id, at) => sum + (within.has(id) ? (timeDeltas[at] ?? 0) : 0), 0) / 1e6;
}
