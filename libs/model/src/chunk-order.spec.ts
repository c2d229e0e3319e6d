import type { Graph, Node, Tensor } from '@espalier/graph';
import { expect, test } from 'vitest';
import { parseModelConfig } from './families/families.js';
import { resolveLora } from './lora.js';
import { buildScoreGraph } from './score-graph.js';
import { buildTrainingGraph } from './training-graph.js';

const words = 11;
const rows = 6;
const chunkRows = 2;
const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: words,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 2,
  intermediate_size: 6,
  max_position_embeddings: 16,
  tie_word_embeddings: false,
});

const sequences = { config, role: 'policy', length: 6, rows, chunkRows } as const;
const training = (more: object = {}): Graph =>
  buildTrainingGraph(
    { ...sequences, ...more },
    ({ logprobs, entropies }) => ({ perToken: logprobs, metrics: { entropy: entropies } }),
    [],
  );

/** Everything that has run when these tensors are there. */
function before(wanted: readonly Tensor[]): Set<Node> {
  const nodes = new Set<Node>();
  const open = [...wanted];
  for (let tensor = open.pop(); tensor !== undefined; tensor = open.pop()) {
    if (nodes.has(tensor.node)) continue;
    nodes.add(tensor.node);
    open.push(...tensor.node.inputs);
  }
  return nodes;
}

const isOfWords = ({ shape }: Tensor): boolean => shape[0] === chunkRows && shape[1] === words;
const isLogits = ({ op, outputs }: Node): boolean => op.name === 'matmul' && outputs.some(isOfWords);

test.each<[string, Graph]>([
  ['training', training()],
  ['scoring', buildScoreGraph(sequences)],
])('%s reads nothing of the logits of a chunk once those of the next are there', (_what, graph) => {
  const needed = before([...graph.outputs.values()]);
  const nodes = graph.nodes.filter((node) => needed.has(node));
  const chunks = nodes.filter(isLogits);
  expect(chunks).toHaveLength(rows / chunkRows);
  chunks.slice(1).forEach((next, index) => {
    const done = before(next.inputs);
    const own = chunks[index] as Node;
    const readers = nodes.filter(
      (node) =>
        node.inputs.some((input) => isOfWords(input) && before([input]).has(own)) &&
        !node.inputs.some((input) => isOfWords(input) && before([input]).has(next)),
    );
    expect(readers.length).toBeGreaterThan(3);
    expect(readers.filter((node) => !done.has(node)).map(({ op, id }) => `${op.name}_${id}`)).toEqual([]);
  });
});

test('a frozen head has no gradient that later chunks wait for', () => {
  const lora = resolveLora(config, {
    rank: 2,
    alpha: 2,
    rankStabilized: false,
    dropout: 0,
    targets: ['lm_head'],
  });
  const graph = training({ isFrozen: true, lora });
  const ofHead = [...before([...graph.outputs.values()])].filter(
    ({ op, outputs }) =>
      op.name === 'matmul' && outputs.some(({ shape }) => shape[0] === words && shape[1] === 8),
  );
  expect(ofHead).toEqual([]);
});
