/**
 * @file Forward and backward of one batch with the mean negative log-likelihood over all positions, random ids, no
 * optimizer step: what `loss.backward()` of a peer does with the same shapes.
 */
import { isLargeModel } from '@espalier/engine';
import {
  buildTrainingGraph,
  chunkRows,
  GATHERED,
  GRADIENT,
  hasLogitChunks,
  initializeWeights,
  type LossGraph,
  parameterShapes,
} from '@espalier/model';
import { type LossBuilder, nllLoss } from '@espalier/objective';
import { createStream } from '@espalier/random';
import {
  createSession,
  probeDriver,
  returnFreedMemory,
  type RuntimeTensor,
  type Session,
  type SessionOptions,
} from '@espalier/runtime';
import { type BenchItem, type BenchOptions, buildRow, median, peakMemoryGb } from '../row.js';
import { matmulRate } from './matmul.js';
import { configOf, shapeOf, type ShapeName, trainingFlop } from './shapes.js';

interface StepShape {
  readonly name: string;
  readonly shape: ShapeName;
  readonly batch: number; // B
  readonly length: number; // T
}

const loss: LossGraph = ({ logprobs, entropies, columns }) =>
  (nllLoss.build as LossBuilder)({ logprobs, entropies, columns, params: {} });

/** 5 M parameters, 16 sequences of 512 tokens. */
const step5m: StepShape = { name: 'train-step/5m', shape: 'train5m', batch: 16, length: 512 };
export const trainStep5m: BenchItem = measure(step5m);

/** 163 M parameters with the untied head (the shape of a 135 M model), 4 sequences of 512 tokens. */
const step135m: StepShape = {
  name: 'train-step/135m',
  shape: 'train135m',
  batch: 4,
  length: 512,
};
export const trainStep135m: BenchItem = measure(step135m);

/** The shape of SmolLM2-135M: a tied head and 3 key/value heads; 4 sequences of 512 tokens. */
export const trainStepSmollm2: BenchItem = measure({
  name: 'train-step/smollm2',
  shape: 'decode135m',
  batch: 4,
  length: 512,
});

/** The step in bf16 by OpenVINO next to the float32 step of ONNX Runtime, by turns, by the clock and in processor time. */
export const trainStepBf16 =
  (shape: '5m' | '135m'): BenchItem =>
  async (options) => {
    const { isAvailable, finding, precisions } = await probeDriver('openvino');
    if (!isAvailable || !precisions.includes('bf16')) return { skipped: finding };
    const step = openStep(shape === '5m' ? step5m : step135m, options);
    const bf16 = await step.open({ driver: 'openvino', precision: 'bf16' });
    await bf16();
    await bf16();
    const memory = peakMemoryGb();
    const float32 = await step.open({});
    const taken = [bf16, float32].map(() => ({ wall: [] as number[], processor: [] as number[] }));
    const [warm, timed] = options.short ? [0, 1] : [1, 4];
    for (let round = 0; round < warm + timed; round += 1)
      for (const [kind, run] of [bf16, float32].entries()) {
        const begin = performance.now();
        const used = process.cpuUsage();
        await run();
        const { user, system } = process.cpuUsage(used);
        if (round < warm) continue;
        taken[kind]?.wall.push((performance.now() - begin) / 1e3);
        taken[kind]?.processor.push((user + system) / 1e6);
      }
    await step.dispose();
    const rates = (of: 'wall' | 'processor'): number[] =>
      taken.map((own) => step.flop / median(own[of]) / 1e9);
    const name = `train-step-bf16/${shape}`;
    const [wall = NaN, wall32 = NaN, processor = NaN, processor32 = NaN] = [
      ...rates('wall'),
      ...rates('processor'),
    ];
    const plain = 'the same step in float32 by ONNX Runtime';
    return [
      buildRow(name, wall, 'GFLOP/s', { name: plain, value: wall32 }, `${step.size}; ${finding}`),
      buildRow(`${name}/processor`, processor, 'GFLOP/CPU-s', { name: plain, value: processor32 }),
      buildRow(`${name}/memory`, memory, 'GB', { name: 'weights and gradients, GB', value: step.heldGb }),
    ];
  };

function measure(shape: StepShape): BenchItem {
  return async (options) => {
    const step = openStep(shape, options);
    const run = await step.open({});
    const seconds: number[] = [];
    const [warm, timed] = options.short ? [1, 1] : [2, shape.batch === 16 ? 8 : 4];
    for (let round = 0; round < warm + timed; round += 1) {
      const begin = performance.now();
      await run();
      if (round >= warm) seconds.push((performance.now() - begin) / 1000);
    }
    const memory = peakMemoryGb();
    const rate = step.flop / median(seconds) / 1e9;
    await step.dispose();
    const baseline = { name: 'MatMul 2048³, GFLOP/s', value: await matmulRate(options) };
    const notes = `${step.size}, ${median(seconds).toFixed(2)} s a step, peak memory ${memory.toFixed(2)} GB`;
    const { name } = shape;
    return [
      buildRow(name, rate, 'GFLOP/s', baseline, notes),
      buildRow(`${name}/memory`, memory, 'GB', { name: 'weights and gradients, GB', value: step.heldGb }),
    ];
  };
}

/** A step of a shape, to be opened in one precision or several. */
function openStep(step: StepShape, options: BenchOptions) {
  const { batch, length } = options.short ? { batch: 1, length: 64 } : step;
  const shape = shapeOf(step.shape, options.short);
  const config = configOf(shape, length);
  const rows = batch * length;
  const graph = buildTrainingGraph(
    {
      config,
      role: 'policy',
      length,
      rows,
      ...(hasLogitChunks(shape.vocabulary) ? { chunkRows: chunkRows(shape.vocabulary) } : {}),
    },
    loss,
    [],
  );
  const sessions: Session[] = [];
  let filled: ReturnType<typeof buildFeeds> | undefined;
  return {
    size: `${batch}×${length} tokens`,
    flop: trainingFlop(shape, batch, length),
    heldGb: sizesOf(config).reduce((sum, size) => sum + size, 0),
    open: async (choice: Pick<SessionOptions, 'driver' | 'precision'>): Promise<() => Promise<unknown>> => {
      // as a run does
      if (isLargeModel(config)) await returnFreedMemory();
      const session = await createSession(graph, { provider: 'cpu', threads: options.threads, ...choice });
      sessions.push(session);
      // one set of weights and gradients for all sessions
      filled ??= buildFeeds(config, batch, length, session.inputs);
      const { feeds, targets } = filled;
      return async () => session.run(feeds, targets);
    },
    dispose: async (): Promise<void> => {
      for (const session of sessions) await session.dispose();
    },
  };
}

/** GB of weights and gradients of each parameter. */
function sizesOf(config: ReturnType<typeof configOf>): number[] {
  return [...parameterShapes(config).values()].map(
    (shape) => (2 * 4 * shape.reduce((a, b) => a * b, 1)) / 1e9,
  );
}

function buildFeeds(
  config: ReturnType<typeof configOf>,
  batch: number,
  length: number,
  inputs: readonly { readonly name: string }[],
) {
  const stream = createStream(7);
  const rows = batch * length;
  const ids = (count: number): BigInt64Array =>
    BigInt64Array.from({ length: count }, () => BigInt(stream.int(config.shape.vocabularySize)));
  const feeds: Record<string, RuntimeTensor> = {
    ids: { dtype: 'int64', shape: [batch, length], values: ids(rows) },
    rows: {
      dtype: 'int64',
      shape: [rows],
      values: BigInt64Array.from({ length: rows }, (_, row) => BigInt(row)),
    },
    targets: { dtype: 'int64', shape: [rows], values: ids(rows) },
    inverse_temperature: { dtype: 'float32', shape: [rows], values: new Float32Array(rows).fill(1) },
    weights: { dtype: 'float32', shape: [rows], values: new Float32Array(rows).fill(1 / rows) },
  };
  const targets: Record<string, RuntimeTensor> = {};
  for (const [name, { data, shape }] of initializeWeights(config, 1)) {
    feeds[name] = { dtype: 'float32', shape, values: data };
    const gradient: RuntimeTensor = { dtype: 'float32', shape, values: new Float32Array(data.length) };
    feeds[`${GATHERED}${name}`] = gradient;
    targets[`${GRADIENT}${name}`] = gradient;
  }
  const known = new Set(inputs.map(({ name }) => name));
  return { feeds: Object.fromEntries(Object.entries(feeds).filter(([name]) => known.has(name))), targets };
}
