/** @file The engine on devices with memory of their own: stand-ins, which compute with the CPU's kernels. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Datum, PolicyEngine, SampleRequest, SampleResult } from '@espalier/contracts';
import { initializeWeights, parseModelConfig } from '@espalier/model';
import { type StandIn, useStandInBuffers, useStandInDevice } from '@espalier/runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from './embedded-engine.js';
import { engineConformance } from './testing/engine-conformance.js';
import { likelihoodLoss, valueLoss } from './testing/plain-losses.js';
import { plainStep, tinyShape } from './testing/tiny-shape.js';

const config = parseModelConfig(tinyShape);
/** its logits are computed in chunks */
const large = parseModelConfig({ ...tinyShape, vocab_size: 8192 });
/** its context has room for prefixes that a device shares */
const long = parseModelConfig({ ...tinyShape, max_position_embeddings: 1400 });

const drawPrompt = (length: number, factor = 7): Int32Array =>
  Int32Array.from({ length }, (_, i) => (factor * i) % 61);

const create = (provider: 'cpu' | 'cuda'): Promise<PolicyEngine> =>
  createEmbeddedEngine({
    config,
    weights: initializeWeights(config, 5),
    threads: 1,
    provider,
    driver: 'native',
  });

const tokens = Int32Array.from({ length: 24 }, (_, i) => (7 * i) % 61);
const positions = Int32Array.from({ length: 20 }, (_, i) => i + 4);
const batch = [{ tokens, positions, weights: new Float32Array(20).fill(0.05), columns: {} }];

async function train(engine: PolicyEngine): Promise<number[]> {
  const numbers: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const { loss } = await engine.policy.forwardBackward(batch, likelihoodLoss);
    const { gradientNorm } = await engine.policy.optimizerStep(plainStep);
    const params = {
      maxTokens: 12,
      temperature: 1,
      topP: 1,
      topK: 0,
      stopTokens: [],
      stopSequences: [],
    };
    const request = { sequence: `s${i}`, tokens, seed: i, params };
    const { logprobs } = await engine.policy.sample(request);
    numbers.push(loss, gradientNorm, ...logprobs);
  }
  return numbers;
}

describe.each([
  ['addresses', useStandInDevice],
  ['buffers', useStandInBuffers],
])('the engine on a device with %s', (_title, useDevice) => {
  let standIn: StandIn;
  beforeAll(async () => (standIn = await useDevice()));
  afterAll(() => standIn.restore());
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));
  const subject = {
    create: () => create('cuda'),
    likelihoodLoss,
    valueLoss,
    temporaryFolder: () => {
      const folder = mkdtempSync(join(tmpdir(), 'espalier-'));
      folders.push(folder);
      return folder;
    },
  };
  for (const { title, run } of engineConformance) it(`conforms: ${title}`, () => run(subject));

  it('trains and samples as the host does', async () => {
    const [host, device] = [await create('cpu'), await create('cuda')];
    const expected = await train(host);
    // the norm of the gradients is added up in another order
    (await train(device)).forEach((value, i) => expect(value).toBeCloseTo(expected[i] as number, 5));
    await host.dispose();
    await device.dispose();
  });

  it('moves nothing but token ids, scalars and results once weights are there', async () => {
    const engine = await create('cuda');
    await engine.policy.forwardBackward(batch, likelihoodLoss);
    await engine.policy.optimizerStep(plainStep);
    Object.assign(standIn.traffic, { up: 0, down: 0 });
    await engine.policy.forwardBackward(batch, likelihoodLoss);
    await engine.policy.optimizerStep(plainStep);
    expect(standIn.traffic).toMatchObject({ up: 0, down: 0 });
    await engine.dispose();
  });

  it('shares a long prefix, with the tokens of the CPU', async () => {
    const sampleIn = async (provider: 'cpu' | 'cuda'): Promise<SampleResult[]> => {
      const engine = await createEmbeddedEngine({
        config: long,
        weights: initializeWeights(long, 5),
        threads: 1,
        provider,
        driver: 'native',
      });
      const common = Int32Array.from({ length: 1100 }, (_, i) => (11 * i) % 61);
      const results = await Promise.all(
        [0, 1, 2].map((index) =>
          engine.policy.sample({
            sequence: `m${index}`,
            tokens: Int32Array.of(...common, ...tokens.subarray(0, index)),
            params: {
              maxTokens: 9,
              temperature: 1,
              topP: 1,
              topK: 0,
              stopTokens: [],
              stopSequences: [],
            },
            seed: index,
            sharedPrefix: 1100,
          }),
        ),
      );
      await engine.dispose();
      return results;
    };
    expect(await sampleIn('cuda')).toEqual(await sampleIn('cpu'));
  });

  /** What is sampled in two waves, of which the second makes the cache grow, when one allocation fails; and how many were left. */
  const sampleWith = async (allocationsLeft: number, request: (index: number) => Partial<SampleRequest>) => {
    const engine = await createEmbeddedEngine({
      config: long,
      weights: initializeWeights(long, 5),
      threads: 1,
      provider: 'cuda',
      driver: 'native',
    });
    await engine.policy.forwardBackward(batch, likelihoodLoss);
    Object.assign(standIn.traffic, { allocationsLeft });
    const ask = (index: number) =>
      engine.policy.sample({
        sequence: `s${index}`,
        tokens,
        params: { maxTokens: 70, temperature: 1, topP: 1, topK: 0, stopTokens: [], stopSequences: [] },
        seed: index,
        ...request(index),
      });
    const results: SampleResult[] = [];
    for (const wave of [
      [0, 1],
      [2, 3, 4],
    ])
      results.push(...(await Promise.all(wave.map(ask))));
    const { allocationsLeft: left } = standIn.traffic;
    Object.assign(standIn.traffic, { allocationsLeft: 0 });
    await engine.dispose();
    return { results, left };
  };

  it.each<[title: string, request: (index: number) => Partial<SampleRequest>]>([
    ['prompts', (index) => ({ tokens: drawPrompt(index < 2 ? 20 : 40 + index) })],
    [
      'shared prefixes',
      // of each wave another, the first of which stays cached
      (index) => ({
        tokens: drawPrompt(index < 2 ? 1100 : 1200, index < 2 ? 7 : 11),
        sharedPrefix: index < 2 ? 1100 : 1200,
        params: { maxTokens: 3, temperature: 1, topP: 1, topK: 0, stopTokens: [], stopSequences: [] },
      }),
    ],
  ])(
    'samples the same when any allocation fails once, with the memory that training keeps: %s',
    async (_, request) => {
      const many = 1000;
      const { results: expected, left } = await sampleWith(many, request);
      const made = many - left;
      expect(made).toBeGreaterThan(3);
      // buffers are many, and most of one kind
      for (let failed = 1; failed <= made; failed += Math.ceil(made / 60))
        expect((await sampleWith(failed, request)).results, `allocation ${failed} of ${made}`).toEqual(
          expected,
        );
    },
  );

  it('gives all memory back when the engine is disposed', async () => {
    const before = standIn.traffic.arrays;
    const engine = await create('cuda');
    await train(engine);
    expect(standIn.traffic.arrays).toBeGreaterThan(before);
    await engine.dispose();
    expect(standIn.traffic.arrays).toBe(before);
  });
});

describe('sessions and copies on a device with addresses', () => {
  let standIn: StandIn;
  beforeAll(async () => (standIn = await useStandInDevice()));
  afterAll(() => standIn.restore());

  it('opens one session for sequences of all lengths, and none again when weights change', async () => {
    const engine = await create('cuda');
    await train(engine);
    const opened = standIn.traffic.sessions;
    for (const length of [9, 70, 158]) {
      const longer = Int32Array.from({ length }, (_, i) => (5 * i) % 61);
      const loss = { positions: Int32Array.of(3, 7), weights: Float32Array.of(0.5, 0.5), columns: {} };
      await engine.policy.forwardBackward([{ tokens: longer, ...loss }], likelihoodLoss);
    }
    await train(engine);
    expect(standIn.traffic.sessions).toBe(opened);
    await engine.dispose();
  });

  /** 155 tokens, of which so many count; members begin differently. */
  const datumOf = (count: number, member = 0): Datum => ({
    tokens: Int32Array.from({ length: 155 }, (_, i) => (7 * i + member) % 61),
    positions: Int32Array.from({ length: count }, (_, i) => i + 2),
    weights: new Float32Array(count).fill(1 / count),
    columns: {},
  });

  it('opens one session for numbers of loss positions up to 1,024, where they are part of the graph', async () => {
    const engine = await createEmbeddedEngine({
      config: large,
      weights: initializeWeights(large, 5),
      threads: 1,
      provider: 'cuda',
    });
    const opened = standIn.traffic.sessions;
    for (const count of [20, 60, 70, 100, 120, 130, 150]) {
      await engine.policy.forwardBackward([datumOf(count)], likelihoodLoss);
    }
    expect(standIn.traffic.sessions - opened).toBe(1);
    await engine.dispose();
  });

  it('opens one session for mini-batches that are told of each other', async () => {
    // 20 and 1,200 loss positions
    const batches = [[datumOf(20)], Array.from({ length: 8 }, (_, member) => datumOf(150, member))];
    const run = async (isTold: boolean): Promise<{ readonly opened: number; readonly losses: number[] }> => {
      const engine = await createEmbeddedEngine({
        config: large,
        weights: initializeWeights(large, 5),
        threads: 1,
        provider: 'cuda',
      });
      const before = standIn.traffic.sessions;
      const losses: number[] = [];
      for (const batch of batches) {
        const others = isTold ? batches.filter((other) => other !== batch) : [];
        losses.push((await engine.policy.forwardBackward(batch, likelihoodLoss, others)).loss);
      }
      const opened = standIn.traffic.sessions - before;
      await engine.dispose();
      return { opened, losses };
    };
    const [alone, told] = [await run(false), await run(true)];
    expect([alone.opened, told.opened]).toEqual([2, 1]);
    told.losses.forEach((loss, i) => expect(loss).toBeCloseTo(alone.losses[i]!, 5));
  });

  it('decodes without moving keys and values, and copies once for each prompt', async () => {
    const engine = await create('cuda');
    const ask = (index: number, maxTokens: number) =>
      engine.policy.sample({
        sequence: `s${index}`,
        tokens: tokens.subarray(0, 20 + index),
        params: { maxTokens, temperature: 1, topP: 1, topK: 0, stopTokens: [], stopSequences: [] },
        seed: index,
      });
    const copied = async (maxTokens: number): Promise<number> => {
      Object.assign(standIn.traffic, { up: 0, down: 0, copies: 0 });
      await Promise.all([0, 1, 2].map((index) => ask(index, maxTokens)));
      engine.policy.release(['s0', 's1', 's2']);
      return standIn.traffic.copies;
    };
    await copied(4);
    const few = await copied(4);
    expect(await copied(30)).toBe(few);
    expect(standIn.traffic).toMatchObject({ up: 0, down: 0 });
    await engine.dispose();
  });
});
