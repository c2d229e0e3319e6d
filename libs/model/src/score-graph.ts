/** @file Scoring without gradients: log-probabilities and entropies of a policy, values of a critic. */
import { after, concat, type Graph } from '@espalier/graph';
import { buildTokenScores, type TokenScoresGraph } from './layers/token-scores.js';
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
  const chunks: Pick<TokenScoresGraph, 'logprobs' | 'entropies'>[] = [];
  for (const [start, end] of chunksOf(options)) {
    const { scaled, targets, cap } = predictingChunk(predicting, start, end);
    // the logits of a chunk are gone before those of the next are there
    const earlier = chunks.slice(-1).flatMap(({ logprobs, entropies }) => [logprobs, entropies]);
    chunks.push(buildTokenScores(after(scaled, earlier), head, targets, cap));
  }
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
