/** @file A run that a worker really trains, watched in headless Chromium: how long a metric takes from the trainer to the page. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@espalier/client';
import { AppError } from '@espalier/contracts';
import { dashboardItem } from '../browser/dashboard-item.js';
import { buildRow, percentile } from '../row.js';
import type { BenchServer } from '../server/bench-server.js';

const cli = fileURLToPath(new URL('../../../../apps/cli/dist/main.js', import.meta.url));
const recipe = fileURLToPath(new URL('../../../../config/runs/bandit-starpo-s.yaml', import.meta.url));
const metric = 'policy/gradient_norm';

/** A step of the run, first seen on the page. */
interface Seen {
  readonly step: number;
  /** ms since the epoch */
  readonly at: number;
  /** what its tile said of the metric */
  readonly shown: string;
}

/** From the time that the trainer gives a row of metrics, in the folder of the run, until its number is on the page. */
export const dashboardPushTrained = dashboardItem(async (server, page, short) => {
  const steps = short ? 3 : 60;
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-worker-'));
  const worker = startWorkerProcess(server, folder);
  const client = createClient({ url: server.url, key: server.adminKey });
  try {
    const source = readFileSync(recipe, 'utf8');
    const overrides = [`steps=${steps}`, 'validation={every: 0, episodes: 1}'];
    const { id } = await client.runs.create({ source, overrides });
    await page.open(`/runs/${id}`, 'h1');
    await page.page.evaluate(watchInPage);
    const last = `.step-bar .what:text-matches("^${steps} of ${steps} steps")`;
    await page.page.waitForSelector(last, { timeout: 900_000 });
    const seen = await page.page.evaluate<Seen[]>('seenSteps');
    const written = readWritten(folder);
    const first = seen[0]?.step ?? 1;
    const delays = [...written].flatMap(([step, { time, value }]) => {
      const there = seen.find((one) => one.step >= step);
      // the page may have been opened after it
      if (there === undefined || step < first) return [];
      if (there.step === step) checkShown(there, value);
      return [there.at - time];
    });
    const times = [...written.values()].map(({ time }) => time);
    const stepSeconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000 / (times.length - 1);
    const notes = `${delays.length} rows of bandit-starpo-s on the same machine, a step every ${stepSeconds.toFixed(1)} s; p50 ${percentile(delays, 0.5).toFixed(0)} ms, longest ${Math.max(...delays).toFixed(0)} ms; looked for every frame`;
    const allowed = { name: 'allowed', value: 1000 };
    return [buildRow('dashboard/push-trained', percentile(delays, 0.95), 'ms, p95', allowed, notes)];
  } finally {
    await client.dispose();
    await stop(worker);
    rmSync(folder, { recursive: true, force: true });
  }
});

function startWorkerProcess({ url, workerKey }: BenchServer, data: string): ChildProcess {
  const child = spawn(process.execPath, [cli, 'worker', '--server', url, '--data', data], {
    env: { ...process.env, ESPALIER__WORKER__KEY: workerKey },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // an item that throws must not leave it behind
  process.once('exit', () => void child.kill('SIGKILL'));
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** Runs in the page: looks at each frame which step the bar and the tile have come to. */
const watchInPage = `{
  window.seenSteps = [];
  const look = () => {
    const step = Number(/^(\\d+) of/.exec(document.querySelector('.step-bar .what')?.textContent ?? '')?.[1] ?? 0);
    const shown = document.querySelector('[data-tile="${metric}"] .value')?.textContent ?? '';
    if (step > (seenSteps.at(-1)?.step ?? 0)) seenSteps.push({ step, at: Date.now(), shown });
    requestAnimationFrame(look);
  };
  look();
}`;

/** What the trainer wrote, by step. */
function readWritten(folder: string): ReadonlyMap<number, { readonly time: number; readonly value: number }> {
  const runs = join(folder, 'runs');
  const [run] = readdirSync(runs, { withFileTypes: true }).filter((one) => one.isDirectory());
  const lines = readFileSync(join(runs, run?.name ?? '', 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const rows = lines.map(
    (line) => JSON.parse(line) as { step: number; time: number; values: Record<string, number> },
  );
  return new Map(
    rows.flatMap(({ step, time, values: { [metric]: value } }) =>
      value === undefined ? [] : [[step, { time, value }] as const],
    ),
  );
}

/** The page shows the number that was written, rounded to three digits. */
function checkShown({ step, shown }: Seen, value: number): void {
  const told = Number(shown.replace('−', '-'));
  if (Math.abs(told - value) <= Math.abs(value) * 0.006) return;
  throw new AppError(
    'bench.item_failed',
    `step ${step}: the page shows ${shown}, the trainer wrote ${value}`,
  );
}
