/** What is learned over the wire is what the embedded engine learns, loss by loss. */
import type { Datum, LossSpec, PolicyEngine } from '@espalier/contracts';
import {
  clippedPolicyLoss,
  composePolicyLoss,
  evaluateLoss,
  nllLoss,
  truncatedImportance,
} from '@espalier/objective';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineServer } from '../server/engine-server.js';
import { findLoss } from '../server/named-losses.js';
import { openTiny, startTinyServer, tinyClient } from '../testing/tiny-server.js';
import { createTinkerEngine } from '../tinker-engine.js';
import { chooseRoute } from './loss-route.js';

const clip = { clipLow: 0.2, clipHigh: 0.3, entropyCoefficient: 0 };
const cispo = composePolicyLoss(
  'cispo',
  { clipLow: 0.4, clipHigh: 0.5, entropyCoefficient: 0 },
  (input) => truncatedImportance({ ...input, clipLow: 0.4, clipHigh: 0.5 }),
  undefined,
  [],
  { name: 'cispo', lowest: 0.6, highest: 1.5 },
);
const losses: Record<string, LossSpec> = {
  nll: nllLoss,
  ppo: clippedPolicyLoss('grpo', { ...clip, dualClip: 0 }),
  cispo,
  'dual clip, which has no name': clippedPolicyLoss('starpo-s', { ...clip, dualClip: 3 }),
  'a penalty for leaving a reference': clippedPolicyLoss(
    'grpo',
    { ...clip, dualClip: 0 },
    { klCoefficient: 0.1, klEstimator: 'k3' },
  ),
};
const step = {
  learningRate: 0.01,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0.01,
  maxGradientNorm: 0.5,
};

/** Sequences of several lengths, ratios on both sides of every bound, weights that differ. */
function batch(): Datum[] {
  return Array.from({ length: 5 }, (_, i) => {
    const tokens = Int32Array.from({ length: 7 + 3 * i }, (_unused, t) => (5 * i + t * t + 3) % 61);
    const positions = Int32Array.of(2, 3, 5, 6);
    const column = (from: number, by: number) =>
      Float32Array.from(positions, (_t, n) => from + by * n * (n % 2 ? -1 : 1));
    return {
      tokens,
      positions,
      weights: Float32Array.from(positions, (_t, n) => (1 + n + i) / 90),
      columns: {
        oldLogprobs: column(-4.1, 0.25),
        referenceLogprobs: column(-4, 0.1),
        advantages: column(i - 2.2, 0.7),
      },
    };
  });
}

async function learn(engine: PolicyEngine, loss: LossSpec) {
  const results: number[][] = [];
  for (let n = 0; n < 2; n += 1) {
    const data = batch();
    const { loss: value, metrics } = await engine.policy.forwardBackward(data, loss);
    const { gradientNorm, clipped } = await engine.policy.optimizerStep(step);
    const [scores] = await engine.policy.score(data.slice(0, 1));
    results.push([
      value,
      ...Object.values(metrics),
      gradientNorm,
      Number(clipped),
      ...(scores?.logprobs ?? []),
    ]);
  }
  await engine.dispose();
  return results;
}

describe('losses over the wire', () => {
  let server: EngineServer;
  beforeAll(async () => {
    server = await startTinyServer();
  });
  afterAll(() => server.close());

  it.each(Object.entries(losses))('learn what the embedded engine learns: %s', async (_, loss) => {
    const expected = await learn(await openTiny(), loss);
    for (const preference of ['named', 'linear'] as const) {
      const found = await learn(
        await createTinkerEngine(tinyClient(server.url, { losses: preference })),
        loss,
      );
      // the same sums in another order, in float32
      found
        .flat()
        .forEach((value, n) => expect(Math.abs(value - (expected.flat()[n] as number))).toBeLessThan(3e-5));
    }
  });

  it('sends by name what has one, and the rest as a graph or linearised', () => {
    const kinds = (takesGraphs: boolean) =>
      Object.values(losses).map((loss) => chooseRoute(loss, 'named', takesGraphs).kind);
    expect(kinds(false)).toEqual(['named', 'named', 'named', 'linear', 'linear']);
    expect(kinds(true)).toEqual(['named', 'named', 'named', 'traced', 'traced']);
    expect(chooseRoute(nllLoss, 'linear', true).kind).toBe('linear');
  });

  it('refuses a loss with an entropy bonus, and says what to set', () => {
    const bonus = clippedPolicyLoss('grpo', { ...clip, dualClip: 0, entropyCoefficient: 0.01 });
    expect(() => chooseRoute(bonus, 'named', true)).toThrow(
      /entropy bonus.*algorithm.entropyCoefficient to 0/,
    );
  });
});

/** Ratios from far below to far above every bound. */
const ratios = [0.1, 0.5, 0.75, 0.9, 1.05, 1.25, 1.4, 3, 9];
const advantages = [-2, -0.3, 0.4, 1.7];

describe('a loss with a name', () => {
  it.each(['nll', 'ppo', 'cispo'])('has the values and gradients of that loss: %s', (name) => {
    const loss = losses[name] as LossSpec;
    const { named } = loss as { readonly named: NonNullable<LossSpec['named']> };
    const config: Record<string, number> =
      'lowest' in named ? { clip_low_threshold: named.lowest, clip_high_threshold: named.highest } : {};
    const pairs = ratios.flatMap((ratio) => advantages.map((advantage) => [ratio, advantage] as const));
    const numbers = {
      logprobs: pairs.map(([ratio]) => -3 + Math.log(ratio)),
      columns: { oldLogprobs: pairs.map(() => -3), advantages: pairs.map(([, advantage]) => advantage) },
    };
    const ours = evaluateLoss(loss, numbers);
    const theirs = evaluateLoss(findLoss(named.name, config), numbers);
    expect(ours.gradients['logprobs']).toEqual(theirs.gradients['logprobs']);
    ours.perToken.forEach((value, n) => expect(value).toBeCloseTo(theirs.perToken[n] as number, 12));
  });

  it('is worked by hand: ppo, ratio 2, clipped at 1.3', () => {
    const at = (advantage: number) =>
      evaluateLoss(losses['ppo'] as LossSpec, {
        logprobs: [Math.log(2) - 1],
        columns: { oldLogprobs: [-1], advantages: [advantage] },
      });
    expect(at(1).perToken[0]).toBeCloseTo(-1.3, 12);
    expect(at(1).gradients['logprobs']?.[0]).toBeCloseTo(0, 12);
    expect(at(-1).perToken[0]).toBeCloseTo(2, 12);
    expect(at(-1).gradients['logprobs']?.[0]).toBeCloseTo(2, 12);
  });
});
