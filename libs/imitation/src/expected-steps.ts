/** @file The optimizer steps of a warm start as an engine would get them; no model is run. */
import type { ScoreRequest, Tokenizer, WarmStartSpec } from '@espalier/contracts';
import { isModelChoice } from '@espalier/contracts/model-choice';
import type { PluginLookup } from '@espalier/trainer';
import { createCurriculum, type TaughtBatch } from './curriculum.js';
import { resolveDemonstrations } from './demonstration.js';
import { cutSequences } from './nll-step.js';

/** Steps that stand for all, at even distances: reading the graphs of one takes as long as the teacher takes for many. */
const fewSteps = 4;
/** Tokens of episodes that the teacher plays at most. */
const sampleTokens = 50_000;

/** Lets the teacher play the first steps; each is given as the sequences it trains. Rethrows errors of the environments. */
export async function expectSteps(
  spec: WarmStartSpec,
  plugins: PluginLookup,
  { tokenizer, contextLength }: { readonly tokenizer: Tokenizer; readonly contextLength: number },
): Promise<{ readonly sampled: readonly (readonly ScoreRequest[])[]; readonly steps: number }> {
  const { seed, batchTokens } = spec;
  const demonstrations = resolveDemonstrations(spec, plugins);
  const isNewModel = !isModelChoice(spec.model);
  const options = { seed, batchTokens, contextLength, isNewModel };
  const curriculum = createCurriculum(demonstrations, tokenizer, options);
  const batches: TaughtBatch[] = [];
  let tokens = 0;
  while (tokens < Math.min(sampleTokens, spec.tokens)) {
    const batch = await curriculum.next();
    tokens += batch.tokenCount;
    batches.push(batch);
  }
  const stride = Math.max(1, Math.floor(batches.length / fewSteps));
  const sampled = batches
    .filter((_, index) => index % stride === 0)
    .slice(0, fewSteps)
    .map((batch) =>
      cutSequences(batch).map(({ datum: { tokens: ids, positions } }) => ({ tokens: ids, positions })),
    );
  // a batch exceeds what is asked for by less than one episode
  return { sampled, steps: Math.ceil((spec.tokens * batches.length) / tokens) };
}
