// The processes of `npm run check:large`: `large-model.mjs make|train FILE`, where FILE is JSON with what to do; the result is
// written into it. Each is a process of its own, so that its peak memory is its own.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createEmbeddedEngine } from '@espalier/engine';
import { initializeWeights, parseModelConfig, saveModelFolder } from '@espalier/model';
import { nllLoss } from '@espalier/objective';
import { createStream } from '@espalier/random';

const [task, file] = process.argv.slice(2);
const job = JSON.parse(readFileSync(file, 'utf8'));
const phases = [];
const result = task === 'make' ? await make(job) : await train(job);
writeFileSync(file, JSON.stringify({ ...result, phases }));

/** Writes a random model in bfloat16. */
async function make({ config: json, folder }) {
  const config = parseModelConfig(json);
  const weights = await phase('make', async () => initializeWeights(config, 1));
  await phase('write', async () => saveModelFolder(folder, { config, weights, dtype: 'bfloat16' }));
  return { bytes: statSync(join(folder, 'model.safetensors')).size };
}

/**
 * Two optimizer steps, with a checkpoint between them; or, given that checkpoint, only the second. Each step follows a
 * short sampling, as in a run.
 */
async function train({
  folder,
  lora,
  batch,
  length,
  threads,
  recompute,
  memoryBytes,
  checkpoint,
  resume,
  scratch,
}) {
  const options = { folder, threads, recompute, memoryBytes, microBatchTokens: batch * length };
  const engine = await phase('open', () => createEmbeddedEngine({ ...options, ...(lora && { lora }) }));
  const { policy, description } = engine;
  const losses = [];
  const step = async (number) => {
    const data = randomBatch(number, { batch, length, vocabularySize: description.vocabularySize });
    await phase(`sample ${number}`, () => samplePrompts(policy, data, number));
    losses.push((await phase(`gradients ${number}`, () => policy.forwardBackward(data, nllLoss))).loss);
    await phase(`optimizer ${number}`, () =>
      policy.optimizerStep({
        learningRate: 1e-4,
        beta1: 0.9,
        beta2: 0.999,
        epsilon: 1e-8,
        weightDecay: 0.01,
        maxGradientNorm: 1,
      }),
    );
  };
  if (resume) {
    await phase('load', () => policy.load(checkpoint, { optimizer: true }));
  } else {
    await step(1);
    await phase('save', () => policy.save(checkpoint, { optimizer: true }));
  }
  await step(2);
  await policy.save(scratch, { optimizer: true });
  await engine.dispose();
  const hashes = await hashFolder(scratch);
  await rm(scratch, { recursive: true });
  return { losses, hashes, bytes: sizesOf(checkpoint), parameters: description.parameterCount };
}

/** Sequences of random ids; all positions but the first are learned. */
function randomBatch(seed, { batch, length, vocabularySize }) {
  const stream = createStream(seed);
  const count = length - 1;
  return Array.from({ length: batch }, () => ({
    tokens: Int32Array.from({ length }, () => stream.int(vocabularySize)),
    positions: Int32Array.from({ length: count }, (_, i) => i + 1),
    weights: new Float32Array(count).fill(1 / (batch * count)),
    columns: {},
  }));
}

async function samplePrompts(policy, data, round) {
  const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 8, stopTokens: [], stopSequences: [] };
  const requests = data.map(({ tokens }, row) => ({
    sequence: `${round}/${row}`,
    tokens: tokens.slice(0, 32),
    params,
    seed: row,
  }));
  await Promise.all(requests.map((request) => policy.sample(request)));
  policy.release(requests.map(({ sequence }) => sequence));
}

async function phase(name, work) {
  resetPeak();
  const begin = performance.now();
  const value = await work();
  const seconds = (performance.now() - begin) / 1000;
  phases.push({ name, seconds, peakBytes: peakBytes(), afterBytes: process.memoryUsage.rss() });
  return value;
}

/** Linux tells the peak since a moment; elsewhere a phase has the peak of the process so far. */
function resetPeak() {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
}

function peakBytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  return 1024 * Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

function sizesOf(folder) {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]));
}

async function hashFolder(folder) {
  const hashes = {};
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.safetensors'))) {
    const hash = createHash('sha256');
    for await (const part of createReadStream(join(folder, name), { highWaterMark: 2 ** 22 }))
      hash.update(part);
    hashes[name] = hash.digest('hex');
  }
  return hashes;
}
