/** @file Whether the numbers of an answer can be what they claim to be; what cannot is never trained on. */
import { AppError, type EngineDescription, type ScoreRequest, type TokenScores } from '@espalier/contracts';
import type { WirePassResult } from '../wire/protobuf.js';

/** Rounding may put a log-probability above 0 by as much. */
const rounding = 1e-3;

/** Checks log-probabilities. @throws engine.bad_answer, engine.not_finite */
export function checkLogprobs(what: string, values: Float32Array): void {
  values.forEach((value, n) => {
    if (!Number.isFinite(value))
      throw new AppError(
        'engine.not_finite',
        `${what}: log-probability ${n} is ${value}; nothing was applied`,
      );
    if (value > rounding)
      throw new AppError(
        'engine.bad_answer',
        `${what}: log-probability ${n} is ${value}, which is above 0; nothing was applied`,
      );
  });
}

/** The scores of requests from the result of a pass over them. @throws engine.bad_answer, engine.not_finite */
export function checkPassResult(
  { outputs }: WirePassResult,
  requests: readonly ScoreRequest[],
  { vocabularySize }: Pick<EngineDescription, 'vocabularySize'>,
): TokenScores[] {
  if (outputs.length !== requests.length)
    throw new AppError(
      'engine.bad_answer',
      `read a pass: ${outputs.length} results for ${requests.length} sequences; nothing was applied`,
    );
  return requests.map(({ positions }, i) => {
    const length = positions.at(-1) ?? 0;
    const pick = (name: string): Float32Array | undefined => {
      const all = outputs[i]?.[name];
      if (all !== undefined && all.length !== length)
        throw new AppError(
          'engine.bad_answer',
          `read a pass: ${all.length} ${name} for the ${length} tokens of sequence ${i}; nothing was applied`,
        );
      return all && Float32Array.from(positions, (t) => all[t - 1] as number);
    };
    const logprobs = pick('logprobs');
    if (logprobs === undefined)
      throw new AppError(
        'engine.bad_answer',
        'read a pass: no log-probabilities; the server speaks another version',
      );
    checkLogprobs(`read a pass, sequence ${i}`, logprobs);
    const entropies = pick('entropies') ?? logprobs.map((value) => -value);
    const most = Math.log(vocabularySize) + rounding;
    if (
      outputs[i]?.['entropies'] !== undefined &&
      entropies.some((value) => !(value >= -rounding && value <= most))
    )
      throw new AppError(
        'engine.bad_answer',
        `read a pass: entropies of sequence ${i} are out of range; nothing was applied`,
      );
    return { logprobs, entropies };
  });
}
