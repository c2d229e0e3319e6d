import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import grpo from '@espalier/algorithm-grpo';
import type { Datum } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { estimateTokenWeights } from '@espalier/objective';
import { createStream } from '@espalier/random';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveTinyModel } from '../support/tiny-training.js';

let root: string;
let model: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-micro-'));
  model = saveTinyModel(join(root, 'model'));
});
afterAll(() => removeFolder(root));

const loss = grpo.policyLoss(grpo.params.parse({}));

/** Sequences of 10 to 90 tokens; most positions of their second half count. */
function makeBatch(count: number): Datum[] {
  const stream = createStream(17);
  const drafts = Array.from({ length: count }, () => {
    const length = 10 + stream.int(81);
    const tokens = Int32Array.from({ length }, () => stream.int(300));
    const positions = Int32Array.from({ length }, (_, t) => t).filter(
      (t) => t >= length / 2 && stream.next() < 0.8,
    );
    return { tokens, positions };
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
      advantages: Float32Array.from(positions, () => 2 * stream.next() - 1),
    },
  }));
}

async function measure(batch: readonly Datum[], microBatchTokens: number, calls = 1) {
  const engine = await createEmbeddedEngine({ folder: model, threads: 1, microBatchTokens });
  try {
    let total = 0;
    for (let call = 0; call < calls; call += 1) {
      const part = batch.filter((_, index) => index % calls === call);
      total += (await engine.policy.forwardBackward(part, loss)).loss;
    }
    const step = {
      learningRate: 1e-3,
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-8,
      weightDecay: 0,
      maxGradientNorm: 1,
    };
    const { gradientNorm } = await engine.policy.optimizerStep(step);
    return { loss: total, gradientNorm };
  } finally {
    await engine.dispose();
  }
}

describe('loss and gradient norm of one mini-batch', () => {
  const batch = makeBatch(24);

  it.each([
    ['one sequence at a time', (all: readonly Datum[]) => measure(all, 64)],
    ['a few sequences at a time', (all: readonly Datum[]) => measure(all, 512)],
    ['sequences in reverse order', (all: readonly Datum[]) => measure([...all].reverse(), 8192)],
    ['three calls that add up', (all: readonly Datum[]) => measure(all, 8192, 3)],
    [
      'longer padding, from a long sequence that does not count',
      (all: readonly Datum[]) => {
        const bystander = {
          tokens: Int32Array.from({ length: 300 }, (_, t) => t % 300),
          positions: Int32Array.of(299),
          weights: new Float32Array(1),
          columns: { oldLogprobs: new Float32Array(1).fill(-5.7), advantages: new Float32Array(1) },
        };
        return measure([...all, bystander], 65_536);
      },
    ],
  ])('do not depend on the cut: %s', async (_, compute) => {
    const whole = await measure(batch, 8192);
    const other = await compute(batch);
    // float32 sums in another order
    expect(Math.abs(other.loss - whole.loss)).toBeLessThan(1e-5 * Math.abs(whole.loss));
    expect(Math.abs(other.gradientNorm - whole.gradientNorm)).toBeLessThan(1e-5 * whole.gradientNorm);
  });
});
