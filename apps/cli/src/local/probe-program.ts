/** @file A process that opens native libraries and answers one question of ask-probe.ts; a library may end it. */
import { isAppError } from '@espalier/contracts';
import { usableThreads } from '@espalier/contracts/values';
import { Graph, matmul, type Tensor } from '@espalier/graph';
import type { CudaReport, DriverName, DriverReport, Precision, SessionOptions } from '@espalier/runtime';

/** What can be asked, and what comes back. */
export interface ProbeAnswers {
  /** Whether ONNX Runtime loads: the drivers that there are. */
  runtime: readonly DriverName[];
  cuda: CudaReport;
  /** The GPUs that CUDA_VISIBLE_DEVICES leaves, as their driver lists them. */
  gpus: readonly { readonly bytes: number }[];
  /** Opens a driver and computes a small product, in one precision or each: what compiles graphs is opened as well. */
  product: DriverReport;
  /** Opens a driver and times it: matrix products of 1024³, GFLOP/s by precision. */
  rates: { readonly report: DriverReport; readonly gigaflops: Readonly<Partial<Record<Precision, number>>> };
}

export type ProbeQuestion = keyof ProbeAnswers;

export type ProbeSubject = Pick<SessionOptions, 'driver' | 'provider' | 'precision'>;

const budgetMs = 300;

/** A matrix product that can be computed again and again. */
async function openProduct(size: number, options: SessionOptions) {
  const { createSession } = await import('@espalier/runtime');
  const graph = new Graph();
  const [a, b] = ['a', 'b'].map((name) => graph.input(name, 'float32', [size, size])) as [Tensor, Tensor];
  graph.output('c', matmul(a, b));
  const session = await createSession(graph, { ...options, threads: usableThreads() });
  const tensor = () => ({
    dtype: 'float32' as const,
    shape: [size, size],
    values: new Float32Array(size * size).fill(0.5),
  });
  const [feeds, targets] = [{ a: tensor(), b: tensor() }, { c: tensor() }];
  return { compute: () => session.run(feeds, targets), dispose: () => session.dispose() };
}

async function computeProduct(subject: ProbeSubject): Promise<DriverReport> {
  const { probeDriver, requireDriver, resolveDriver } = await import('@espalier/runtime');
  await requireDriver(subject);
  const report = await probeDriver(resolveDriver(subject));
  for (const precision of subject.precision === undefined ? report.precisions : [subject.precision]) {
    const product = await openProduct(64, { ...subject, precision });
    await product.compute();
    await product.dispose();
  }
  return report;
}

/** GFLOP/s of warm products within the budget: the fastest, because other programs only slow them. */
async function measureRate(driver: DriverName, precision: Precision): Promise<number> {
  const size = 1024;
  const product = await openProduct(size, { driver, precision });
  let best = Infinity;
  const begin = performance.now();
  for (let run = 0; run < 3 || performance.now() - begin < budgetMs; run += 1) {
    const start = performance.now();
    await product.compute();
    best = Math.min(best, performance.now() - start);
  }
  await product.dispose();
  return Math.round((2 * size ** 3) / best / 1e6);
}

async function measureRates({ driver = 'onnxruntime-node' }: ProbeSubject): Promise<ProbeAnswers['rates']> {
  const report = await (await import('@espalier/runtime')).probeDriver(driver);
  const gigaflops: Partial<Record<Precision, number>> = {};
  for (const precision of report.precisions) gigaflops[precision] = await measureRate(driver, precision);
  return { report, gigaflops };
}

const answers: { readonly [Q in ProbeQuestion]: (subject: ProbeSubject) => Promise<ProbeAnswers[Q]> } = {
  runtime: async () => (await import('@espalier/runtime')).driverNames,
  cuda: async () => (await import('@espalier/runtime')).probeCuda(),
  gpus: async () => (await import('@espalier/runtime')).listCudaDevices(),
  product: computeProduct,
  rates: measureRates,
};

/** A typed error says itself what to do; but a driver that rejects a product is broken, whatever it says. */
function describeFailure(error: unknown) {
  if (isAppError(error) && error.code !== 'runtime.session_failed')
    return { finding: error.message, code: error.code };
  const { message } = (isAppError(error) ? (error.cause ?? error) : error) as Error;
  return { error: message };
}

const [question, driver, provider, precision] = process.argv.slice(2) as [ProbeQuestion, ...string[]];
const subject = Object.fromEntries(
  Object.entries({ driver, provider, precision }).filter(([, value]) => value !== ''),
) as ProbeSubject;
const said = await answers[question](subject).then((answer) => ({ answer }), describeFailure);
process.send?.(said, () => process.disconnect());
