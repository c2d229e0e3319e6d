/**
 * @file What a step of decoding takes next to reading the weights once, which no step can do without; and many short prompts
 * next to one long one of as many tokens.
 */
import { createEmbeddedEngine } from '@espalier/engine';
import { Graph, matmul } from '@espalier/graph';
import { initializeWeights } from '@espalier/model';
import { createStream } from '@espalier/random';
import { createSession, probeDriver } from '@espalier/runtime';
import { type BenchItem, type BenchOptions, buildRow, median } from '../row.js';
import { configOf, shapeOf } from './shapes.js';

type Engine = Awaited<ReturnType<typeof createEmbeddedEngine>>;

/** Bytes of a weight in what is sampled in. */
const bytesOf = { float32: 4, int8: 1, bf16: 2 } as const;

const sequences = 16;
const promptTokens = 128;

/** A token of each of 16 sequences of the 135 M shape: what one more takes, without the prompts. */
export const decodeStep135m: BenchItem = async (options) => {
  const config = configOf(shapeOf('decode135m', options.short), 4096);
  const weights = initializeWeights(config, 1);
  const parameters = [...weights.values()].reduce((sum, { data }) => sum + data.length, 0);
  const rate = await readingRate(parameters, options);
  const { isAvailable, precisions } = await probeDriver('openvino');
  const kinds = (['float32', 'int8', 'bf16'] as const).filter(
    (kind) => kind !== 'bf16' || (isAvailable && precisions.includes('bf16')),
  );
  const rows = [];
  for (const sampling of kinds) {
    const precision = sampling === 'bf16' ? 'bf16' : 'float32';
    const engine = await createEmbeddedEngine({
      config,
      weights,
      threads: options.threads,
      precision,
      sampling,
    });
    const step = await stepSeconds(engine, config.shape.vocabularySize, options);
    await engine.dispose();
    const reading = (parameters * bytesOf[sampling]) / rate;
    rows.push(
      buildRow(
        `decode-step/135m/${sequences}/${sampling}`,
        1000 * step,
        'ms',
        { name: 'reading the weights once, ms', value: 1000 * reading },
        `${sequences} sequences after ${promptTokens} tokens; weights are read at ${(rate / 1e9).toFixed(1)} GB/s`,
      ),
    );
  }
  return rows;
};

/** 64 prompts of 32 tokens, and one of 2,048, in tokens per second; one token is drawn of each. */
export const shortPrompts5m: BenchItem = async (options) => {
  const config = configOf(shapeOf('decode5m', options.short), 4096);
  const { threads, short } = options;
  const engine = await createEmbeddedEngine({ config, weights: initializeWeights(config, 1), threads });
  const many: number[] = [];
  const one: number[] = [];
  const [warm, timed] = short ? [0, 1] : [2, 7];
  for (let round = 0; round < warm + timed; round += 1) {
    for (const [rates, count] of [
      [many, 64],
      [one, 1],
    ] as const) {
      const prompts = drawPrompts(config.shape.vocabularySize, { count, length: 2048 / count, seed: round });
      const { seconds } = await timeReplies(engine, prompts, 1);
      engine.policy.release([...prompts.keys()]);
      if (round >= warm) rates.push(2048 / seconds);
    }
  }
  await engine.dispose();
  return [
    buildRow(
      'prompts/5m/64',
      median(many),
      'tokens/s',
      { name: 'one prompt as long as all of them, tokens/s', value: median(one) },
      '64 prompts of 32 tokens, and one of 2,048',
    ),
  ];
};

/** Time of a step: replies whose prompts are in the cache but for one token. */
async function stepSeconds(engine: Engine, words: number, { short }: BenchOptions): Promise<number> {
  const newTokens = short ? 4 : 32;
  const [warm, timed] = short ? [1, 1] : [1, 5];
  const steps: number[] = [];
  for (let round = 0; round < warm + timed; round += 1) {
    const prompts = drawPrompts(words, { count: sequences, length: promptTokens, seed: round });
    const { longer } = await timeReplies(engine, prompts, 1);
    const { seconds } = await timeReplies(engine, longer, newTokens);
    engine.policy.release([...prompts.keys()]);
    if (round >= warm) steps.push(seconds / newTokens);
  }
  return median(steps);
}

/** Random prompts by the name of their sequence. */
function drawPrompts(
  words: number,
  { count, length, seed }: { readonly count: number; readonly length: number; readonly seed: number },
): ReadonlyMap<string, Int32Array> {
  const stream = createStream(seed);
  return new Map(
    Array.from({ length: count }, (_, row) => [
      `${seed}/${count}/${row}`,
      Int32Array.from({ length }, () => stream.int(words)),
    ]),
  );
}

/** Draws replies of a length. @returns how long that took, and the sequences with their replies */
async function timeReplies(
  { policy }: Engine,
  prompts: ReadonlyMap<string, Int32Array>,
  maxTokens: number,
): Promise<{ readonly seconds: number; readonly longer: ReadonlyMap<string, Int32Array> }> {
  const params = { temperature: 1, topP: 1, topK: 0, maxTokens, stopTokens: [], stopSequences: [] };
  const begin = performance.now();
  const longer = await Promise.all(
    [...prompts].map(async ([sequence, tokens], seed) => {
      const reply = await policy.sample({ sequence, tokens, params, seed });
      return [sequence, Int32Array.from([...tokens, ...reply.tokens])] as const;
    }),
  );
  return { seconds: (performance.now() - begin) / 1000, longer: new Map(longer) };
}

/** Bytes per second at which the product of one row reads as many float32 numbers. */
async function readingRate(numbers: number, { threads, short }: BenchOptions): Promise<number> {
  const rows = 512;
  const columns = Math.ceil(numbers / rows);
  const graph = new Graph();
  const row = graph.input('row', 'float32', [1, rows]);
  const matrix = graph.input('matrix', 'float32', [rows, columns]);
  graph.output('product', matmul(row, matrix));
  const session = await createSession(graph, { provider: 'cpu', threads });
  const feeds = {
    row: { dtype: 'float32' as const, shape: [1, rows], values: new Float32Array(rows).fill(1) },
    matrix: {
      dtype: 'float32' as const,
      shape: [rows, columns],
      values: new Float32Array(rows * columns).fill(0.5),
    },
  };
  const seconds: number[] = [];
  const [warm, timed] = short ? [1, 2] : [3, 10];
  for (let round = 0; round < warm + timed; round += 1) {
    const begin = performance.now();
    await session.run(feeds);
    if (round >= warm) seconds.push((performance.now() - begin) / 1000);
  }
  await session.dispose();
  return (4 * rows * columns) / median(seconds);
}
