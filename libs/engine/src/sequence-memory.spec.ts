/** @file What computing over sequences does where memory has room for little. */
import { AppError } from '@espalier/contracts';
import { initializeWeights, parameterShapes, parseModelConfig } from '@espalier/model';
import { Session } from '@espalier/runtime';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { likelihoodLoss } from './testing/plain-losses.js';
import { ParameterStore } from './parameter-store.js';
import { tinyShape } from './testing/tiny-shape.js';
import { SequenceModel, type SequenceWeights } from './sequence-model.js';

const config = parseModelConfig({
  ...tinyShape,
  max_position_embeddings: 640,
  tie_word_embeddings: true,
});

function openWeights(): SequenceWeights {
  const store = new ParameterStore(parameterShapes(config, 'policy'));
  for (const [name, { data }] of initializeWeights(config, 4)) store.writableWeight(name).data.set(data);
  return { model: { role: 'policy' }, store, frozen: [] };
}

/** Keeps one session, as of a large model. */
const openModel = (microBatchTokens = 2048): SequenceModel =>
  new SequenceModel({
    config,
    session: { provider: 'cpu', threads: 1 },
    threads: 1,
    microBatchTokens,
    deviceBytes: 1,
  });

const requestOf = (length: number) => ({
  tokens: Int32Array.from({ length }, (_, t) => (t * 31 + length) % 61),
  positions: Int32Array.from({ length: length - 1 }, (_, i) => i + 1),
});

const datum = { ...requestOf(10), weights: new Float32Array(9).fill(0.1), columns: {} };

afterEach(() => vi.restoreAllMocks());

describe('scoring where one session is kept', () => {
  it('answers calls that come together as if each came alone', async () => {
    const weights = openWeights();
    const lengths = [20, 200, 400, 600, 30, 210];
    const alone = openModel();
    const expected: unknown[] = [];
    for (const length of lengths) expected.push(await alone.score(weights, [requestOf(length)]));
    await alone.dispose();
    const model = openModel();
    const answers = lengths.map((length) => model.score(weights, [requestOf(length)]));
    expect(await Promise.all(answers)).toEqual(expected);
    await model.dispose();
  });
});

describe('scoring when memory runs out', () => {
  const requests = Array.from({ length: 8 }, (_, i) => requestOf(100 + i));

  /** Makes runs fail until so many have, or as long as `isFull` says. @returns rows of tokens of each run */
  function failRuns(isFull: (rows: number, run: number) => boolean): number[] {
    const seen: number[] = [];
    const run = Session.prototype.run;
    vi.spyOn(Session.prototype, 'run').mockImplementation(async function (this: Session, feeds, targets) {
      const rows = feeds['ids']?.values.length ?? 0;
      seen.push(rows);
      if (isFull(rows, seen.length)) throw new AppError('runtime.out_of_memory', 'run session: full');
      return run.call(this, feeds, targets);
    });
    return seen;
  }

  it('frees what is kept and tries once more with the same', async () => {
    const weights = openWeights();
    const model = openModel();
    const expected = await model.score(weights, requests);
    const runs = failRuns((_, run) => run === 1);
    expect(await model.score(weights, requests)).toEqual(expected);
    expect(runs).toEqual([runs[0], runs[0]]);
    const { reductions } = await model.forwardBackward(weights, [datum], likelihoodLoss);
    expect(reductions).toBeUndefined();
    await model.dispose();
  });

  it('then computes smaller parts, which training tells of', async () => {
    const weights = openWeights();
    const model = openModel(512);
    const expected = await model.score(weights, requests);
    const runs = failRuns((rows) => rows > 256);
    const scores = await model.score(weights, requests);
    scores.forEach(({ logprobs }, i) =>
      logprobs?.forEach((value, n) => expect(value).toBeCloseTo(expected[i]?.['logprobs']?.[n] ?? NaN, 4)),
    );
    expect(runs.filter((rows) => rows > 256)).toHaveLength(2);
    const { reductions } = await model.forwardBackward(weights, [datum], likelihoodLoss);
    expect(reductions).toEqual([expect.stringContaining('have 256 tokens')]);
    await model.dispose();
  });

  it('gives up when nothing smaller is left', async () => {
    const model = openModel(128);
    const runs = failRuns(() => true);
    await expect(model.score(openWeights(), requests)).rejects.toMatchObject({
      code: 'runtime.out_of_memory',
    });
    expect(runs).toHaveLength(4);
    await model.dispose();
  });
});
