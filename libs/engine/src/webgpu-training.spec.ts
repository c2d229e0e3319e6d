import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum } from '@espalier/contracts';
import { initializeWeights, type ModelConfig, parseModelConfig } from '@espalier/model';
import { clippedPolicyLoss } from '@espalier/objective';
import { type DeviceMemory, openDeviceMemory, type SessionOptions } from '@espalier/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFullModels, type EngineModels } from './engine-models.js';
import { OptimizerSession } from './optimizer-session.js';
import { Sampler } from './sampler/sampler.js';
import { SequenceModel } from './sequence-model.js';
import { plainStep } from './testing/tiny-shape.js';

/** A Vulkan driver in software, which Chromium brings, and the loader that finds it; .ci/run installs both. */
const driver = '/usr/lib/chromium/vk_swiftshader_icd.json';
const loader = '/usr/lib/x86_64-linux-gnu/libvulkan.so.1';
const isInstalled = existsSync(driver) && existsSync(loader);
const title = isInstalled ? 'training on WebGPU' : `training on WebGPU (needs ${driver} and ${loader})`;

const shape = {
  model_type: 'llama',
  vocab_size: 61,
  hidden_size: 16,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 24,
  max_position_embeddings: 160,
  tie_word_embeddings: true,
};
const config = parseModelConfig(shape);
/** More layers than a GPU may bind buffers to one kernel. */
const deep = parseModelConfig({ ...shape, num_hidden_layers: 9 });

const loss = clippedPolicyLoss('x', { clipLow: 0.2, clipHigh: 0.2, dualClip: 3, entropyCoefficient: 0.01 });

const data = Array.from({ length: 3 }, (_, i): Datum => {
  const n = 10 + i;
  return {
    tokens: Int32Array.from({ length: 40 }, (_unused, t) => (i * 31 + t * t * 7 + t) % 61),
    positions: Int32Array.from({ length: n }, (_unused, t) => 5 + 2 * t),
    weights: new Float32Array(n).fill(0.1),
    columns: {
      oldLogprobs: new Float32Array(n).fill(-4.1),
      advantages: Float32Array.from({ length: n }, (_unused, t) => (t % 3) - 1),
    },
  };
});

function createModels(config: ModelConfig): EngineModels {
  const weights = initializeWeights(config, 5);
  return createFullModels({
    config,
    shapes: new Map([...weights].map(([name, { shape }]) => [name, shape])),
    read: (name, target) => target.set(weights.get(name)?.data ?? []),
    source: 'test',
  });
}

async function learn(provider: 'cpu' | 'webgpu', profilePrefix?: string) {
  const models = createModels(config);
  const sequences = new SequenceModel({
    config,
    session: { provider, threads: 1, ...(profilePrefix === undefined ? {} : { profilePrefix }) },
    threads: 1,
    microBatchTokens: 2048,
  });
  const { policy } = models;
  const result = await sequences.forwardBackward(policy, data, loss);
  await sequences.dispose();
  return { loss: result.loss, store: policy.store };
}

/** One optimizer step on gradients of all sizes, then two waves of sampling, in which sequences move and the cache grows. */
async function stepAndSample(session: SessionOptions, memory?: DeviceMemory) {
  const models = createModels(deep);
  const { store } = models.policy;
  store.gradients.write().forEach((_, i, all) => (all[i] = Math.sin(i) / 100));
  const optimizer = await OptimizerSession.create(session, memory);
  const { gradientNorm: norm } = await optimizer.step(store, plainStep);
  await optimizer.dispose();
  const sampler = new Sampler({ config: deep, session, weights: models.sampled, threads: 1, memory });
  const ask = (index: number, maxTokens: number) =>
    sampler.sample({
      sequence: `s${index}`,
      tokens: Int32Array.from({ length: 20 + index }, (_, t) => (7 * t + index) % 61),
      params: { maxTokens, temperature: 1, topP: 1, topK: 0, stopTokens: [], stopSequences: [] },
      seed: index,
    });
  const results = await Promise.all([ask(0, 5), ask(1, 5), ask(2, 70)]);
  sampler.release(['s0', 's1']);
  results.push(await ask(3, 70));
  await sampler.dispose();
  return {
    norm,
    logprobs: results.flatMap(({ logprobs }) => [...logprobs]),
    weights: [...store.weights.read()],
  };
}

interface ProfileEvent {
  readonly cat: string;
  readonly args?: {
    readonly op_name?: string;
    readonly provider?: string;
    /** one entry per tensor: its shape by its element type */
    readonly input_type_shape?: readonly Readonly<Record<string, readonly number[]>>[];
    readonly output_type_shape?: readonly Readonly<Record<string, readonly number[]>>[];
  };
}

/** What of a profile ran on the CPU: operators, the element types that they read and wrote, and how many of how many nodes. */
function readProfile(folder: string) {
  const nodes = readdirSync(folder)
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ProfileEvent[])
    .flatMap(({ cat, args }) => (cat === 'Node' && args?.provider !== undefined ? [args] : []));
  const onCpu = nodes.filter(({ provider }) => provider?.startsWith('CPU') === true);
  expect(nodes.some(({ provider }) => provider?.startsWith('WebGpu'))).toBe(true);
  const types = onCpu.flatMap(({ input_type_shape: read = [], output_type_shape: written = [] }) =>
    [...read, ...written].flatMap((tensor) => Object.keys(tensor)),
  );
  const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
  return {
    operators: sorted(onCpu.map(({ op_name: name = '' }) => name)),
    types: sorted(types),
    counts: `${onCpu.length} of ${nodes.length}`,
  };
}

const listOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const page = readFileSync(join(import.meta.dirname, '../../../docs/use/webgpu.md'), 'utf8');

/** What the page says of nodes on the CPU, its words in one line. */
const [, documented = ''] = /Some nodes stay on the CPU: ([\s\S]*?)\.\n-/.exec(page) ?? [];
const sentence = documented.replaceAll(/\s+/g, ' ');

// in CI it must be there
describe.skipIf(!isInstalled && process.env['CI'] === undefined)(title, () => {
  const before = process.env['VK_ICD_FILENAMES'];
  beforeAll(() => (process.env['VK_ICD_FILENAMES'] = driver));
  afterAll(() => {
    if (before === undefined) delete process.env['VK_ICD_FILENAMES'];
    else process.env['VK_ICD_FILENAMES'] = before;
  });

  it('steps and samples as the CPU does, and leaves only shapes and indices to the CPU', async () => {
    const profiles = mkdtempSync(join(tmpdir(), 'espalier-webgpu-'));
    const cpu = await stepAndSample({ provider: 'cpu', threads: 1 });
    const session = { provider: 'webgpu', threads: 1, profilePrefix: join(profiles, 'run') } as const;
    const webgpu = await stepAndSample(session, await openDeviceMemory(session));
    const { operators, types } = readProfile(profiles);
    rmSync(profiles, { recursive: true });
    expect(types).toEqual(['bool', 'int64']);
    expect(page.replaceAll(/\s+/g, ' ')).toContain(`In sampling they are ${listOf(operators)}.`);
    expect(webgpu.norm).toBeCloseTo(cpu.norm, 4);
    expect(webgpu.logprobs).toHaveLength(150);
    webgpu.logprobs.forEach((value, i) => expect(value).toBeCloseTo(cpu.logprobs[i]!, 3));
    webgpu.weights.forEach((value, i) => expect(value).toBeCloseTo(cpu.weights[i]!, 5));
  }, 240_000);

  it('gives the loss and every gradient of the CPU to 1e-4, and leaves only shapes to the CPU', async () => {
    const cpu = await learn('cpu');
    const profiles = mkdtempSync(join(tmpdir(), 'espalier-webgpu-'));
    const webgpu = await learn('webgpu', join(profiles, 'run'));
    const { operators, types, counts } = readProfile(profiles);
    rmSync(profiles, { recursive: true });
    expect(types).toEqual(['bool', 'int64']);
    expect(sentence).toContain(`they are ${counts}: ${listOf(operators)}`);
    expect(Math.abs(webgpu.loss - cpu.loss)).toBeLessThan(1e-5);
    for (const name of cpu.store.names) {
      const expected = cpu.store.view(cpu.store.gradients.read(), name).data;
      const found = webgpu.store.view(webgpu.store.gradients.read(), name).data;
      const size = Math.sqrt(expected.reduce((sum, value) => sum + value * value, 0));
      const apart = Math.sqrt(expected.reduce((sum, value, i) => sum + (value - found[i]!) ** 2, 0));
      expect(size, name).toBeGreaterThan(0);
      expect(apart / size, name).toBeLessThan(1e-4);
    }
  }, 120_000);
});
