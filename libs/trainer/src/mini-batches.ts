/**
 * @file The order of training examples: whole trajectories, shuffled for each epoch by a named stream and split into
 * mini-batches whose sizes differ by at most one. The same spec and step give the same split.
 */
import { createStream, deriveSeed } from '@espalier/random';
import { miniBatchSeed } from '@espalier/rollout';

/** Splits into `parts` lists of nearly equal length; fewer when there are fewer items. */
export function splitEvenly<T>(items: readonly T[], parts: number): T[][] {
  const count = Math.min(parts, items.length);
  return Array.from({ length: count }, (_, part) =>
    items.slice(Math.floor((part * items.length) / count), Math.floor(((part + 1) * items.length) / count)),
  );
}

/** Lists the mini-batches of all epochs over one rollout batch, in order. */
export function listMiniBatches<T>(
  examples: readonly T[],
  options: {
    readonly runSeed: number;
    readonly step: number;
    readonly epochs: number;
    readonly miniBatches: number;
    /** number of a critic, from 0: those behind the first have orders of their own */
    readonly critic?: number;
  },
): { readonly epoch: number; readonly place: number; readonly examples: readonly T[] }[] {
  const { critic = 0 } = options;
  return Array.from({ length: options.epochs }, (_, epoch) => {
    const shared = miniBatchSeed(options.runSeed, options.step, epoch);
    const seed = critic === 0 ? shared : deriveSeed(shared, 'critic', critic);
    return splitEvenly(createStream(seed).shuffle(examples), options.miniBatches).map((part, place) => ({
      epoch,
      place,
      examples: part,
    }));
  }).flat();
}
