/**
 * @file What Espalier itself takes of an iteration whose model is on a server of the Tinker API. The server is a process of its
 * own, `espalier engine serve`, over loopback. Processor time is compared, as a busy machine stretches every wall clock: that
 * of this process, which is everything but model arithmetic (environments, prompts, credit, losses, wire, files), with
 * that of both. The server has one thread: a second one spins while it waits, and that would pass for arithmetic. The
 * smallest built-in model is the hardest case: a larger one takes longer on the server and as much here.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { applyOverrides, loadConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import {
  createEventLogSink,
  createMetricSink,
  createTeeSink,
  createTrajectorySink,
} from '@espalier/recorder';
import { createTrainer } from '@espalier/trainer';
import { type BenchItem, type BenchOptions, buildRow, median } from '../row.js';
import { processorSeconds } from '../server/processor-seconds.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

interface Spent {
  readonly here: number;
  readonly server: number;
  readonly wall: number;
}

const cases = [
  { name: 'named', model: 'seedling', losses: 'named' },
  { name: 'linear', model: 'seedling', losses: 'linear' },
  { name: 'named/sapling', model: 'sapling', losses: 'named' },
] as const;

type Case = (typeof cases)[number];

/** Rows: processor time of this process in an iteration, relative to that of both, by named losses and linearised. */
export const tinkerOverhead: BenchItem = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  const models = [...new Set(cases.map(({ model }) => model))];
  const server = await startServer(folder, models);
  try {
    const rows = [];
    for (const one of cases) {
      const spent = await train(join(folder, one.name), server, one, options);
      const here = median(spent.map((iteration) => iteration.here));
      const wall = median(spent.map((iteration) => iteration.wall));
      rows.push(
        buildRow(
          `tinker-overhead/${one.name}`,
          here,
          's',
          {
            name: 'processor time of both sides in the same iteration, s',
            value: median(spent.map((iteration) => iteration.here + iteration.server)),
          },
          `medians over ${spent.length} iterations of FrozenLake with GRPO, ${one.model} on the server; wall ${wall.toFixed(2)} s; load ${loadavg()[0]?.toFixed(1) ?? ''}`,
        ),
      );
    }
    return rows;
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

interface ServerProcess {
  readonly pid: number;
  readonly url: string;
  stop(): void;
}

async function startServer(folder: string, models: readonly string[]): Promise<ServerProcess> {
  const main = join(root, 'apps/cli/dist/main.js');
  const words = ['engine', 'serve', ...models, '--port', '0', '--threads', '1', '--json'];
  const child = spawn(process.execPath, [main, ...words, '--data', join(folder, 'engine')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = (): void => void child.kill('SIGKILL');
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { readonly url: string };
    return { pid: child.pid as number, url, stop };
  }
  throw new Error('engine serve ended before it was ready');
}

async function train(
  folder: string,
  { url, pid }: ServerProcess,
  { model, losses }: Case,
  { short }: BenchOptions,
): Promise<Spent[]> {
  const steps = short ? 1 : 16;
  mkdirSync(folder, { recursive: true });
  const registry = await discoverPlugins({ root });
  const overrides = [
    `steps=${steps}`,
    'algorithm.dualClip=0',
    'validation.every=0',
    'validation.atStart=false',
    'validation.atEnd=false',
    `engine={use: tinker, url: "${url}", model: ${model}, losses: ${losses}}`,
    `model={use: ${model}}`,
  ];
  overrides.push(`rollout.promptsPerStep=${short ? 2 : 4}`, `rollout.groupSize=${short ? 4 : 8}`);
  const input = applyOverrides(loadConfig(join(root, 'config/runs/frozen-lake-grpo.yaml')), overrides);
  const { spec } = resolveRunSpec(input, registry);
  const sink = createTeeSink(
    createMetricSink(join(folder, 'metrics.jsonl')),
    createTrajectorySink(join(folder, 'trajectories')),
    createEventLogSink(join(folder, 'events.jsonl')),
  );
  const spent: Spent[] = [];
  const read = () => {
    const { user, system } = process.cpuUsage();
    return { here: (user + system) / 1e6, server: processorSeconds(pid).own, wall: performance.now() / 1000 };
  };
  let last = read();
  const trainer = await createTrainer(spec, {
    registry,
    folder: join(folder, 'run'),
    sink: {
      emit(event) {
        sink.emit(event);
        if (event.kind !== 'metrics') return;
        const now = read();
        spent.push({
          here: now.here - last.here,
          server: now.server - last.server,
          wall: now.wall - last.wall,
        });
        last = now;
      },
      flush: () => sink.flush(),
    },
  });
  try {
    last = read();
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
  }
  // the first ones compile: the server its graphs, this process its JavaScript
  return short ? spent : spent.slice(4);
}
