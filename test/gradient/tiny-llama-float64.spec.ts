import { evaluate } from '@espalier/graph';
import { describe } from 'vitest';
import { describeTinyLlama } from './tiny-llama.js';

describe('tiny-llama in plain evaluation against a reference in float64 throughout', () => {
  describeTinyLlama(
    'tiny-llama-float64',
    async (graph, feeds) =>
      Object.fromEntries(Object.entries(evaluate(graph, feeds)).map(([name, { values }]) => [name, values])),
    1e-9,
  );
});
