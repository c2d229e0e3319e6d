/** @file One step of learning by the smallest means, for tests that kill either side of an engine. */
import type { PolicyEngine } from '@espalier/contracts';
import { nllLoss } from '@espalier/objective';

export interface Step {
  readonly version: number;
  readonly tokens: Iterable<number>;
  readonly gradientNorm: number;
  readonly logprobs: Iterable<number>;
}

/** One step: sample, learn what was sampled, and look. */
export async function oneStep({ policy }: PolicyEngine, n: number): Promise<Step> {
  const tokens = Int32Array.of(40, 41, 42, 43 + (n % 7));
  const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 5, stopTokens: [], stopSequences: [] };
  const sampled = await policy.sample({ sequence: `s${n}`, tokens, params, seed: n });
  const whole = Int32Array.of(...tokens, ...sampled.tokens);
  const positions = Int32Array.from(sampled.tokens, (_, i) => tokens.length + i);
  const weights = new Float32Array(positions.length).fill(0.2);
  const datum = { tokens: whole, positions, weights, columns: {} };
  await policy.forwardBackward([datum], nllLoss);
  const { gradientNorm } = await policy.optimizerStep({
    learningRate: 1e-3,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0,
    maxGradientNorm: 1,
  });
  const [scores] = await policy.score([datum]);
  return { version: policy.version, tokens: sampled.tokens, gradientNorm, logprobs: scores?.logprobs ?? [] };
}
