/** @file A process that opens native libraries and answers one question of ask-probe.ts; a library may end it. */
import { usableThreads } from '@espalier/contracts/values';
import { Graph, matmul } from '@espalier/graph';
import type { CudaReport, DriverName, DriverReport, Precision } from '@espalier/runtime';

/** What can be asked, and what comes back. */
export interface ProbeAnswers {
  /** Whether ONNX Runtime loads: the drivers that there are. */
  runtime: readonly DriverName[];
  cuda: CudaReport;
  /** The GPUs that CUDA_VISIBLE_DEVICES leaves, as their driver lists them. */
  gpus: readonly { readonly bytes: number }[];
  /** Opens a driver. */
  driver: DriverReport;
  /** Opens a driver and times it: matrix products of 1024³, GFLOP/s by precision. */
  rates: { readonly report: DriverReport; readonly gigaflops: Readonly<Partial<Record<Precision, number>>> };
}

export type ProbeQuestion = keyof ProbeAnswers;

const size = 1024;
const budgetMs = 300;

/** GFLOP/s of warm products within the budget: the fastest, because other programs only slow them. */
async function measureRate(driver: DriverName, precision: Precision): Promise<number> {
  const { createSession } = await import('@espalier/runtime');
  const graph = new Graph();
  const [a, b] = ['a', 'b'].map((name) => graph.input(name, 'float32', [size, size]));
  if (a === undefined || b === undefined) return Number.NaN;
  graph.output('c', matmul(a, b));
  const session = await createSession(graph, { driver, precision, threads: usableThreads() });
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

async function measureRates(name: DriverName): Promise<ProbeAnswers['rates']> {
  const report = await (await import('@espalier/runtime')).probeDriver(name);
  const gigaflops: Partial<Record<Precision, number>> = {};
  for (const precision of report.precisions) gigaflops[precision] = await measureRate(name, precision);
  return { report, gigaflops };
}

const answers: { readonly [Q in ProbeQuestion]: (name: DriverName) => Promise<ProbeAnswers[Q]> } = {
  runtime: async () => (await import('@espalier/runtime')).driverNames,
  cuda: async () => (await import('@espalier/runtime')).probeCuda(),
  gpus: async () => (await import('@espalier/runtime')).listCudaDevices(),
  driver: async (name) => (await import('@espalier/runtime')).probeDriver(name),
  rates: measureRates,
};

const [question, name] = process.argv.slice(2) as [ProbeQuestion, DriverName];
try {
  const answer = await answers[question](name);
  process.send?.({ answer }, () => process.disconnect());
} catch (error) {
  process.send?.({ error: error instanceof Error ? error.message : String(error) }, () =>
    process.disconnect(),
  );
}
