import { evaluate } from '@espalier/graph';
import { describe } from 'vitest';
import { describeTinyLlama, type RunGraph } from './tiny-llama.js';

const runPlain: RunGraph = async (graph, feeds) =>
  Object.fromEntries(Object.entries(evaluate(graph, feeds)).map(([name, { values }]) => [name, values]));

describe('tiny-llama in plain evaluation against a reference in float64 throughout', () => {
  describeTinyLlama('tiny-llama-float64', runPlain, 1e-9);
});

// That reference rounds norms, softmax and rotary tables to float32 within, which is as near as exact numbers come to it.
describe('tiny-llama in plain evaluation against a reference that rounds to float32 within', () => {
  describeTinyLlama('tiny-llama', runPlain, 5e-6);
});
