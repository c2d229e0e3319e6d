/** @file Held-out perplexity: how well a model still predicts ordinary text after it was taught something else. */
import type { ScoringModel, Tokenizer } from '@espalier/contracts';
import { heldOutText } from './held-out-text.js';

/** Perplexity per token of the held-out text, before the warm start and now. */
export interface Perplexity {
  readonly before: number;
  readonly now: number;
}

/** A model whose perplexity rises by more than this factor has begun to forget how to speak. */
export const highestPerplexityFactor = 1.5;

/** Tokenizers that a warm start made have the tag as one token; their models never learned to speak. */
export function isPretrained(tokenizer: Pick<Tokenizer, 'encode'>): boolean {
  return tokenizer.encode('<answer>').length > 1;
}

/** Measures exp of the mean of -logprob over the held-out text, as much of it as the context holds. */
export async function measurePerplexity(
  policy: Pick<ScoringModel, 'score'>,
  tokenizer: Pick<Tokenizer, 'encode'>,
  contextLength: number,
): Promise<number> {
  const tokens = tokenizer.encode(heldOutText).subarray(0, contextLength);
  const positions = Int32Array.from({ length: tokens.length - 1 }, (_, i) => i + 1);
  const [scores] = await policy.score([{ tokens, positions, temperature: 1 }]);
  const logprobs = scores?.logprobs ?? new Float32Array();
  return Math.exp(-logprobs.reduce((sum, logprob) => sum + logprob, 0) / Math.max(1, logprobs.length));
}

/** Writes a perplexity as a sentence, with a warning where it has risen too far. */
export function describePerplexity({ before, now }: Perplexity): string {
  const factor = now / before;
  const change = `held-out perplexity ${before.toFixed(1)} → ${now.toFixed(1)} (× ${factor.toFixed(2)})`;
  if (factor <= highestPerplexityFactor) return change;
  return `${change}; warning: more than × ${highestPerplexityFactor}, the model forgets how to speak: lower optimizer.learningRate or tokens`;
}
