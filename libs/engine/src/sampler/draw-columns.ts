/** @file The per-row numbers a draw needs, as feeds. */
import { uniformAt } from '@espalier/random';
import type { RuntimeTensor } from '@espalier/runtime';
import type { PendingSample } from './live-sequence.js';

/** Tells whether an answer needs the graph that sorts. */
export function isFiltered({ request: { params } }: PendingSample): boolean {
  return params.temperature > 0 && (params.topP < 1 || params.topK > 0);
}

/**
 * Makes the columns for the next token of each answer; rows beyond them draw without meaning.
 *
 * @param rows how many rows the graph computes, at least as many as answers
 */
export function drawColumns(
  answers: readonly (PendingSample | undefined)[],
  rows: number,
  vocabularySize: number,
  filtered: boolean,
): Record<string, RuntimeTensor> {
  const column = (pick: (answer: PendingSample) => number, otherwise: number): RuntimeTensor => {
    const values = new Float32Array(rows).fill(otherwise);
    answers.forEach((answer, row) => {
      if (answer !== undefined) values[row] = pick(answer);
    });
    return { dtype: 'float32', shape: [rows], values };
  };
  const columns = {
    uniform: column(
      ({ request, sampled }) => uniformAt(request.seed, request.tokens.length + sampled.length),
      0,
    ),
    inverse_temperature: column(
      ({ request: { params } }) => (params.temperature > 0 ? 1 / params.temperature : 1),
      1,
    ),
    greedy: column(({ request: { params } }) => (params.temperature > 0 ? 0 : 1), 1),
  };
  if (!filtered) return columns;
  return {
    ...columns,
    top_p: column(({ request: { params } }) => (params.topP < 1 ? params.topP : 2), 2),
    top_k: column(
      ({ request: { params } }) => (params.topK > 0 ? params.topK : vocabularySize),
      vocabularySize,
    ),
  };
}

/** Adds the drawn token of row `row` to an answer. */
export function takeDraw(
  answer: PendingSample,
  row: number,
  outputs: Readonly<Record<string, RuntimeTensor>>,
): void {
  answer.sampled.push(Number((outputs['token']?.values as BigInt64Array)[row]));
  answer.logprobs.push((outputs['logprob']?.values as Float32Array)[row] as number);
  answer.entropies.push((outputs['entropy']?.values as Float32Array)[row] as number);
}
