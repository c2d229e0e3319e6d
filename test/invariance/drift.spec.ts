/**
 * @file 100 optimizer steps, each batch also cut, padded and ordered in another way: what rounding does to loss and
 * gradient norm stays small, and leans to neither side.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import grpo from '@espalier/algorithm-grpo';
import type { Datum, PolicyEngine } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { estimateTokenWeights } from '@espalier/objective';
import { createStream, type RandomStream } from '@espalier/random';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveTinyModel } from '../support/tiny-training.js';

const stepCount = 100;
const loss = grpo.policyLoss(grpo.params.parse({}));
const optimizer = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradientNorm: 1,
};
/** Leaves the weights as they are, and tells the gradient's norm. */
const still = { ...optimizer, learningRate: 0 };

let root: string;
let engine: PolicyEngine;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-drift-'));
  const folder = saveTinyModel(join(root, 'model'));
  engine = await createEmbeddedEngine({ folder, threads: 1, microBatchTokens: 8192 });
});
afterAll(async () => {
  await engine.dispose();
  removeFolder(root);
});

function makeBatch(stream: RandomStream): Datum[] {
  const drafts = Array.from({ length: 6 }, () => {
    const length = 8 + stream.int(25);
    const tokens = Int32Array.from({ length }, () => stream.int(300));
    return { tokens, positions: Int32Array.from({ length }, (_, t) => t).filter((t) => t >= length / 2) };
  });
  const weights = estimateTokenWeights(
    drafts.map(({ positions }) => positions.length),
    'token-mean',
  );
  return drafts.map(({ tokens, positions }, index) => ({
    tokens,
    positions,
    weights: weights[index]!,
    columns: {
      oldLogprobs: Float32Array.from(positions, () => -5.7 + 0.4 * stream.next()),
      // mostly praise: a loss away from zero, so that relative differences mean something
      advantages: Float32Array.from(positions, () => 0.5 + stream.next()),
    },
  }));
}

/** A long sequence that does not count makes every row of its micro-batch longer. */
const bystander = (): Datum => ({
  tokens: Int32Array.from({ length: 80 }, (_, t) => t),
  positions: Int32Array.of(79),
  weights: new Float32Array(1),
  columns: { oldLogprobs: new Float32Array(1).fill(-5.7), advantages: new Float32Array(1) },
});

interface Measured {
  readonly loss: number;
  readonly gradientNorm: number;
}

/** Adds the gradients of several calls and makes one step of them. */
async function learn(calls: readonly (readonly Datum[])[], step: typeof optimizer): Promise<Measured> {
  let total = 0;
  for (const batch of calls) total += (await engine.policy.forwardBackward(batch, loss)).loss;
  const { gradientNorm } = await engine.policy.optimizerStep(step);
  return { loss: total, gradientNorm };
}

const layouts: Readonly<Record<string, (batch: readonly Datum[]) => readonly (readonly Datum[])[]>> = {
  'other order': (batch) => [[...batch].reverse()],
  'other padding': (batch) => [[...batch, bystander()]],
  'one sequence at a time': (batch) => batch.map((datum) => [datum]),
};

describe(`over ${stepCount} optimizer steps`, () => {
  it('another order, padding or cut changes loss and gradient norm by less than 1e-5, to both sides alike', async () => {
    const stream = createStream(23);
    const differences = new Map<string, number[]>();
    const note = (name: string, value: number, plain: number): void => {
      const told = differences.get(name) ?? [];
      told.push((value - plain) / Math.abs(plain));
      differences.set(name, told);
    };
    for (let step = 0; step < stepCount; step += 1) {
      const batch = makeBatch(stream);
      const others = Object.entries(layouts);
      const found: (readonly [string, Measured])[] = [];
      for (const [name, arrange] of others) found.push([name, await learn(arrange(batch), still)]);
      const plain = await learn([batch], optimizer);
      for (const [name, { loss: value, gradientNorm }] of found) {
        note(`loss, ${name}`, value, plain.loss);
        note(`gradient norm, ${name}`, gradientNorm, plain.gradientNorm);
      }
    }
    expect(differences.size).toBe(6);
    for (const [name, values] of differences) {
      expect(values, name).toHaveLength(stepCount);
      expect(Math.max(...values.map(Math.abs)), name).toBeLessThan(1e-5);
      const above = values.filter((value) => value > 0).length;
      const below = values.filter((value) => value < 0).length;
      // a fair coin leaves this band once in 60,000 tries; ties count for neither side
      expect(Math.abs(above - below), name).toBeLessThanOrEqual(4.3 * Math.sqrt(above + below));
      const mean = values.reduce((sum, value) => sum + value, 0) / stepCount;
      expect(Math.abs(mean), name).toBeLessThan(1e-7);
    }
  }, 120_000);
});
