import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStream } from '@espalier/random';
import { describe, expect, it } from 'vitest';
import { findMistaken } from './match-results.js';
import { tinyEngine, trainTiny } from './testing/tiny-run.js';

const draw = createStream(7);
/** Of a policy that is sure of most tokens. */
const sequence = (length: number): Float32Array =>
  Float32Array.from({ length }, () => Math.log(draw.next() ** 0.5));
/** With errors of the size of bfloat16. */
const rounded = (values: Float32Array, error = 0.02): Float32Array =>
  values.map((value) => value + error * (draw.next() * 2 - 1));

describe('results of a pass', () => {
  const sampled = [sequence(30), sequence(12), sequence(30), sequence(30), sequence(12)];
  const scored = sampled.map((values) => rounded(values));

  it('are those of their sequences, whatever the rounding', () => {
    expect(findMistaken(sampled, scored)).toBeUndefined();
    for (const error of [0.1, 0.5, 2]) {
      const rough = sampled.map((values) => rounded(values, error));
      expect(findMistaken(sampled, rough), String(error)).toBeUndefined();
    }
  });

  it('are found when two are swapped, or three in a circle', () => {
    const [a, b, c, d, e] = scored as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
    expect(findMistaken(sampled, [a, e, c, d, b])).toEqual([1, 4]);
    expect(findMistaken(sampled, [c, b, d, a, e])).toEqual([0, 2]);
  });

  it('are not doubted where sequences are short, equal, or score as low as each other', () => {
    const short = [sequence(7), sequence(7)];
    expect(findMistaken(short, [...short].reverse())).toBeUndefined();
    const [one] = sampled as [Float32Array];
    expect(findMistaken([one, one], [one, one])).toBeUndefined();
    // a sampler that is three times too sure of everything
    const shifted = sampled.map((values) => values.map((value) => value - Math.log(3)));
    expect(findMistaken(sampled, shifted)).toBeUndefined();
  });
});

describe('an engine that mixes up its results', () => {
  it.each([false, true])('ends the run before the step is applied: %s', async (isMixed) => {
    const root = mkdtempSync(join(tmpdir(), 'espalier-mixed-'));
    const engine = tinyEngine();
    const { policy } = engine;
    // log-probabilities that tell sequences apart, in sampling and in training
    const logprobs = (tokens: Int32Array, positions: Iterable<number>): Float32Array =>
      Float32Array.from(positions, (t) => -((Number(tokens[t]) * 7 + t) % 11) / 4);
    const told = {
      ...engine,
      // keeps its version, which is a getter
      policy: Object.assign(Object.create(policy) as typeof policy, {
        sample: async (request: Parameters<typeof policy.sample>[0]) => {
          const sampled = await policy.sample(request);
          const all = Int32Array.of(...request.tokens, ...sampled.tokens);
          const places = sampled.tokens.map((_, n) => request.tokens.length + n);
          return { ...sampled, logprobs: logprobs(all, places) };
        },
        forwardBackward: async (...[batch, loss]: Parameters<typeof policy.forwardBackward>) => {
          const result = await policy.forwardBackward(batch, loss);
          const own = (result.scores ?? []).map((score, n) => {
            const { tokens = new Int32Array(), positions = new Int32Array() } = batch[n] ?? {};
            return { ...score, logprobs: logprobs(tokens, positions) };
          });
          return { ...result, scores: isMixed ? swapped(own) : own };
        },
      }),
    };
    const { error } = await trainTiny(root, { engine: told, spec: { steps: 1 } });
    if (!isMixed) return expect(error).toBeUndefined();
    expect(error).toMatchObject({
      code: 'engine.bad_answer',
      message: expect.stringMatching(
        /the engine mixes up its results, and the step was not applied/,
      ) as string,
    });
    expect(engine.weight()).toBe(0.5);
  });
});

/** Swaps the first two of one length that differ. */
function swapped<Score extends { readonly logprobs: Float32Array }>(scores: readonly Score[]): Score[] {
  const mixed = [...scores];
  for (const [i, one] of scores.entries()) {
    const j = scores.findIndex(
      ({ logprobs }, at) =>
        at > i && logprobs.length === one.logprobs.length && `${logprobs}` !== `${one.logprobs}`,
    );
    if (j === -1) continue;
    [mixed[i], mixed[j]] = [scores[j] as Score, one];
    return mixed;
  }
  return mixed;
}
