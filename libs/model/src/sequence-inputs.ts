/**
 * @file Where graphs over whole sequences begin: tokens, parameters, the backbone and its rows at loss positions. What
 * scores or learns there is in score-graph.ts and training-graph.ts.
 */
import {
  type Dim,
  expandDims,
  gather,
  Graph,
  matmul,
  mul,
  rmsNorm,
  slice,
  squeeze,
  type Tensor,
} from '@espalier/graph';
import { buildBackbone, declareParameters, type GraphParameters, parameterOf } from './backbone.js';
import type { ModelConfig } from './families/model-family.js';
import {
  declarePackedRows,
  declarePaddedRows,
  type PackedLayout,
  type RowLayout,
} from './layers/row-layout.js';
import { FINAL_NORM, type ModelRole, parameterShapes, VALUE_HEAD } from './model-weights.js';

/** What a graph over sequences is made for. */
export interface SequenceGraphOptions {
  readonly config: ModelConfig;
  readonly role: ModelRole;
  /** tokens of every (padded) sequence, or how packed rows are laid out */
  readonly length: number | PackedLayout; // T
  /** loss positions; a name leaves it open, a number allows chunks */
  readonly rows: Dim; // N
  /** rows whose logits live at once; only for a known number of rows, which it must divide */
  readonly chunkRows?: number;
}

export interface SequenceInputs {
  readonly graph: Graph;
  readonly parameters: GraphParameters;
  readonly ids: Tensor; // [F] tokens of all rows
  readonly rows: Tensor; // [N] rows that predict; several positions may be predicted by one row
  readonly embedded: Tensor; // [F, D]
  readonly normed: Tensor; // [N, D]
}

/** Declares inputs and parameters and builds the backbone up to the final norm at loss rows. */
export function buildInputs({ config, role, length, rows: count }: SequenceGraphOptions): SequenceInputs {
  const graph = new Graph();
  const layout = declareRows(graph, config, length);
  const rows = graph.input('rows', 'int64', [count]);
  const parameters = declareParameters(graph, parameterShapes(config, role));
  const { embedded, hidden } = buildBackbone(config, parameters, layout);
  const normed = rmsNorm(
    gather(hidden, rows, 0),
    parameterOf(parameters, FINAL_NORM),
    config.shape.normEpsilon,
  );
  return { graph, parameters, ids: layout.ids, rows, embedded, normed };
}

function declareRows(graph: Graph, config: ModelConfig, length: number | PackedLayout): RowLayout {
  if (typeof length === 'number') return declarePaddedRows(graph, length);
  const { headCount, keyValueHeadCount } = config.shape;
  return declarePackedRows(graph, length, { query: headCount, key: keyValueHeadCount });
}

/** The value head at loss rows: [N]. */
export function valuesOf(normed: Tensor, parameters: GraphParameters): Tensor {
  return squeeze(matmul(normed, parameterOf(parameters, VALUE_HEAD), { transposeB: true }), 1); // [N]
}

/** Declares what is predicted where, and scales rows by their inverse temperature. */
export function declareTargets(graph: Graph, { rows }: SequenceGraphOptions, normed: Tensor) {
  const targets = graph.input('targets', 'int64', [rows]);
  const inverseTemperature = graph.input('inverse_temperature', 'float32', [rows]);
  return { targets, scaled: mul(normed, expandDims(inverseTemperature, 1)) };
}

/** Ranges of rows whose logits live at once. */
export function chunksOf({ rows, chunkRows }: SequenceGraphOptions): [number, Dim][] {
  if (typeof rows !== 'number' || chunkRows === undefined || chunkRows >= rows) return [[0, rows]];
  return Array.from({ length: Math.ceil(rows / chunkRows) }, (_, i) => [
    i * chunkRows,
    Math.min(rows, (i + 1) * chunkRows),
  ]);
}

/** Rows from `start` to `end`. */
export const rowsOf = (x: Tensor, start: number, end: Dim): Tensor => slice(x, { axis: 0, start, end });
