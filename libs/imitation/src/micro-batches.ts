/**
 * @file Cuts batches of demonstrations into micro-batches of episodes of similar length: an engine keeps a graph and its
 * memory for each layout, so at most four classes of lengths are made. The classes do not change the result: every loss
 * token has the same weight in the whole batch.
 */
import type { Datum } from '@espalier/contracts';
import { cutWindows } from '@espalier/rollout';
import type { TaughtBatch } from './curriculum.js';

/** The longest episode of a class is a multiple of this. */
const widthStep = 64;
const widthCount = 4;

/** An episode, or one window of it, with the index of its demonstration. */
export interface TaughtDatum {
  readonly datum: Datum;
  readonly demonstration: number;
}

const roundUp = (length: number) => Math.ceil(length / widthStep) * widthStep;

/**
 * Chooses at most four classes for episodes of these lengths: each is the longest that it takes, and episodes are as
 * close to it as possible.
 *
 * @returns ascending
 */
export function chooseWidths(lengths: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const length of lengths) counts.set(roundUp(length), (counts.get(roundUp(length)) ?? 0) + 1);
  const candidates = [...counts.keys()].sort((a, b) => a - b);
  const longest = candidates.pop();
  if (longest === undefined) return [];
  const cost = (widths: readonly number[]) => {
    let sum = 0;
    for (const [length, count] of counts) sum += count * (widths.find((width) => width >= length) ?? longest);
    return sum;
  };
  let best = [longest];
  const extend = (chosen: readonly number[], from: number): void => {
    const widths = [...chosen, longest];
    if (cost(widths) < cost(best)) best = widths;
    if (widths.length === widthCount) return;
    for (let i = from; i < candidates.length; i += 1) extend([...chosen, candidates[i]!], i + 1);
  };
  extend([], 0);
  return best;
}

/** Cuts a batch; each part has one class and at most `microBatchTokens` if all were as long as it allows, or one episode. */
export function cutMicroBatches(
  batch: TaughtBatch,
  options: { readonly microBatchTokens: number; readonly widths: readonly number[] },
): TaughtDatum[][] {
  const weight = 1 / batch.lossTokens;
  const open = new Map<number, TaughtDatum[]>();
  const parts: TaughtDatum[][] = [];
  const sequences = batch.episodes.flatMap((episode, i) =>
    cutWindows(episode, episode.positions).map((part) => ({
      ...part,
      demonstration: batch.demonstrations[i]!,
    })),
  );
  for (const { tokens, positions, demonstration } of sequences) {
    const width = options.widths.find((candidate) => candidate >= tokens.length) ?? roundUp(tokens.length);
    let part = open.get(width);
    if (part === undefined || (part.length + 1) * width > options.microBatchTokens) {
      part = [];
      open.set(width, part);
      parts.push(part);
    }
    const weights = new Float32Array(positions.length).fill(weight);
    part.push({ demonstration, datum: { tokens, positions, weights, columns: {} } });
  }
  return parts;
}
