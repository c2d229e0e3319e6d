import { evaluate } from '@espalier/graph';
import { describe, vi } from 'vitest';
import type * as rotaryTables from '../../libs/model/src/layers/rotary-tables.js';
import { roundAsReference } from './float32-reference.js';
import { describeTinyLlama } from './tiny-llama.js';

// The reference rounds the gradient of its softmax to float32, so the softmax must be differentiated by itself here.
vi.mock('../../libs/model/src/layers/causal-attention.js', async () => {
  const { textbookAttention } = await import('./textbook-attention.js');
  return { causalAttention: textbookAttention };
});

// The reference takes the cosine and sine of its float32 angles with an error of one unit in the last place at times.
const COSINES = new Map([
  ['1,0', 2 ** -24],
  ['10,1', 2 ** -24],
  ['11,1', 2 ** -25],
  ['8,2', -(2 ** -24)],
  ['2,3', 2 ** -24],
]);
const SINES = new Map([['4,1', 2 ** -25]]);

vi.mock('../../libs/model/src/layers/rotary-tables.js', async (importActual) => {
  const { buildLayerTables } = await importActual<typeof rotaryTables>();
  return {
    buildLayerTables: (...args: Parameters<typeof buildLayerTables>) => {
      const [, , { headSize: width }] = args;
      const layers = buildLayerTables(...args);
      const tables = layers[0] as rotaryTables.RotaryTables;
      for (const [table, corrections] of [
        [tables.cos, COSINES],
        [tables.sin, SINES],
      ] as const) {
        const { values } = table.node.attributes as { readonly values: Float64Array };
        for (const [place, amount] of corrections) {
          const [position, i] = place.split(',').map(Number) as [number, number];
          values[position * (width / 2) + i] = (values[position * (width / 2) + i] as number) + amount;
        }
      }
      return layers;
    },
  };
});

describe('tiny-llama in plain evaluation, rounded to float32 where the reference rounds', () => {
  roundAsReference();
  describeTinyLlama(
    'tiny-llama',
    async (graph, feeds) =>
      Object.fromEntries(Object.entries(evaluate(graph, feeds)).map(([name, { values }]) => [name, values])),
    1e-9,
  );
});
