/**
 * @file What it costs a training to run under the server, and to be followed there: the time from its first to its last
 * metrics row, and the processor time of every process, with the same spec and seed in all three ways, taken in turn
 * within one run; ratios of the medians.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@espalier/client';
import { readMetrics } from '@espalier/telemetry';
import type { BenchItem } from '../bench-item.js';
import { type BenchRow, buildRow, median } from '../row.js';
import { type ProcessorSeconds, processorSeconds } from '../server/processor-seconds.js';

const main = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));
const [adminKey, workerKey] = [
  'an-admin-key-for-measuring-and-no-more',
  'a-worker-key-for-measuring-and-no-more',
];

/** The run of the quickstart (config/runs/bandit-starpo-s.yaml) with fewer steps. */
const specOf = (steps: number, threads: number): Record<string, unknown> => ({
  ...{ name: 'cost', environment: { use: 'bandit' }, optimizer: { learningRate: 2e-4 } },
  ...{ algorithm: { use: 'starpo-s', estimator: 'group', keepRatio: 0.5 }, update: { miniBatches: 2 } },
  ...{ validation: { every: 8, episodes: 256 } },
  ...{ steps, device: { threads } },
});

/** Seconds between the first and the last metrics row of a run folder. */
function trainingSeconds(run: string): number {
  const rows = readMetrics(join(run, 'metrics.jsonl'));
  return ((rows.at(-1)?.time ?? 0) - (rows[0]?.time ?? 0)) / 1000;
}

function start(words: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    ...{ env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] },
  });
}

/** Resolves with the first line it prints. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`ended with ${String(code)} before it was ready`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function trainPlain(folder: string, spec: string): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  const child = start(['train', spec, '--out', folder], {});
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`training ended with ${String(code)}`);
  return trainingSeconds(folder);
}

/** Trains under the server; a follower gets every record as it comes, or nobody looks until it is over. */
async function trainUnder(
  client: Client,
  worker: string,
  spec: object,
  isFollowed: boolean,
): Promise<number> {
  const { id } = await client.runs.create({ spec });
  if (isFollowed) for await (const _batch of client.follow(id));
  // nobody asks the server: a worker lets the folder of an attempt go when all it said is stored
  else
    for (let seen = false; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
      const isHeld = readdirSync(join(worker, 'attempts')).length > 0;
      if (seen && !isHeld) break;
      seen ||= isHeld;
    }
  return trainingSeconds(join(worker, 'runs', id));
}

/** Processor seconds of one training under the server, by process. */
interface Spent {
  readonly trainer: number;
  readonly worker: number;
  readonly server: number;
}

type Way = 'plain' | 'alone' | 'followed';

/** Measures the three ways in turn. */
export const serverFollowCost: BenchItem = async ({ short, threads }) => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-cost-'));
  const spec = specOf(short ? 1 : 8, threads);
  const file = join(folder, 'cost.yaml');
  writeFileSync(file, JSON.stringify(spec));
  const keys = {
    ESPALIER__SERVER__ACCESS__ADMINKEY: adminKey,
    ESPALIER__SERVER__ACCESS__WORKERKEY: workerKey,
  };
  const server = start(['serve', '--port', '0', '--data', join(folder, 'server'), '--json'], keys);
  const { url } = JSON.parse(await firstLine(server)) as { url: string };
  const data = join(folder, 'worker');
  const words = ['worker', '--server', url, '--name', 'cost', '--slots', '1', '--data', data, '--json'];
  const worker = start(words, { ESPALIER__WORKER__KEY: workerKey, ESPALIER__WORKER__GPUS: 'off' });
  await firstLine(worker);
  const client = createClient({ url, key: adminKey });
  const taken: Record<Way, number[]> = { plain: [], alone: [], followed: [] };
  const spent: Record<'alone' | 'followed', Spent[]> = { alone: [], followed: [] };
  const plainSpent: number[] = [];
  const under = async (way: 'alone' | 'followed'): Promise<void> => {
    const before = [processorSeconds(worker.pid), processorSeconds(server.pid)] as const;
    taken[way].push(await trainUnder(client, data, spec, way === 'followed'));
    // what is stored after the end counts too
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const after = [processorSeconds(worker.pid), processorSeconds(server.pid)] as const;
    spent[way].push(toSpent(before, after));
  };
  try {
    for (let round = 0; round < (short ? 1 : 2); round += 1) {
      const before = processorSeconds('self').children;
      taken.plain.push(await trainPlain(join(folder, 'plain'), file));
      plainSpent.push(processorSeconds('self').children - before);
      await under('alone');
      await under('followed');
    }
  } finally {
    await client.dispose();
    await end(worker);
    await end(server);
    rmSync(folder, { recursive: true, force: true });
  }
  return [...rowsOfTime(taken), ...rowsOfProcessor(plainSpent, spent)];
};

function toSpent(
  [workerBefore, serverBefore]: readonly [ProcessorSeconds, ProcessorSeconds],
  [worker, server]: readonly [ProcessorSeconds, ProcessorSeconds],
): Spent {
  return {
    trainer: worker.children - workerBefore.children,
    worker: worker.own - workerBefore.own,
    server: server.own - serverBefore.own,
  };
}

function rowsOfTime(taken: Record<Way, readonly number[]>): BenchRow[] {
  const plain = { name: 'espalier train', value: median(taken.plain) };
  const alone = { name: 'under the server, not followed', value: median(taken.alone) };
  const spread = `plain ${taken.plain.map((s) => s.toFixed(2)).join(', ')} s; load ${loadavg()[0]?.toFixed(1) ?? ''}`;
  return [
    buildRow('server-follow-cost/server', median(taken.alone), 's', plain, spread),
    buildRow('server-follow-cost/follower', median(taken.followed), 's', alone),
  ];
}

/** Processor time hardly changes with what else the machine does; a share of it is what is lost at most. */
function rowsOfProcessor(
  plain: readonly number[],
  { alone, followed }: Record<'alone' | 'followed', readonly Spent[]>,
): BenchRow[] {
  const besides = (all: readonly Spent[]): number => median(all.map(({ worker, server }) => worker + server));
  const part = (all: readonly Spent[], name: keyof Spent): string =>
    `${name} ${median(all.map((one) => one[name])).toFixed(2)} s`;
  const told = (all: readonly Spent[]): string =>
    (['trainer', 'worker', 'server'] as const).map((name) => part(all, name)).join(', ');
  const unit = 's of processor time';
  const trainer = median(alone.map((one) => one.trainer));
  return [
    buildRow(
      'server-follow-cost/trainer-processor',
      trainer,
      `${unit} of the training under the server`,
      { name: 'espalier train', value: median(plain) },
      `with the start of the process; followed: ${part(followed, 'trainer')}`,
    ),
    buildRow(
      'server-follow-cost/processor',
      besides(alone),
      `${unit} of worker and server`,
      { name: 'its training', value: trainer },
      told(alone),
    ),
    buildRow(
      'server-follow-cost/follower-processor',
      Math.max(0.01, besides(followed) - besides(alone)),
      `${unit} more when followed`,
      { name: 'its training', value: median(followed.map((one) => one.trainer)) },
      told(followed),
    ),
  ];
}
