/**
 * @file What a loss sees and sends back: log-probabilities and entropies in chunks of rows, or values, with the loss's
 * gradient at the final norm and of the head. The head is applied at loss positions only.
 */
import {
  add,
  after,
  concat,
  type Dim,
  expandDims,
  gradient,
  type Graph,
  matmul,
  mul,
  sum,
  type Tensor,
} from '@espalier/graph';
import { parameterOf } from './backbone.js';
import { buildLogitGradient, buildTokenScores, type OutputHead } from './layers/token-scores.js';
import { loraName } from './lora.js';
import { headName, VALUE_HEAD } from './model-weights.js';
import {
  chunksOf,
  declareTargets,
  outputHead,
  predictingChunk,
  type PredictingRows,
  rowsOf,
  type SequenceGraphOptions,
  type SequenceInputs,
  valuesOf,
} from './sequence-inputs.js';
import { METRIC } from './training-names.js';

/** A loss as graph: from what the model says at N positions to numbers per position. */
export type LossGraph = (input: {
  readonly logprobs: Tensor; // [N] (policy)
  readonly entropies: Tensor; // [N] (policy)
  readonly values: Tensor; // [N] (critic)
  readonly columns: Readonly<Record<string, Tensor>>; // each [N]
}) => { readonly perToken: Tensor; readonly metrics: Readonly<Record<string, Tensor>> };

export interface LossParts {
  readonly loss: LossGraph;
  readonly columns: Readonly<Record<string, Tensor>>;
  readonly weights: Tensor;
}

export interface HeadGradients {
  readonly normedGradient: Tensor; // [N, D]
  /** of the head and its adapters, by name */
  readonly headGradients: ReadonlyMap<string, Tensor>;
}

/** Builds the head of a policy, its loss and their gradients. */
export function buildPolicyHead(
  inputs: SequenceInputs,
  options: SequenceGraphOptions,
  parts: LossParts,
): HeadGradients {
  const { graph, normed } = inputs;
  const predicting = declareTargets(graph, options, normed);
  const head = outputHead(inputs, options);
  const names = [headName(options.config), loraName('lm_head', 'A'), loraName('lm_head', 'B')];
  const trained = new Set(inputs.trained);
  const chunks: PolicyChunk[] = [];
  let sums: readonly Tensor[] = [];
  for (const [start, end] of chunksOf(options)) {
    // the logits of a chunk are gone before those of the next are there
    const earlier = chunks
      .slice(-1)
      .flatMap(({ logprobs, entropies, scaledGradient }) => [logprobs, entropies, scaledGradient])
      .concat(sums.filter((_, i) => trained.has(names[i] as string)));
    const masked = maskedHead(head, inputs, start, end);
    const chunk = buildPolicyChunk(predicting, masked, parts, { start, end, earlier });
    sums = chunk.headGradients.map((one, i) => (sums[i] === undefined ? one : add(sums[i], one)));
    chunks.push(chunk);
  }
  outputRows(
    graph,
    'logprobs',
    chunks.map(({ logprobs }) => logprobs),
  );
  outputRows(
    graph,
    'entropies',
    chunks.map(({ entropies }) => entropies),
  );
  outputLoss(graph, chunks);
  const scaledGradient = concat(
    chunks.map((chunk) => chunk.scaledGradient),
    0,
  );
  const inverse = expandDims(graph.inputs.get('inverse_temperature') as Tensor, 1);
  return {
    normedGradient: predicting.cap === undefined ? mul(scaledGradient, inverse) : scaledGradient,
    headGradients: new Map(sums.map((one, i) => [names[i] as string, one])),
  };
}

/** The head with dropout of some rows, where there is any. */
function maskedHead(
  head: OutputHead,
  { dropout, rows }: SequenceInputs,
  start: number,
  end: Dim,
): OutputHead {
  if (head.lora === undefined || dropout === undefined) return head;
  const mask = dropout.at(rowsOf(rows, start, end)).maskOf('lm_head');
  return { ...head, lora: { ...head.lora, mask } };
}

interface PolicyChunk extends WeighedLoss {
  readonly logprobs: Tensor; // [R]
  readonly entropies: Tensor; // [R]
  readonly scaledGradient: Tensor; // [R, D]
  readonly headGradients: readonly Tensor[];
}

function buildPolicyChunk(
  predicting: PredictingRows,
  head: OutputHead,
  parts: LossParts,
  { start, end, earlier }: { readonly start: number; readonly end: Dim; readonly earlier: readonly Tensor[] },
): PolicyChunk {
  const { scaled: rows, targets, cap } = predictingChunk(predicting, start, end);
  const scaled = after(rows, earlier);
  const weights = rowsOf(parts.weights, start, end);
  const scores = buildTokenScores(scaled, head, targets, cap);
  const { logprobs, entropies } = scores;
  const columns = sliceColumns(parts.columns, start, end);
  const output = weigh(parts.loss({ logprobs, entropies, values: logprobs, columns }), weights);
  const total = sum(output.loss);
  const [logprobGradient, entropyGradient] = gradient(total, [logprobs, entropies]) as [Tensor, Tensor];
  const usesEntropy = isReached(entropies, total);
  const logitGradient = buildLogitGradient(
    scores,
    targets,
    logprobGradient,
    usesEntropy ? entropyGradient : undefined,
  ); // [R, V]
  const { lora } = head;
  const adapters = lora === undefined ? [] : [lora.a, lora.b];
  // of the weight by hand: rows of a tied one are also where the hidden states come from
  const weightGradient = matmul(logitGradient, scaled, { transposeA: true }); // [V, D]
  const [scaledGradient, ...ofAdapters] = gradient(scores.products, [scaled, ...adapters], logitGradient) as [
    Tensor, // [R, D]
    ...Tensor[],
  ];
  const headGradients = [weightGradient, ...ofAdapters];
  return { ...output, logprobs, entropies, scaledGradient, headGradients };
}

/** Builds the head of a critic, its loss and their gradients. */
export function buildValueHead(
  { graph, parameters, normed }: SequenceInputs,
  _options: SequenceGraphOptions,
  parts: LossParts,
): HeadGradients {
  const values = valuesOf(normed, parameters);
  const output = weigh(
    parts.loss({ logprobs: values, entropies: values, values, columns: parts.columns }),
    parts.weights,
  );
  const [valueGradient] = gradient(sum(output.loss), [values]) as [Tensor];
  outputRows(graph, 'values', [values]);
  outputLoss(graph, [output]);
  const column = expandDims(valueGradient, 1); // [N, 1]
  return {
    normedGradient: matmul(column, parameterOf(parameters, VALUE_HEAD)),
    headGradients: new Map([[VALUE_HEAD, matmul(column, normed, { transposeA: true })]]),
  };
}

interface WeighedLoss {
  readonly loss: Tensor; // [N]
  readonly metrics: Readonly<Record<string, Tensor>>; // each [N]
}

function weigh({ perToken, metrics }: ReturnType<LossGraph>, weights: Tensor): WeighedLoss {
  const weighed = Object.entries(metrics).map(([name, values]) => [name, mul(values, weights)] as const);
  return { loss: mul(perToken, weights), metrics: Object.fromEntries(weighed) };
}

function outputLoss(graph: Graph, chunks: readonly WeighedLoss[]): void {
  outputRows(
    graph,
    'loss',
    chunks.map(({ loss }) => loss),
  );
  for (const name of Object.keys(chunks[0]?.metrics ?? {})) {
    outputRows(
      graph,
      `${METRIC}${name}`,
      chunks.map(({ metrics }) => metrics[name] as Tensor),
    );
  }
}

function outputRows(graph: Graph, name: string, chunks: readonly Tensor[]): void {
  graph.output(name, concat(chunks, 0));
}

function sliceColumns(
  columns: Readonly<Record<string, Tensor>>,
  start: number,
  end: Dim,
): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, tensor]) => [name, rowsOf(tensor, start, end)]),
  );
}

/** Tells whether `target` was computed from `source` along differentiable ways. */
function isReached(source: Tensor, target: Tensor): boolean {
  const open = [target];
  const seen = new Set<Tensor>();
  for (let tensor = open.pop(); tensor !== undefined; tensor = open.pop()) {
    if (tensor === source) return true;
    if (seen.has(tensor) || tensor.node.id < source.node.id || tensor.node.op.name === 'stopGradient')
      continue;
    seen.add(tensor);
    open.push(...tensor.node.inputs);
  }
  return false;
}
