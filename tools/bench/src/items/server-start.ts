/** @file From starting the process of the server to its first answer, and its memory then; a fresh folder each time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchItem, buildRow, median } from '../row.js';
import { processorSeconds } from '../server/processor-seconds.js';

const main = resolve(dirname(fileURLToPath(import.meta.url)), '../../../../apps/server/dist/main.js');

/** Cold start of the server, relative to a process that does nothing. */
export const serverStart: BenchItem = async ({ short }) => {
  const starts: Started[] = [];
  for (let i = 0; i < (short ? 1 : 7); i += 1) starts.push(await startOnce());
  const empty: number[] = [];
  for (let i = 0; i < (short ? 1 : 7); i += 1) {
    const begin = performance.now();
    await once(spawn(process.execPath, ['-e', '0']), 'exit');
    empty.push((performance.now() - begin) / 1000);
  }
  const baseline = { name: 'node -e 0', value: median(empty) };
  const residentMb = median(starts.map((start) => start.residentMb));
  return [
    buildRow(
      'server-start',
      median(starts.map(({ seconds }) => seconds)),
      's',
      baseline,
      `${Math.round(residentMb)} MB resident after its first answer; ${median(starts.map(({ processor }) => processor)).toFixed(2)} s of processor time; load ${loadavg()[0]?.toFixed(1) ?? ''}`,
    ),
  ];
};

interface Started {
  readonly seconds: number;
  readonly processor: number;
  readonly residentMb: number;
}

async function startOnce(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'));
  const begin = performance.now();
  const env = { ...process.env, ESPALIER__SERVER__PORT: '0', ESPALIER__SERVER__LOGLEVEL: 'error' };
  const child = spawn(process.execPath, [main], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    let said = '';
    for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
      said += String(part);
      if (/server: \S+\n/.test(said)) break;
    }
    const url = /server: (\S+)/.exec(said)?.[1] ?? '';
    await (await fetch(`${url}/health/ready`)).text();
    const seconds = (performance.now() - begin) / 1000;
    const kb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
    return { seconds, processor: processorSeconds(child.pid).own, residentMb: kb / 1000 };
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}
