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

type Lora = NonNullable<Parameters<typeof createEmbeddedEngine>[0]['lora']>;

async function measure(batch: readonly Datum[], microBatchTokens: number, calls = 1, lora?: Lora) {
  const adapters = lora === undefined ? {} : { lora };
  const engine = await createEmbeddedEngine({ folder: model, threads: 1, microBatchTokens, ...adapters });
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

describe('loss and gradient norm with dropout of adapters', () => {
  // sequences with common beginnings, which are computed once where they are in one micro-batch
  const first = makeBatch(1)[0]!.tokens;
  const batch = makeBatch(12).map((datum, index): Datum => {
    if (index % 3 === 0) return datum;
    const tokens = datum.tokens.slice();
    tokens.set(first.subarray(0, Math.min(8 + index, tokens.length - 2)));
    return { ...datum, tokens };
  });
  const options = {
    rank: 4,
    alpha: 8,
    rankStabilized: false,
    targets: 'all-linear',
    critic: 'head',
    seed: 3,
  } as const;
  const lora = (dropout: number): Lora => ({ ...options, dropout });

  it('do not depend on the cut either, but on the seed', async () => {
    const whole = await measure(batch, 8192, 1, lora(0.5));
    for (const other of [
      await measure(batch, 64, 1, lora(0.5)),
      await measure([...batch].reverse(), 8192, 3, lora(0.5)),
    ]) {
      expect(Math.abs(other.loss - whole.loss)).toBeLessThan(1e-5 * Math.abs(whole.loss));
      expect(Math.abs(other.gradientNorm - whole.gradientNorm)).toBeLessThan(1e-5 * whole.gradientNorm);
    }
    const gradientOf = async (change: Lora) => (await measure(batch, 8192, 1, change)).gradientNorm;
    const others = [await gradientOf({ ...lora(0.5), seed: 4 }), await gradientOf(lora(0))];
    for (const other of others)
      expect(Math.abs(other - whole.gradientNorm)).toBeGreaterThan(1e-3 * whole.gradientNorm);
  });
});
