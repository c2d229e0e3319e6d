import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  add,
  clip,
  dim,
  evaluate,
  exp,
  Graph,
  matmul,
  minimum,
  mul,
  neg,
  rmsNorm,
  scale,
  sub,
} from '@espalier/graph';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import {
  buildBackbone,
  declareParameters,
  EMBEDDING,
  FINAL_NORM,
  parameterShapes,
} from './families/llama.js';
import {
  buildScoreGraph,
  buildTrainingGraph,
  COLUMN,
  GATHERED,
  GRADIENT,
  type LossGraph,
} from './training-graph.js';
import { loadModelFolder } from './weights/model-folder.js';
import { loadSafetensors } from './weights/safetensors-file.js';

interface Golden {
  readonly ids: number[][];
  readonly lengths: number[];
  readonly counted: number[][];
  readonly old_logprobs: number[][];
  readonly advantages: number[][];
  readonly clip: { readonly low: number; readonly high: number };
  readonly logits_row0: number[][];
  readonly logprobs: number[][];
  readonly entropies: number[][];
  readonly nll: { readonly loss: number };
  readonly clipped_surrogate: { readonly loss: number };
}

// The reference is float64 except inside its norms and rotary tables, which Hugging Face's Llama rounds to float32.
const REFERENCE_ROUNDING = 3e-6;

const tiny = goldenFolder('tiny-llama');

const nllLoss: LossGraph = ({ logprobs }) => ({ perToken: neg(logprobs), metrics: {} });

function clippedLoss({ low, high }: Golden['clip']): LossGraph {
  return ({ logprobs, entropies, columns }) => {
    const ratio = exp(sub(logprobs, columns['old'] ?? logprobs));
    const advantages = columns['advantages'] ?? logprobs;
    const clipped = mul(clip(ratio, 1 - low, 1 + high), advantages);
    const surrogate = minimum(mul(ratio, advantages), clipped);
    return { perToken: neg(add(surrogate, scale(entropies, 0.01))), metrics: {} };
  };
}

describe('llama against an independent implementation (float64)', () => {
  const golden = JSON.parse(readFileSync(join(tiny, 'golden.json'), 'utf8')) as Golden;
  const model = loadModelFolder(tiny);
  const length = 17;

  /** Positions that exist; for the loss only the counted ones. */
  function positions(isCounted: boolean): [number, number][] {
    return golden.ids.flatMap((_, row) =>
      Array.from({ length: length - 1 }, (_, t) => [row, t] as [number, number]).filter(
        ([r, t]) => t + 1 < (golden.lengths[r] ?? 0) && (!isCounted || golden.counted[r]?.[t] === 1),
      ),
    );
  }

  function feedsOf(places: readonly [number, number][]) {
    const count = places.length;
    const pick = (rows: number[][]) => ({
      shape: [count],
      values: places.map(([r, t]) => rows[r]?.[t] ?? NaN),
    });
    const parameters = [...model.weights].map(
      ([name, { data, shape }]) => [name, { shape, values: data }] as const,
    );
    return {
      ...Object.fromEntries(parameters),
      ids: { shape: [3, length], values: golden.ids.flat() },
      rows: { shape: [count], values: places.map(([r, t]) => r * length + t) },
      targets: { shape: [count], values: places.map(([r, t]) => golden.ids[r]?.[t + 1] ?? 0) },
      inverse_temperature: { shape: [count], values: places.map(() => 1) },
      weights: { shape: [count], values: places.map(() => 1 / count) },
      [`${COLUMN}old`]: pick(golden.old_logprobs),
      [`${COLUMN}advantages`]: pick(golden.advantages),
    };
  }

  function expectGradients(
    file: string,
    loss: LossGraph,
    columns: string[],
    expected: number,
    chunkRows?: number,
  ) {
    const places = positions(true);
    const rows = chunkRows === undefined ? dim('N') : places.length;
    const options = {
      config: model.config,
      role: 'policy',
      length,
      rows,
      ...(chunkRows === undefined ? {} : { chunkRows }),
    } as const;
    const gathered = [...parameterShapes(model.config)].map(([name, shape]) => {
      return [
        `${GATHERED}${name}`,
        { shape, values: new Float32Array(shape.reduce((a, b) => a * b, 1)) },
      ] as const;
    });
    const outputs = evaluate(buildTrainingGraph(options, loss, columns), {
      ...feedsOf(places),
      ...Object.fromEntries(gathered),
    });
    expect(outputs['loss']?.values.reduce((a, b) => a + b, 0)).toBeCloseTo(expected, 6);
    for (const [name, { data }] of loadSafetensors(join(tiny, file)).tensors) {
      const found = outputs[`${GRADIENT}${name}`]?.values ?? [];
      expect(largestDifference(found, data as never), name).toBeLessThan(REFERENCE_ROUNDING);
    }
  }

  it('gives the same log-probabilities and entropies, with and without chunks', () => {
    const places = positions(false);
    for (const chunkRows of [undefined, 7]) {
      const options = {
        config: model.config,
        role: 'policy',
        length,
        rows: places.length,
        ...(chunkRows === undefined ? {} : { chunkRows }),
      } as const;
      const outputs = evaluate(buildScoreGraph(options), feedsOf(places));
      for (const name of ['logprobs', 'entropies'] as const) {
        const expected = places.map(([r, t]) => golden[name][r]?.[t] ?? NaN);
        expect(largestDifference(outputs[name]?.values ?? [], expected), name).toBeLessThan(
          REFERENCE_ROUNDING,
        );
      }
    }
  });

  it('gives the same logits', () => {
    const graph = new Graph();
    const ids = graph.input('ids', 'int64', [1, 16]);
    const parameters = declareParameters(graph, parameterShapes(model.config));
    const { hidden } = buildBackbone(model.config, parameters, ids);
    const normed = rmsNorm(hidden, parameters.get(FINAL_NORM) as never, model.config.rms_norm_eps);
    graph.output('logits', matmul(normed, parameters.get(EMBEDDING) as never, { transposeB: true }));
    const { ids: _, ...feeds } = feedsOf([]);
    const outputs = evaluate(graph, {
      ...feeds,
      ids: { shape: [1, 16], values: (golden.ids[0] ?? []).slice(0, 16) },
    });
    expect(largestDifference(outputs['logits']?.values ?? [], golden.logits_row0.flat())).toBeLessThan(
      REFERENCE_ROUNDING,
    );
  });

  it('gives the same gradients of the mean negative log-likelihood', () => {
    expectGradients('gradients_nll.safetensors', nllLoss, [], golden.nll.loss);
  });

  it('gives the same gradients of the clipped surrogate, in chunks', () => {
    expectGradients(
      'gradients_clipped_surrogate.safetensors',
      clippedLoss(golden.clip),
      ['old', 'advantages'],
      golden.clipped_surrogate.loss,
      5,
    );
  });
});

/** The largest difference, as a share of the largest expected entry. */
function largestDifference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  let difference = 0;
  let size = 0;
  for (let i = 0; i < expected.length; i += 1) {
    difference = Math.max(difference, Math.abs((found[i] ?? NaN) - (expected[i] ?? NaN)));
    size = Math.max(size, Math.abs(expected[i] ?? NaN));
  }
  return difference / size;
}
