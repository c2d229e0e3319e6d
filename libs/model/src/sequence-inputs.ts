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
  slice,
  squeeze,
  type Tensor,
} from '@espalier/graph';
import { buildBackbone, declareParameters, type GraphParameters, parameterOf } from './backbone.js';
import { declareBase, matrixOf } from './compact-graph.js';
import { type BaseDtype, heldDtype } from './compact-weights.js';
import type { ModelConfig } from './families/model-family.js';
import { normalize } from './layers/norms.js';
import {
  declarePackedRows,
  declarePaddedRows,
  type PackedLayout,
  type RowLayout,
} from './layers/row-layout.js';
import type { LogitCap, OutputHead } from './layers/token-scores.js';
import { isOfHead, loraName, type LoraShape, loraShapes } from './lora.js';
import { declareDropout, type DropoutOptions, type LoraDropout } from './lora-dropout.js';
import { FINAL_NORM, headName, type ModelRole, parameterShapes, VALUE_HEAD } from './model-weights.js';

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
  /** the backward pass computes each layer again instead of keeping what it needs of it; default false */
  readonly recomputes?: boolean;
  /** the model's own weights are not trained; a critic's head is, whatever this says */
  readonly isFrozen?: boolean;
  /** how the model's own weights are fed if they are frozen; default float32 */
  readonly baseDtype?: BaseDtype | undefined;
  /** adapters next to frozen weights; they are trained */
  readonly lora?: LoraShape | undefined;
  /** adapters that are not trained: those of a policy under the head of a critic */
  readonly isLoraFrozen?: boolean;
}

/** A graph that trains may drop inputs of its adapters; one that scores never does. */
export interface TrainingGraphOptions extends SequenceGraphOptions {
  readonly dropout?: DropoutOptions | undefined;
}

/** Which model a graph computes, and what of it is trained. */
export type GraphModel = Pick<
  SequenceGraphOptions,
  'config' | 'role' | 'isFrozen' | 'baseDtype' | 'lora' | 'isLoraFrozen'
>;

/** The shapes of the parameters of a graph by name: those that are trained, and the others. */
export function splitParameters({
  config,
  role,
  isFrozen = false,
  lora,
  isLoraFrozen = false,
}: GraphModel): Record<'trained' | 'frozen', Map<string, readonly number[]>> {
  const own = parameterShapes(config, role);
  const adapters =
    lora === undefined
      ? []
      : [...loraShapes(config, lora)].filter(([name]) => role === 'policy' || !isOfHead(name));
  const isTrained = (name: string): boolean => !isFrozen || name === VALUE_HEAD;
  return {
    trained: new Map([...(isLoraFrozen ? [] : adapters), ...[...own].filter(([name]) => isTrained(name))]),
    frozen: new Map([...[...own].filter(([name]) => !isTrained(name)), ...(isLoraFrozen ? adapters : [])]),
  };
}

export interface SequenceInputs {
  readonly graph: Graph;
  readonly parameters: GraphParameters;
  /** names of the parameters that are trained */
  readonly trained: readonly string[];
  readonly ids: Tensor; // [U] tokens of all rows
  readonly rows: Tensor; // [N] rows that predict; several positions may be predicted by one row
  readonly embedded: Tensor; // [U, D]
  readonly normed: Tensor; // [N, D]
  readonly dropout: LoraDropout | undefined;
}

/** Declares inputs and parameters and builds the backbone up to the final norm at loss rows. */
export function buildInputs(options: TrainingGraphOptions): SequenceInputs {
  const { config, length, rows: count } = options;
  const graph = new Graph();
  const layout = declareRows(graph, config, length);
  const rows = graph.input('rows', 'int64', [count]);
  const { trained, frozen } = splitParameters(options);
  const base = parameterShapes(config);
  const dtypeOf = (name: string, shape: readonly number[]): BaseDtype =>
    base.has(name) ? heldDtype(name, shape, options.baseDtype ?? 'float32') : 'float32';
  const parameters = new Map([...declareBase(graph, frozen, dtypeOf), ...declareParameters(graph, trained)]);
  const dropout =
    options.dropout === undefined ? undefined : declareDropout(graph, layout.ids, options.dropout);
  const { recomputes = false, lora } = options;
  const { embedded, hidden } = buildBackbone(config, parameters, layout, { recomputes, lora, dropout });
  const normed = normalize(gather(hidden, rows, 0), parameterOf(parameters, FINAL_NORM), config.shape);
  const names = [...trained.keys()];
  return { graph, parameters, trained: names, ids: layout.ids, rows, embedded, normed, dropout };
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

/** The output head of a policy, made once `normed` is there. */
export function outputHead(
  { parameters, normed }: Pick<SequenceInputs, 'parameters' | 'normed'>,
  { config, lora }: SequenceGraphOptions,
): OutputHead {
  const weight = matrixOf(parameters, headName(config), normed);
  const [a, b] = (['A', 'B'] as const).map((part) => parameters.get(loraName('lm_head', part)));
  if (lora === undefined || a === undefined || b === undefined) return { weight };
  return { weight, lora: { a, b, scale: lora.scale } };
}

/** What rows predict, and the rows that the head is applied to. */
export interface PredictingRows {
  readonly targets: Tensor; // [N] int64
  /** divided by the temperature, unless logits are capped before that */
  readonly scaled: Tensor; // [N, D]
  readonly cap: LogitCap | undefined;
}

/** Declares what is predicted where, and scales rows by their inverse temperature. */
export function declareTargets(
  graph: Graph,
  { rows, config }: SequenceGraphOptions,
  normed: Tensor,
): PredictingRows {
  const targets = graph.input('targets', 'int64', [rows]);
  const inverseTemperature = graph.input('inverse_temperature', 'float32', [rows]);
  const softCap = config.shape.logitSoftCap;
  if (softCap !== undefined) return { targets, scaled: normed, cap: { softCap, inverseTemperature } };
  return { targets, scaled: mul(normed, expandDims(inverseTemperature, 1)), cap: undefined };
}

/** A chunk of rows with what they predict. */
export function predictingChunk(
  { targets, scaled, cap }: PredictingRows,
  start: number,
  end: Dim,
): PredictingRows {
  return {
    scaled: rowsOf(scaled, start, end),
    targets: rowsOf(targets, start, end),
    cap:
      cap === undefined
        ? undefined
        : { ...cap, inverseTemperature: rowsOf(cap.inverseTemperature, start, end) },
  };
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
