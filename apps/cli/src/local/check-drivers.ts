/** @file What can compute on this machine, how fast, and what is missing for more; for `espalier doctor`. */
import { cpus } from 'node:os';
import { usableThreads } from '@espalier/contracts/values';
import { Graph, matmul } from '@espalier/graph';
import {
  createSession,
  type DriverName,
  driverNames,
  type DriverReport,
  type Precision,
  probeCuda,
  probeDriver,
} from '@espalier/runtime';
import { formatBytes } from '../view/numbers.js';

export interface DriverCheck {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'absent';
  /** what was found, and after a semicolon what to do */
  readonly finding: string;
  /** float32 matrix products of 1024³ that were measured, GFLOP/s by precision */
  readonly gigaflops?: Readonly<Partial<Record<Precision, number>>>;
}

/** The processor, the GPUs, and every driver with its measured rate. Only the default driver must be there. */
export async function checkDrivers(): Promise<DriverCheck[]> {
  const threads = usableThreads();
  const checks: DriverCheck[] = [
    { name: 'processor', state: 'ok', finding: `${cpus()[0]?.model ?? 'unknown'}, ${threads} threads` },
    ...(await checkCuda()),
  ];
  // one after the other: rates that are measured side by side are none
  for (const name of driverNames) checks.push(await checkDriver(await probeDriver(name), threads));
  return checks;
}

/** The NVIDIA driver, its devices, and the files that `espalier setup cuda` fetches. */
async function checkCuda(): Promise<DriverCheck[]> {
  const { files, driver, devices } = await probeCuda();
  const state = { ready: 'ok', absent: 'absent', broken: 'warning' } as const;
  return [
    { name: 'cuda driver', state: state[driver.state], finding: driver.finding },
    ...devices.map(({ name, bytes, computeCapability, isUsable }, index): DriverCheck => ({
      name: `gpu ${index}`,
      state: isUsable ? 'ok' : 'absent',
      finding: `${name}, ${formatBytes(bytes)}, compute capability ${computeCapability.toFixed(1)}${isUsable ? '' : '; CUDA 13 needs 7.5 or newer'}`,
    })),
    { name: 'cuda files', state: state[files.state], finding: files.finding },
  ];
}

async function checkDriver(report: DriverReport, threads: number): Promise<DriverCheck> {
  const name = `driver ${report.name}`;
  if (!report.isAvailable) return { name, state: 'absent', finding: report.finding };
  const gigaflops: Partial<Record<Precision, number>> = {};
  for (const precision of report.precisions)
    gigaflops[precision] = await measureRate(report.name, precision, threads);
  const rates = Object.entries(gigaflops).map(([precision, rate]) => `${precision} ${rate} GFLOP/s`);
  return { name, state: 'ok', finding: `${report.finding}; ${rates.join(', ')}`, gigaflops };
}

const size = 1024;
const budgetMs = 300;

/** GFLOP/s of warm products within the budget: the fastest, because other programs only slow them. */
async function measureRate(driver: DriverName, precision: Precision, threads: number): Promise<number> {
  const graph = new Graph();
  const [a, b] = ['a', 'b'].map((name) => graph.input(name, 'float32', [size, size]));
  if (a === undefined || b === undefined) return Number.NaN;
  graph.output('c', matmul(a, b));
  const session = await createSession(graph, { driver, precision, threads });
  const tensor = () => ({
    dtype: 'float32' as const,
    shape: [size, size],
    values: new Float32Array(size * size).fill(0.5),
  });
  const [feeds, targets] = [{ a: tensor(), b: tensor() }, { c: tensor() }];
  let best = Infinity;
  const begin = performance.now();
  for (let run = 0; run < 3 || performance.now() - begin < budgetMs; run += 1) {
    const start = performance.now();
    await session.run(feeds, targets);
    best = Math.min(best, performance.now() - start);
  }
  await session.dispose();
  return Math.round((2 * size ** 3) / best / 1e6);
}
