/**
 * @file Watches the GPUs with a long-running `nvidia-smi`, which may be missing, die, hang or print unexpected output. A
 * GPU that was seen once stays listed, with a fault when it is no longer reported.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Device } from '@espalier/protocol';
import type { Logger } from '../logger.js';
import { gpuColumns, withoutRefused } from './gpu-columns.js';
import { parseGpuLine } from './parse-gpu-line.js';

export interface GpuWatch {
  /** The GPUs by index. */
  list(): Device[];
  close(): void;
}

export interface GpuWatchParts {
  readonly sampleMs: number;
  readonly log: Logger;
  /** timeout for the first reading */
  readonly firstMs?: number;
  readonly now?: () => number;
}

/** A reading older than this many samples is a fault; at twice that age `nvidia-smi` is restarted. */
const staleSamples = 10;
const longestPauseMs = 60_000;

/** Starts watching; undefined if `nvidia-smi` is not installed. */
export async function watchGpus(parts: GpuWatchParts): Promise<GpuWatch | undefined> {
  const { sampleMs, log, firstMs = 5000, now = Date.now } = parts;
  let columns = gpuColumns;
  /** `nvidia-smi` has rejected a column and is restarted without it */
  let isRefused = false;
  const seen = new Map<string, { readonly device: Device; readonly at: number }>();
  const staleMs = Math.max(5000, staleSamples * sampleMs);
  let child: ChildProcess | undefined;
  let lastLineAt = now();
  let exits = 0;
  let isMissing = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let resolveFirst: () => void = () => undefined;

  const read = (line: string): void => {
    const fewer = withoutRefused(columns, line);
    if (fewer !== undefined) {
      log.info({ line: line.trim() }, 'nvidia-smi does not know a column; querying without it');
      columns = fewer;
      isRefused = true;
    }
    const device = parseGpuLine(line, columns);
    if (device === undefined) return;
    lastLineAt = now();
    exits = 0;
    // a second reading of the same GPU: all GPUs have been reported
    if (seen.has(device.id)) resolveFirst();
    seen.set(device.id, { device, at: lastLineAt });
  };
  const start = (): void => {
    lastLineAt = now();
    const args = [`--query-gpu=${columns.join(',')}`, '--format=csv,noheader,nounits', `-lms=${sampleMs}`];
    child = spawn('nvidia-smi', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'EACCES') return;
      isMissing = true;
      resolveFirst();
    });
    child.on('close', (code) => {
      if (isClosed || isMissing) return;
      if (isRefused) {
        isRefused = false;
        return start();
      }
      const pause = Math.min(longestPauseMs, 1000 * 2 ** Math.min(exits++, 10));
      log.warn({ code, pause }, 'nvidia-smi exited; restarting it');
      timer = setTimeout(start, pause);
      if (seen.size === 0) resolveFirst();
    });
    for (const input of [child.stdout, child.stderr])
      if (input !== null) createInterface({ input }).on('line', read);
  };
  const first = new Promise<void>((resolve) => (resolveFirst = resolve));
  start();
  const watchdog = setInterval(() => {
    if (now() - lastLineAt > 2 * staleMs) child?.kill('SIGKILL');
  }, sampleMs);
  watchdog.unref();
  const limit = setTimeout(() => resolveFirst(), firstMs);
  await first;
  clearTimeout(limit);
  const close = (): void => {
    isClosed = true;
    clearInterval(watchdog);
    clearTimeout(timer);
    child?.kill('SIGKILL');
  };
  if (isMissing) {
    close();
    return undefined;
  }
  if (seen.size === 0) log.warn({}, 'nvidia-smi reports no GPU');
  return {
    list: () =>
      [...seen.values()]
        .map(({ device, at }) => withStaleness(device, now() - at, staleMs))
        .sort((a, b) => a.index - b.index),
    close,
  };
}

function withStaleness(device: Device, age: number, staleMs: number): Device {
  if (age <= staleMs) return device;
  return {
    ...device,
    faults: [...device.faults, `not reported by nvidia-smi for ${Math.round(age / 1000)} s`],
  };
}
