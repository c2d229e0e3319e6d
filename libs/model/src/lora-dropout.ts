/**
 * @file Dropout on the inputs of adapters, as in PEFT: x·Wᵀ + scale · (m⊙x · Aᵀ)·Bᵀ, where m is 0 or 1 / (1 − rate), drawn
 * anew for each row, column and layer (Hu et al. 2021, arXiv:2106.09685, appendix D; Srivastava et al. 2014 with the scale
 * in training).
 *
 * A mask is a function of seed, optimizer step, layer, and of the tokens up to the row. So it needs no state that a
 * checkpoint would have to keep, and neither micro-batches, shared prefixes nor recomputation change it. Deviation: rows that
 * follow the same tokens in the same step have the same mask, where PyTorch draws one each.
 */
import {
  after,
  DROPOUT_PRIME,
  dropoutMask,
  type DropoutRows,
  gather,
  type Graph,
  reshape,
  type Tensor,
} from '@espalier/graph';
import { createStream, deriveSeed } from '@espalier/random';

/** What dropout of one model depends on. */
export interface DropoutOptions {
  /** share of inputs that are dropped, in (0, 1) */
  readonly rate: number;
  readonly seed: number;
}

/** Names of the inputs that have the keys of all rows. */
const MULTIPLIERS = 'dropout_multipliers';
const OFFSETS = 'dropout_offsets';

/** Masks for the rows of one graph. */
export interface LoraDropout {
  /** Gives the masks of a layer for rows of the whole layout. */
  maskOf(path: string): (x: Tensor) => Tensor;
  /** The same for chosen rows. */
  at(rows: Tensor): LoraDropout;
}

/** Declares the keys of all rows, as {@link dropoutFeeds} gives them; `ids` are the tokens of the rows, flat. */
export function declareDropout(graph: Graph, ids: Tensor, options: DropoutOptions): LoraDropout {
  const { shape } = graph.inputs.get('ids') as Tensor;
  const declare = (name: string): Tensor => reshape(graph.input(name, 'int32', shape), ids.shape);
  const [multipliers, offsets] = [declare(MULTIPLIERS), declare(OFFSETS)];
  const columns = new Map<string, Tensor>();
  const columnsOf = (path: string, count: number): Tensor => {
    const known = columns.get(path) ?? graph.constant(columnKeys(options.seed, path, count));
    columns.set(path, known);
    return known;
  };
  return over({ multipliers, offsets }, options.rate, columnsOf);
}

function over(
  rows: DropoutRows,
  rate: number,
  columnsOf: (path: string, count: number) => Tensor,
): LoraDropout {
  return {
    maskOf: (path) => (x) => {
      // once the rows are there: a mask that is made earlier only takes memory
      const keys = { multipliers: after(rows.multipliers, [x]), offsets: after(rows.offsets, [x]) };
      return dropoutMask(keys, columnsOf(path, x.shape[1] as number), rate);
    },
    at: (indices) =>
      over(
        { multipliers: gather(rows.multipliers, indices, 0), offsets: gather(rows.offsets, indices, 0) },
        rate,
        columnsOf,
      ),
  };
}

/** Distinct keys for the inputs of a layer. */
function columnKeys(seed: number, path: string, count: number): Int32Array {
  const stream = createStream(deriveSeed(seed, 'lora-dropout', path));
  const taken = new Set<number>();
  const draw = (): number => {
    if (taken.size === DROPOUT_PRIME) taken.clear(); // more inputs than keys
    for (;;) {
      const key = stream.int(DROPOUT_PRIME);
      if (taken.has(key)) continue;
      taken.add(key);
      return key;
    }
  };
  return Int32Array.from({ length: count }, draw);
}

/** What the keys of the first row of a sequence follow from. */
export const dropoutStart = (seed: number, role: string, step: number): number =>
  deriveSeed(seed, 'lora-dropout', role, step);

/** What the keys of a row follow from: those of the row before it, and its own token. */
export const dropoutNext = (before: number, token: number): number => deriveSeed(before, token);

/** Feeds with the keys of rows. */
export function dropoutFeeds(states: Uint32Array): Record<string, DropoutFeed> {
  const multipliers = Int32Array.from(states, (state) => 1 + (state % (DROPOUT_PRIME - 1)));
  const offsets = Int32Array.from(states, (state) => Math.floor(state / (DROPOUT_PRIME - 1)) % DROPOUT_PRIME);
  const feed = (values: Int32Array): DropoutFeed => ({ dtype: 'int32', shape: [values.length], values });
  return { [MULTIPLIERS]: feed(multipliers), [OFFSETS]: feed(offsets) };
}

interface DropoutFeed {
  readonly dtype: 'int32';
  readonly shape: readonly number[];
  readonly values: Int32Array;
}
