/**
 * Runs two whole iterations of GRPO and of StarPO-S, by the embedded engine and over the Tinker API against our own server,
 * and captures what the first feeds to its training graphs and what the second puts on the wire.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveRunSpec } from '@espalier/config';
import { createEmbeddedEngine } from '@espalier/engine';
import { discoverPlugins } from '@espalier/plugin-host';
import { defineReward } from '@espalier/plugin-kit';
import { createEngineServer } from '@espalier/tinker/server';
import { createTrainer } from '@espalier/trainer';
import ort from 'onnxruntime-node';
import { decodePass } from '../../../libs/tinker/dist/wire/protobuf.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../..');
/** a random two-layer Llama with a tokenizer */
const model = resolve(here, '../iterations/model');

/** A random model earns this unevenly, turn by turn; some groups earn nothing, so that their advantages are 0. */
const evenTokens = defineReward({
  id: 'even-tokens',
  summary: 'Share of sampled tokens with an even id; 0 in every third group.',
  score: ({ group, tokens, turns }) => ({
    perTurn: turns.map(({ sampled: { start, end } }) => {
      const own = tokens.subarray(start, end);
      return group % 3 === 0 ? 0 : own.filter((id) => id % 2 === 0).length / own.length;
    }),
  }),
});

const shared = {
  seed: 7,
  model: { path: model },
  environment: { use: 'frozen-lake' },
  rewards: [{ use: 'even-tokens' }],
  steps: 2,
  rollout: {
    promptsPerStep: 4,
    groupSize: 3,
    maxTurns: 3,
    maxResponseTokens: 12,
    // short, so that three turns fit into the context of the model
    prompt: { preset: 'seedling', turn: '{state}' },
  },
  validation: { every: 0, atStart: false, atEnd: false },
  device: { threads: 1 },
};
// with a smaller epsilon the first steps turn on the sign of gradients that are almost 0, which no two processors share
const optimizer = { learningRate: 1e-2, weightDecay: 0.1, maxGradientNorm: 0.2, epsilon: 1e-4 };

/** Spec by name of a run. */
export const runs = {
  /** sent as the named loss `ppo` */
  grpo: {
    ...shared,
    algorithm: { use: 'grpo', dualClip: 0, clipLow: 0.1 },
    // several micro-batches in a pass
    update: { epochs: 2, miniBatches: 2, microBatchTokens: 512 },
    optimizer,
  },
  /** sent as a graph, since its clipping has a third bound; half of the groups are dropped */
  'starpo-s': {
    ...shared,
    algorithm: { use: 'starpo-s', estimator: 'group', keepRatio: 0.5, entropyCoefficient: 0 },
    rollout: { ...shared.rollout, temperature: 0.8 },
    update: { epochs: 2, lossAggregation: 'sequence-mean-token-mean', lossMask: { control: false } },
    optimizer: { ...optimizer, schedule: { kind: 'linear', warmupSteps: 2 } },
  },
};

async function train(name, engine, onTrajectory = () => undefined) {
  const installed = await discoverPlugins({ root });
  const isReward = (kind, id) => kind === 'reward' && id === evenTokens.id;
  const registry = {
    list: () => [...installed.list(), evenTokens],
    get: (kind, id) => (isReward(kind, id) ? evenTokens : installed.get(kind, id)),
    folderOf: (kind, id) => installed.folderOf?.(kind, id),
  };
  const folder = mkdtempSync(join(tmpdir(), 'espalier-frames-'));
  const { spec } = resolveRunSpec({ name, ...runs[name], ...engine }, registry);
  const sink = {
    emit: (event) => event.kind === 'trajectory' && onTrajectory(event.trajectory),
    flush: async () => undefined,
    close: async () => undefined,
  };
  const trainer = await createTrainer(spec, { registry, sink, folder });
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
    rmSync(folder, { recursive: true });
  }
}

/** Copies what is fed; the engine writes the next micro-batch into the same memory. */
const copyFeeds = (feeds) =>
  Object.fromEntries(Object.entries(feeds).map(([name, { data }]) => [name, Array.from(data, Number)]));

const isInput = (name) =>
  /^(?:ids|positions|rows|targets|weights|own_grid|prefix_grid|prefix_mask|inverse_temperature|column:.*)$/.test(name);

/** What the embedded engine hands to the runtime, in order: feeds of its training graphs and scalars of its optimizer. */
export async function captureEmbedded(name) {
  const { prototype } = ort.InferenceSession;
  const original = prototype.run;
  const passes = [];
  const steps = [];
  const trajectories = [];
  prototype.run = function run(feeds, ...rest) {
    if ('weights' in feeds) {
      const inputs = Object.fromEntries(Object.entries(feeds).filter(([input]) => isInput(input)));
      passes.push({ step: steps.length, grid: [...feeds.own_grid.dims], feeds: copyFeeds(inputs) });
    } else if ('first_moment' in feeds) {
      const { weight: _, gradient: __, first_moment: ___, second_moment: ____, ...scalars } = feeds;
      steps.push(copyFeeds(scalars));
    }
    return original.call(this, feeds, ...rest);
  };
  try {
    await train(name, {}, (one) => trajectories.push(one));
  } finally {
    prototype.run = original;
  }
  return { passes, steps, trajectories };
}

/** A pass that learns; those that only score are left out, and ids, which are drawn. */
function passFrame({ lossFn, lossConfig: { loss_id: _, ...lossConfig }, forwardOnly, data }) {
  if (forwardOnly) return [];
  const plain = data.map(({ tokens, inputs }) => ({
    tokens: [...tokens],
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, tensor]) => [name, [...tensor.data]])),
  }));
  return [{ path: 'forward_backward', lossFn, lossConfig, data: plain }];
}

const stepFrame = ({ adam_params }) => ({ path: 'optim_step', adam_params });

/** What the same run sends to a server of the Tinker API. */
export async function captureRemote(name) {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-frames-'));
  const base = {
    name: 'tiny',
    contextLength: 640,
    stopTokens: [],
    encode: () => [],
    open: () => createEmbeddedEngine({ folder: model, threads: 1 }),
  };
  const server = await createEngineServer({ models: [base], folder });
  const frames = [];
  const proxy = createServer(async (incoming, response) => {
    const parts = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    const path = incoming.url.replace('/api/v1/', '');
    if (path === 'forward_backward') frames.push(...passFrame(decodePass(body)));
    if (path === 'optim_step') frames.push(stepFrame(JSON.parse(body.toString('utf8'))));
    const { method, headers } = incoming;
    ask(`${server.url}${incoming.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    }).end(body);
  });
  await new Promise((listening) => proxy.listen(0, '127.0.0.1', listening));
  try {
    const url = `http://127.0.0.1:${proxy.address().port}`;
    await train(name, { engine: { use: 'tinker', url, model: 'tiny' } });
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
  return frames;
}
