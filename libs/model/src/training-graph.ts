/**
 * @file The graphs over whole sequences: a training step (forward, loss, gradients added to those gathered so far) and
 * scoring without gradients, for policies and critics. The head is applied at counted positions only, in chunks of
 * rows. Sums over positions are left to the caller, who adds few numbers in a fixed order.
 */
import {
  add,
  broadcastTo,
  concat,
  type Dim,
  dimProduct,
  expandDims,
  gather,
  gradient,
  Graph,
  matmul,
  mul,
  reshape,
  rmsNorm,
  scatterAdd,
  slice,
  squeeze,
  sum,
  type Tensor,
} from '@espalier/graph';
import {
  buildBackbone,
  declareParameters,
  EMBEDDING,
  FINAL_NORM,
  type GraphParameters,
  headName,
  parameterOf,
  parameterShapes,
  VALUE_HEAD,
} from './families/llama.js';
import { type LlamaConfig, resolveLlamaShape } from './families/llama-config.js';
import {
  declarePackedRows,
  declarePaddedRows,
  type PackedLayout,
  type RowLayout,
} from './layers/row-layout.js';
import { buildLogitGradient, buildTokenScores } from './layers/token-scores.js';

/** What a graph over sequences is made for. */
export interface SequenceGraphOptions {
  readonly config: LlamaConfig;
  readonly role: 'policy' | 'critic';
  /** tokens of every (padded) sequence, or how packed rows are laid out */
  readonly length: number | PackedLayout; // T
  /** counted positions; a name leaves it open, a number allows chunks */
  readonly rows: Dim; // N
  /** rows whose logits live at once; only for a known number of rows, which it must divide */
  readonly chunkRows?: number;
}

/** A loss as graph: from what the model says at N positions to numbers per position. */
export type LossGraph = (input: {
  readonly logprobs: Tensor; // [N] (policy)
  readonly entropies: Tensor; // [N] (policy)
  readonly values: Tensor; // [N] (critic)
  readonly columns: Readonly<Record<string, Tensor>>; // each [N]
}) => { readonly perToken: Tensor; readonly metrics: Readonly<Record<string, Tensor>> };

/** Prefixes of input and output names that could clash with parameters. */
export const GRADIENT = 'gradient:';
export const GATHERED = 'gathered:';
export const COLUMN = 'column:';
export const METRIC = 'metric:';

interface SequenceInputs {
  readonly graph: Graph;
  readonly parameters: GraphParameters;
  readonly ids: Tensor; // [F] tokens of all rows
  readonly rows: Tensor; // [N] rows that predict; several positions may be predicted by one row
  readonly embedded: Tensor; // [F, D]
  readonly normed: Tensor; // [N, D]
}

function buildInputs({ config, role, length, rows: count }: SequenceGraphOptions): SequenceInputs {
  const graph = new Graph();
  const layout = declareRows(graph, config, length);
  const rows = graph.input('rows', 'int64', [count]);
  const parameters = declareParameters(graph, parameterShapes(config, role));
  const { embedded, hidden } = buildBackbone(config, parameters, layout);
  const normed = rmsNorm(gather(hidden, rows, 0), parameterOf(parameters, FINAL_NORM), config.rms_norm_eps);
  return { graph, parameters, ids: layout.ids, rows, embedded, normed };
}

function declareRows(graph: Graph, config: LlamaConfig, length: number | PackedLayout): RowLayout {
  if (typeof length === 'number') return declarePaddedRows(graph, length);
  const { headCount, keyValueHeadCount } = resolveLlamaShape(config);
  return declarePackedRows(graph, length, { query: headCount, key: keyValueHeadCount });
}

/** Builds a graph that scores counted positions: outputs `logprobs`, `entropies` (policy) or `values` (critic), each [N]. */
export function buildScoreGraph(options: SequenceGraphOptions): Graph {
  const { graph, parameters, normed } = buildInputs(options);
  if (options.role === 'critic') {
    graph.output('values', valuesOf(normed, parameters));
    return graph;
  }
  const { scaled, targets } = declareTargets(graph, options, normed);
  const head = parameterOf(parameters, headName(options.config));
  const chunks = chunksOf(options).map(([start, end]) =>
    buildTokenScores(rowsOf(scaled, start, end), head, rowsOf(targets, start, end)),
  );
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

function valuesOf(normed: Tensor, parameters: GraphParameters): Tensor {
  return squeeze(matmul(normed, parameterOf(parameters, VALUE_HEAD), { transposeB: true }), 1); // [N]
}

function declareTargets(graph: Graph, { rows }: SequenceGraphOptions, normed: Tensor) {
  const targets = graph.input('targets', 'int64', [rows]);
  const inverseTemperature = graph.input('inverse_temperature', 'float32', [rows]);
  return { targets, scaled: mul(normed, expandDims(inverseTemperature, 1)) };
}

function chunksOf({ rows, chunkRows }: SequenceGraphOptions): [number, Dim][] {
  if (typeof rows !== 'number' || chunkRows === undefined || chunkRows >= rows) return [[0, rows]];
  return Array.from({ length: Math.ceil(rows / chunkRows) }, (_, i) => [
    i * chunkRows,
    Math.min(rows, (i + 1) * chunkRows),
  ]);
}

const rowsOf = (x: Tensor, start: number, end: Dim): Tensor => slice(x, { axis: 0, start, end });

/**
 * Builds a training step for given loss columns.
 *
 * Inputs besides the parameters: `ids` [B, T] (or packed rows, see row-layout.ts), `rows`, `targets` [N] int64, `weights` [N], `inverse_temperature` [N]
 * (policy), `column:<name>` [N], `gathered:<parameter>` (gradients so far).
 * Outputs: `loss` [N] and `metric:<name>` [N], weighted; `logprobs`, `entropies` or `values` [N]; `gradient:<parameter>`.
 */
export function buildTrainingGraph(
  options: SequenceGraphOptions,
  loss: LossGraph,
  columnNames: readonly string[],
): Graph {
  const inputs = buildInputs(options);
  const { graph, parameters } = inputs;
  const columns = Object.fromEntries(
    columnNames.map((name) => [name, graph.input(`${COLUMN}${name}`, 'float32', [options.rows])]),
  );
  const weights = graph.input('weights', 'float32', [options.rows]);
  const head = options.role === 'policy' ? buildPolicyHead : buildValueHead;
  const { normedGradient, headGradient } = head(inputs, options, { loss, columns, weights });
  const gradients = backbonePass(inputs, normedGradient);
  const headParameter = options.role === 'policy' ? headName(options.config) : VALUE_HEAD;
  for (const [name, parameter] of parameters) {
    const gathered = graph.input(`${GATHERED}${name}`, 'float32', parameter.shape);
    const summands = name === headParameter ? [headGradient] : [];
    if (name === EMBEDDING) {
      graph.output(
        `${GRADIENT}${name}`,
        scatterRows(summands.reduce(add, gathered), inputs.ids, gradients.embedded),
      );
      continue;
    }
    const own = gradients.parameters.get(name);
    graph.output(
      `${GRADIENT}${name}`,
      [...summands, ...(own === undefined ? [] : [own])].reduce(add, gathered),
    );
  }
  return graph;
}

interface LossParts {
  readonly loss: LossGraph;
  readonly columns: Readonly<Record<string, Tensor>>;
  readonly weights: Tensor;
}

interface HeadGradients {
  readonly normedGradient: Tensor; // [N, D]
  readonly headGradient: Tensor; // [V, D] or [1, D]
}

/** Differentiates from the final norm down; the embedding's rows are added by {@link scatterRows}. */
function backbonePass({ parameters, normed, embedded }: SequenceInputs, normedGradient: Tensor) {
  const inner = [...parameters].filter(
    ([name]) => name !== EMBEDDING && name !== 'lm_head.weight' && name !== VALUE_HEAD,
  );
  const [first, ...rest] = gradient(normed, [embedded, ...inner.map(([, tensor]) => tensor)], normedGradient);
  return {
    embedded: first as Tensor,
    parameters: new Map(inner.map(([name], i) => [name, rest[i] as Tensor])),
  };
}

/** Adds each row of a gradient to the row of its token; ScatterElements keeps a fixed order, ScatterND does not. */
function scatterRows(target: Tensor, ids: Tensor, rowGradients: Tensor): Tensor {
  const count = dimProduct(...ids.shape);
  const index = broadcastTo(reshape(ids, [count, 1]), [count, target.shape[1] as Dim]);
  return scatterAdd(target, index, rowGradients, 0);
}

function buildPolicyHead(
  { graph, parameters, normed }: SequenceInputs,
  options: SequenceGraphOptions,
  parts: LossParts,
): HeadGradients {
  const { scaled, targets } = declareTargets(graph, options, normed);
  const head = parameterOf(parameters, headName(options.config));
  const chunks = chunksOf(options).map(([start, end]) =>
    buildPolicyChunk(scaled, targets, head, parts, start, end),
  );
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
    normedGradient: mul(scaledGradient, inverse),
    headGradient: chunks.map((chunk) => chunk.headGradient).reduce(add),
  };
}

function buildPolicyChunk(
  allScaled: Tensor,
  allTargets: Tensor,
  head: Tensor,
  parts: LossParts,
  start: number,
  end: Dim,
) {
  const [scaled, targets, weights] = [allScaled, allTargets, parts.weights].map((x) =>
    rowsOf(x, start, end),
  ) as [Tensor, Tensor, Tensor];
  const scores = buildTokenScores(scaled, head, targets);
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
  return {
    ...output,
    logprobs,
    entropies,
    headGradient: matmul(logitGradient, scaled, { transposeA: true }), // [V, D]
    scaledGradient: matmul(logitGradient, head), // [R, D]
  };
}

function buildValueHead(
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
    headGradient: matmul(column, normed, { transposeA: true }),
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
