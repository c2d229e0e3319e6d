/** @file Scoring without gradients: log-probabilities and entropies of a policy, values of a critic. */
import { concat, type Graph } from '@espalier/graph';
import { buildTokenScores } from './layers/token-scores.js';
import {
  buildInputs,
  chunksOf,
  declareTargets,
  outputHead,
  predictingChunk,
  type SequenceGraphOptions,
  valuesOf,
} from './sequence-inputs.js';

/** Builds a graph that scores loss positions: outputs `logprobs`, `entropies` (policy) or `values` (critic), each [N]. */
export function buildScoreGraph(options: SequenceGraphOptions): Graph {
  const inputs = buildInputs(options);
  const { graph, parameters, normed } = inputs;
  if (options.role === 'critic') {
    graph.output('values', valuesOf(normed, parameters));
    return graph;
  }
  const predicting = declareTargets(graph, options, normed);
  const head = outputHead(inputs, options);
  const chunks = chunksOf(options).map(([start, end]) => {
    const { scaled, targets, cap } = predictingChunk(predicting, start, end);
    return buildTokenScores(scaled, head, targets, cap);
  });
  graph.output(
    'logprobs',
    concat(
      chunks.map(({ logprobs }) => logprobs),
      0,
    ),
  );
  graph.output(
    'entropies',
    concat(
      chunks.map(({ entropies }) => entropies),
      0,
    ),
  );
  return graph;
}
