/**
 * @file Forward and backward of one batch with the mean negative log-likelihood over all positions, random ids, no
 * optimizer step: what `loss.backward()` of a peer does with the same shapes.
 */
import {
  buildTrainingGraph,
  GATHERED,
  GRADIENT,
  initializeWeights,
  type LossGraph,
  parameterShapes,
} from '@espalier/model';
import { type LossBuilder, nllLoss } from '@espalier/objective';
import { createStream } from '@espalier/random';
import { createSession, type RuntimeTensor } from '@espalier/runtime';
import { type BenchItem, buildRow, median, peakMemoryGb } from '../row.js';
import { matmulRate } from './matmul.js';
import { configOf, shapeOf, type ShapeName, trainingFlop } from './shapes.js';

interface StepShape {
  readonly name: string;
  readonly shape: ShapeName;
  readonly batch: number; // B
  readonly length: number; // T
  readonly chunkRows?: number;
}

const loss: LossGraph = ({ logprobs, entropies, columns }) =>
  (nllLoss.build as LossBuilder)({ logprobs, entropies, columns, params: {} });

/** 5 M parameters, 16 sequences of 512 tokens. */
export const trainStep5m: BenchItem = measure({
  name: 'train-step/5m',
  shape: 'train5m',
  batch: 16,
  length: 512,
});

/** 163 M parameters with the untied head (the shape of a 135 M model), 4 sequences of 512 tokens. */
export const trainStep135m: BenchItem = measure({
  name: 'train-step/135m',
  shape: 'train135m',
  batch: 4,
  length: 512,
  chunkRows: 512,
});

/** The shape of SmolLM2-135M: a tied head and 3 key/value heads; 4 sequences of 512 tokens. */
export const trainStepSmollm2: BenchItem = measure({
  name: 'train-step/smollm2',
  shape: 'decode135m',
  batch: 4,
  length: 512,
  chunkRows: 512,
});

function measure(step: StepShape): BenchItem {
  return async (options) => {
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
        ...(step.chunkRows === undefined ? {} : { chunkRows: Math.min(rows, step.chunkRows) }),
      },
      loss,
      [],
    );
    const session = await createSession(graph, { provider: 'cpu', threads: options.threads });
    const { feeds, targets } = buildFeeds(config, batch, length, session.inputs);
    const seconds: number[] = [];
    const [warm, timed] = options.short ? [1, 1] : [2, step.batch === 16 ? 8 : 4];
    for (let run = 0; run < warm + timed; run += 1) {
      const begin = performance.now();
      await session.run(feeds, targets);
      if (run >= warm) seconds.push((performance.now() - begin) / 1000);
    }
    const memory = peakMemoryGb();
    const rate = trainingFlop(shape, batch, length) / median(seconds) / 1e9;
    await session.dispose();
    const baseline = { name: 'MatMul 2048³, GFLOP/s', value: await matmulRate(options) };
    const notes = `${batch}×${length} tokens, ${median(seconds).toFixed(2)} s a step, peak memory ${memory.toFixed(2)} GB`;
    const held = sizesOf(config).reduce((sum, size) => sum + size, 0);
    return [
      buildRow(step.name, rate, 'GFLOP/s', baseline, notes),
      buildRow(`${step.name}/memory`, memory, 'GB', { name: 'weights and gradients, GB', value: held }),
    ];
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
