/** @file Whether a GPU computes what the CPU computes, and which operators it leaves to it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedEngine } from '@espalier/engine';
import { buildTrainingGraph, GATHERED, GRADIENT } from '@espalier/model';
import { nllLoss } from '@espalier/objective';
import { createSession } from '@espalier/runtime';
import { adamW, configOf, drawDatum, drawTokens, samplingOf, weightsOf } from './models.mjs';

/** Large enough for every kind of operator, small enough for a CPU. */
const small = {
  family: 'llama',
  width: 256,
  layers: 6,
  heads: 8,
  keyValueHeads: 4,
  feedForward: 704,
  vocabulary: 512,
  tied: true,
  ropeTheta: 10000,
  normEpsilon: 1e-6,
};
const loss = ({ logprobs, entropies, columns }) =>
  nllLoss.build({ logprobs, entropies, columns, params: {} });

function buildStep(config, batch, length) {
  const rows = batch * length;
  const chunks = config.shape.vocabularySize > 4096 ? { chunkRows: Math.min(rows, 512) } : {};
  return buildTrainingGraph({ config, role: 'policy', length, rows, ...chunks }, loss, []);
}

function feedsOf(config, batch, length) {
  const rows = batch * length;
  const whole = (shape, values) => ({ dtype: 'int64', shape, values });
  const float = (shape, values) => ({ dtype: 'float32', shape, values });
  const ids = () => BigInt64Array.from(drawTokens(config, rows), BigInt);
  const feeds = {
    ids: whole([batch, length], ids()),
    rows: whole(
      [rows],
      BigInt64Array.from({ length: rows }, (_, row) => BigInt(row)),
    ),
    targets: whole([rows], ids()),
    inverse_temperature: float([rows], new Float32Array(rows).fill(1)),
    weights: float([rows], new Float32Array(rows).fill(1 / rows)),
  };
  for (const [name, { shape, data }] of weightsOf(config)) {
    feeds[name] = float(shape, data);
    feeds[`${GATHERED}${name}`] = float(shape, new Float32Array(data.length));
  }
  return feeds;
}

async function runStep(graph, feeds, options) {
  const session = await createSession(graph, options);
  try {
    const given = session.inputs.flatMap(({ name }) =>
      feeds[name] === undefined ? [] : [[name, feeds[name]]],
    );
    const outputs = await session.run(Object.fromEntries(given));
    if (options.profilePrefix !== undefined) session.endProfiling();
    return outputs;
  } finally {
    await session.dispose();
  }
}

/** ‖a − b‖ / ‖b‖ */
function relativeError(a, b) {
  let difference = 0;
  let norm = 0;
  for (let i = 0; i < b.length; i += 1) {
    difference += (a[i] - b[i]) ** 2;
    norm += b[i] ** 2;
  }
  return Math.sqrt(difference / norm);
}

/** Gradients of one step beside those of the CPU in float32. */
export async function compareGradients({ provider, precisions, report }) {
  const config = configOf(small);
  const graph = buildStep(config, 4, 64);
  const feeds = feedsOf(config, 4, 64);
  const expected = await runStep(graph, feeds, { provider: 'cpu' });
  for (const precision of precisions) {
    const found = await runStep(graph, feeds, { provider, precision });
    const again = await runStep(graph, feeds, { provider, precision });
    const errors = Object.keys(expected)
      .filter((name) => name.startsWith(GRADIENT))
      .map((name) => [relativeError(found[name].values, expected[name].values), name])
      .sort(([a], [b]) => b - a);
    const names = Object.keys(found);
    report({
      part: 'gradients',
      precision,
      worst: errors.slice(0, 3),
      logprobs: relativeError(found.logprobs.values, expected.logprobs.values),
      resultsWithOtherBits: names.filter((name) =>
        found[name].values.some((value, i) => value !== again[name].values[i]),
      ).length,
      results: names.length,
    });
  }
}

/** Operators of a training step that the CPU computes, or that move data, and where the time goes. */
export async function listPlacement({ provider, models, shapes, report }) {
  const [model] = models;
  const config = configOf(shapes.models[model]);
  const folder = mkdtempSync(join(tmpdir(), 'espalier-gpu-'));
  try {
    const options = { provider, profilePrefix: join(folder, 'profile') };
    await runStep(buildStep(config, 2, 128), feedsOf(config, 2, 128), options);
    const nodes = readdirSync(folder)
      .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
      .filter(({ cat, name }) => cat === 'Node' && name.endsWith('_kernel_time'));
    const isOnCpu = ({ args }) =>
      args.provider === 'CPUExecutionProvider' || args.op_name.startsWith('Memcpy');
    const micros = {};
    for (const { args, dur } of nodes) micros[args.op_name] = (micros[args.op_name] ?? 0) + dur;
    report({
      part: 'placement',
      model,
      nodes: nodes.length,
      onCpu: nodes.filter(isOnCpu).map(({ args }) => args.op_name),
      slowestMicroseconds: Object.fromEntries(
        Object.entries(micros)
          .sort(([, a], [, b]) => b - a)
          .slice(0, 8),
      ),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const likelihood = { id: 'nll', params: {}, columns: [], build: loss };

/** Three steps, then replies, of an engine on the CPU and of one on the device. */
export async function compareEngines({ provider, report }) {
  const config = configOf(small);
  const weights = weightsOf(config);
  const batch = [0, 1, 2, 3].map((i) => drawDatum(config, 100 + 20 * i));
  const prompts = [0, 1, 2].map((i) => drawTokens(config, 40 + 7 * i));
  const results = [];
  for (const where of ['cpu', provider]) {
    const engine = await createEmbeddedEngine({ config, weights, provider: where });
    const losses = [];
    for (let step = 0; step < 3; step += 1) {
      losses.push((await engine.policy.forwardBackward(batch, likelihood)).loss);
      losses.push((await engine.policy.optimizerStep(adamW)).gradientNorm);
    }
    const sample = (name, temperature) =>
      Promise.all(
        prompts.map((tokens, row) =>
          engine.policy.sample({
            sequence: `${name}${row}`,
            tokens,
            seed: row,
            params: samplingOf(40, temperature),
          }),
        ),
      );
    const [greedy, drawn] = [await sample('g', 0), await sample('d', 1)];
    results.push({
      losses,
      greedy: greedy.flatMap(({ tokens }) => [...tokens]),
      drawn: drawn.flatMap(({ tokens }) => [...tokens]),
      logprobs: drawn.flatMap(({ logprobs }) => [...logprobs]),
    });
    await engine.dispose();
  }
  const [a, b] = results;
  const share = (of) => a[of].filter((token, i) => token === b[of][i]).length / a[of].length;
  report({
    part: 'engine',
    losses: relativeError(b.losses, a.losses),
    equalGreedyTokens: share('greedy'),
    equalDrawnTokens: share('drawn'),
    logprobs: relativeError(b.logprobs, a.logprobs),
  });
}
