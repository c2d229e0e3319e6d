/**
 * @file Declares losses: an id, parameters and columns for the engine, and the code that builds the graph.
 * Columns are typed by name, and checked when the graph is built.
 */
import { AppError, type LossSpec } from '@espalier/contracts';
import type { Tensor } from '@espalier/graph';

/** Inputs of a policy loss; N loss positions of a micro-batch. */
export interface LossInput {
  /** under the weights being trained, nats */
  readonly logprobs: Tensor; // [N]
  /** nats */
  readonly entropies: Tensor; // [N]
  /** per-token inputs by name, as listed in `columns` of the loss */
  readonly columns: Readonly<Record<string, Tensor>>; // each [N]
  readonly params: Readonly<Record<string, number | boolean | string>>;
}

/** Inputs of a value loss. */
export interface ValueLossInput {
  readonly values: Tensor; // [N]
  readonly columns: Readonly<Record<string, Tensor>>; // each [N]
  readonly params: Readonly<Record<string, number | boolean | string>>;
}

export interface LossOutput {
  /** its weighted sum over the batch is minimised */
  readonly perToken: Tensor; // [N]
  /** reported as weighted sums over the batch, by metric name */
  readonly metrics: Readonly<Record<string, Tensor>>; // each [N]
}

export type LossBuilder = (input: LossInput) => LossOutput;
export type ValueLossBuilder = (input: ValueLossInput) => LossOutput;

type LossParams = Readonly<Record<string, number | boolean | string>>;

interface LossDefinition<Params extends LossParams, Column extends string, Input> {
  /** part of the cache key, together with `params`; every number that `build` uses must be in `params` */
  readonly id: string;
  readonly params: Params;
  /** names of the per-token inputs */
  readonly columns: readonly Column[];
  /** the named loss that it equals in value and gradient, of the columns `oldLogprobs` and `advantages` */
  readonly named?: LossSpec['named'];
  readonly build: (
    input: Omit<Input, 'columns' | 'params'> & {
      readonly columns: Readonly<Record<Column, Tensor>>; // each [N]
      readonly params: Params;
    },
  ) => LossOutput;
}

/** Declares a policy loss. */
export function defineLoss<Params extends LossParams, const Column extends string = never>(
  definition: LossDefinition<Params, Column, LossInput>,
): LossSpec & { readonly build: LossBuilder } {
  const { id, params, columns, named } = definition;
  const build: LossBuilder = (input) =>
    definition.build({ ...input, params, columns: selectColumns(id, columns, input.columns) });
  return { id, params, columns, build, ...(named === undefined ? {} : { named }) };
}

/** Declares a value loss. */
export function defineValueLoss<Params extends LossParams, const Column extends string = never>(
  definition: LossDefinition<Params, Column, ValueLossInput>,
): LossSpec & { readonly build: ValueLossBuilder } {
  const { id, params, columns } = definition;
  const build: ValueLossBuilder = (input) =>
    definition.build({ ...input, params, columns: selectColumns(id, columns, input.columns) });
  return { id, params, columns, build };
}

function selectColumns<Column extends string>(
  id: string,
  names: readonly Column[],
  columns: Readonly<Record<string, Tensor>>,
): Record<Column, Tensor> {
  const missing = names.find((name) => columns[name] === undefined);
  if (missing === undefined) return columns as Record<Column, Tensor>;
  const given = Object.keys(columns).join(', ') || 'none';
  throw new AppError(
    'objective.missing_column',
    `loss ${id}: column "${missing}" is missing among ${given}; the engine must feed every column the loss lists`,
  );
}
