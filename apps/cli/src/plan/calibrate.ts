/**
 * @file How fast this machine is right now, at the shapes of one model: the only thing `plan` runs, for about a second.
 * Other programs on the machine slow the figures of the clock down as they would slow the run, and hardly those of the
 * processor.
 */
import { add, Graph, matmul, type Tensor } from '@espalier/graph';
import { createSession, type RuntimeTensor } from '@espalier/runtime';

export interface MachineRates {
  /** float32 matrix products, FLOP/s */
  readonly flop: number;
  /** sums of large tensors, bytes read and written per second */
  readonly bytes: number;
  /** seconds for a node that computes nearly nothing */
  readonly node: number;
}

/** The same rates by the clock, and by the processor time of all threads. */
export interface Calibration {
  readonly wall: MachineRates;
  readonly processor: MachineRates;
}

export interface CalibrationShape {
  /** rows of a product: tokens of a micro-batch */
  readonly rows: number;
  readonly width: number;
  readonly feedForward: number;
  readonly threads: number;
}

/** Longest time for one of the three figures. */
const budgetMs = 400;
const chain = 32;

/** Measures the three rates, warm. */
export async function calibrateMachine(shape: CalibrationShape): Promise<Calibration> {
  const { rows, width, feedForward, threads } = shape;
  const product = await timeGraph(threads, (graph) => {
    const x = graph.input('x', 'float32', [rows, width]);
    const w = graph.input('w', 'float32', [width, feedForward]);
    return matmul(x, w);
  });
  const sums = await timeGraph(threads, (graph) => repeat(graph.input('x', 'float32', [rows, feedForward])));
  const nothing = await timeGraph(threads, (graph) => repeat(graph.input('x', 'float32', [2, 2])));
  const ratesOf = (clock: keyof Seconds): MachineRates => ({
    flop: (2 * rows * width * feedForward) / product[clock],
    bytes: (chain * 3 * 4 * rows * feedForward) / sums[clock],
    node: nothing[clock] / chain,
  });
  return { wall: ratesOf('wall'), processor: ratesOf('processor') };
}

/** A chain of sums of a tensor with itself and what came before. */
function repeat(x: Tensor): Tensor {
  let sum = x;
  for (let i = 0; i < chain; i += 1) sum = add(sum, x);
  return sum;
}

type Seconds = Readonly<Record<keyof Calibration, number>>;

/** Seconds of a run within the budget, after two warm ones: a quarter are faster, so that a pause does not count. */
async function timeGraph(threads: number, build: (graph: Graph) => Tensor): Promise<Seconds> {
  const graph = new Graph();
  graph.output('y', build(graph));
  const session = await createSession(graph, { provider: 'cpu', threads });
  const feeds = Object.fromEntries(
    [...graph.inputs].map(([name, { shape }]): [string, RuntimeTensor] => {
      const sizes = shape as readonly number[];
      const values = new Float32Array(sizes.reduce((a, b) => a * b, 1)).fill(0.5);
      return [name, { dtype: 'float32', shape: sizes, values }];
    }),
  );
  try {
    const wall: number[] = [];
    const processor: number[] = [];
    const begin = performance.now();
    for (let run = 0; run < 200 && (run < 5 || performance.now() - begin < budgetMs); run += 1) {
      const used = process.cpuUsage();
      const start = performance.now();
      await session.run(feeds);
      const elapsed = performance.now() - start;
      const { user, system } = process.cpuUsage(used);
      if (run < 2) continue;
      wall.push(elapsed / 1000);
      processor.push((user + system) / 1e6);
    }
    return { wall: lowerQuartile(wall), processor: lowerQuartile(processor) };
  } finally {
    await session.dispose();
  }
}

const lowerQuartile = (values: number[]): number =>
  values.sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN;
