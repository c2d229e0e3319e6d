/**
 * @file The GPUs as one running `nvidia-smi` tells of them. It may be missing, die, hang, or print what is no reading;
 * what was seen once stays listed, with a fault when it is no longer reported.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Device } from '@espalier/protocol';
import type { Log } from '../log.js';
import { gpuColumns, withoutRefused } from './gpu-columns.js';
import { parseGpuLine } from './parse-gpu-line.js';

export interface GpuWatch {
  /** By index; empty where there are none. */
  list(): Device[];
  close(): void;
}

export interface GpuWatchParts {
  readonly sampleMs: number;
  readonly log: Log;
  /** longest wait for the first reading */
  readonly firstMs?: number;
  readonly now?: () => number;
}

/** A reading older than so many samples is a fault, one older than twice that ends the program. */
const staleSamples = 10;
const longestPauseMs = 60_000;

/** Starts watching; undefined where there is no such program. */
export async function watchGpus(parts: GpuWatchParts): Promise<GpuWatch | undefined> {
  const { sampleMs, log, firstMs = 5000, now = Date.now } = parts;
  let columns = gpuColumns;
  /** the program ends for a column that it does not know, and is asked again without */
  let isRefused = false;
  const seen = new Map<string, { readonly device: Device; readonly at: number }>();
  const staleMs = Math.max(5000, staleSamples * sampleMs);
  let child: ChildProcess | undefined;
  let lastWord = now();
  let deaths = 0;
  let isMissing = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let tellFirst: () => void = () => undefined;

  const read = (line: string): void => {
    const fewer = withoutRefused(columns, line);
    if (fewer !== undefined) {
      log.info({ line: line.trim() }, 'nvidia-smi does not know a column; asking without it');
      [columns, isRefused] = [fewer, true];
    }
    const device = parseGpuLine(line, columns);
    if (device === undefined) return;
    lastWord = now();
    deaths = 0;
    // the second reading of one GPU: all have been told
    if (seen.has(device.id)) tellFirst();
    seen.set(device.id, { device, at: lastWord });
  };
  const start = (): void => {
    lastWord = now();
    const words = [`--query-gpu=${columns.join(',')}`, '--format=csv,noheader,nounits', `-lms=${sampleMs}`];
    child = spawn('nvidia-smi', words, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'EACCES') return;
      isMissing = true;
      tellFirst();
    });
    child.on('close', (code) => {
      if (isClosed || isMissing) return;
      if (isRefused) {
        isRefused = false;
        return start();
      }
      const pause = Math.min(longestPauseMs, 1000 * 2 ** Math.min(deaths++, 10));
      log.warn({ code, pause }, 'nvidia-smi ended; starting it again');
      timer = setTimeout(start, pause);
      if (seen.size === 0) tellFirst();
    });
    for (const input of [child.stdout, child.stderr])
      if (input !== null) createInterface({ input }).on('line', read);
  };
  const first = new Promise<void>((resolve) => (tellFirst = resolve));
  start();
  const guard = setInterval(() => {
    if (now() - lastWord > 2 * staleMs) child?.kill('SIGKILL');
  }, sampleMs);
  guard.unref();
  const limit = setTimeout(() => tellFirst(), firstMs);
  await first;
  clearTimeout(limit);
  const close = (): void => {
    isClosed = true;
    clearInterval(guard);
    clearTimeout(timer);
    child?.kill('SIGKILL');
  };
  if (isMissing) {
    close();
    return undefined;
  }
  if (seen.size === 0) log.warn({}, 'nvidia-smi is there but tells of no GPU');
  return {
    list: () =>
      [...seen.values()]
        .map(({ device, at }) => withAge(device, now() - at, staleMs))
        .sort((a, b) => a.index - b.index),
    close,
  };
}

function withAge(device: Device, age: number, staleMs: number): Device {
  if (age <= staleMs) return device;
  return {
    ...device,
    faults: [...device.faults, `not reported by nvidia-smi for ${Math.round(age / 1000)} s`],
  };
}
