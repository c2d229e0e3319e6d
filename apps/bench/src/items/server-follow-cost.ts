/**
 * @file What it costs a training to run under the server, and to be followed there: the time from its first to its last
 * metrics row, with the same spec and seed in all three ways, taken in turn within one run; ratio of the medians.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@espalier/client';
import { readMetrics } from '@espalier/telemetry';
import type { BenchItem } from '../bench-item.js';
import { buildRow, median } from '../row.js';

const main = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));
const [adminKey, workerKey] = [
  'an-admin-key-for-measuring-and-no-more',
  'a-worker-key-for-measuring-and-no-more',
];

const specOf = (steps: number, threads: number): Record<string, unknown> => ({
  ...{ name: 'cost', environment: { use: 'bandit' }, algorithm: { use: 'grpo' }, steps },
  ...{ rollout: { groups: 4, members: 4, maxResponseTokens: 40 }, device: { threads } },
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
  else
    while ((await client.runs.get(id)).state !== 'finished')
      await new Promise((resolve) => setTimeout(resolve, 1000));
  return trainingSeconds(join(worker, 'runs', id));
}

/** Measures the three ways in turn. */
export const serverFollowCost: BenchItem = async ({ short, threads }) => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-cost-'));
  const spec = specOf(short ? 3 : 10, threads);
  const file = join(folder, 'cost.yaml');
  mkdirSync(folder, { recursive: true });
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
  const taken: { plain: number[]; alone: number[]; followed: number[] } = {
    plain: [],
    alone: [],
    followed: [],
  };
  try {
    for (let round = 0; round < (short ? 1 : 5); round += 1) {
      taken.plain.push(await trainPlain(join(folder, 'plain'), file));
      taken.alone.push(await trainUnder(client, data, spec, false));
      taken.followed.push(await trainUnder(client, data, spec, true));
    }
  } finally {
    await client.dispose();
    await end(worker);
    await end(server);
    rmSync(folder, { recursive: true, force: true });
  }
  const plain = { name: 'espalier train', value: median(taken.plain) };
  const alone = { name: 'under the server, not followed', value: median(taken.alone) };
  const spread = `plain ${taken.plain.map((s) => s.toFixed(2)).join(', ')} s; load ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0] ?? ''}`;
  return [
    buildRow('server-follow-cost/server', median(taken.alone), 's', plain, spread),
    buildRow('server-follow-cost/follower', median(taken.followed), 's', alone),
  ];
};
