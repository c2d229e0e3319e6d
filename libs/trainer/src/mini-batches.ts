/**
 * @file The order in which examples are taken: whole trajectories, shuffled anew for each pass by a named stream,
 * cut into mini-batches whose sizes differ by at most one. The same spec and step give the same cut.
 */
import { createStream } from '@espalier/random';
import { miniBatchSeed } from '@espalier/rollout';

/** Splits into `parts` runs of nearly equal length; fewer when there are fewer items. */
export function splitEvenly<T>(items: readonly T[], parts: number): T[][] {
  const count = Math.min(parts, items.length);
  return Array.from({ length: count }, (_, part) =>
    items.slice(Math.floor((part * items.length) / count), Math.floor(((part + 1) * items.length) / count)),
  );
}

/** Lists the mini-batches of all passes over one rollout set, in the order they are learnt. */
export function listMiniBatches<T>(
  examples: readonly T[],
  options: {
    readonly runSeed: number;
    readonly step: number;
    readonly epochs: number;
    readonly miniBatches: number;
  },
): { readonly pass: number; readonly examples: readonly T[] }[] {
  return Array.from({ length: options.epochs }, (_, pass) => {
    const seed = miniBatchSeed(options.runSeed, options.step, pass);
    return splitEvenly(createStream(seed).shuffle(examples), options.miniBatches).map((part) => ({
      pass,
      examples: part,
    }));
  }).flat();
}
