/**
 * @file Declares losses: data for the engine (who, which numbers, which columns) around code that builds graph.
 * The columns are typed by their names, and checked when the graph is built.
 */
import { AppError, type LossSpec } from '@espalier/contracts';
import type { Tensor } from '@espalier/graph';
import type { LossBuilder, LossInput, LossOutput, ValueLossBuilder, ValueLossInput } from './loss-builder.js';

type LossParams = Readonly<Record<string, number | boolean | string>>;

interface LossDefinition<Params extends LossParams, Column extends string, Input> {
  /** cache key together with `params`; every number that `build` uses must be in `params` */
  readonly id: string;
  readonly params: Params;
  /** names of the per-token inputs */
  readonly columns: readonly Column[];
  readonly build: (
    input: Omit<Input, 'columns' | 'params'> & {
      readonly columns: Readonly<Record<Column, Tensor>>; // each [N]
      readonly params: Params;
    },
  ) => LossOutput;
}

/** Declares a policy's loss. */
export function defineLoss<Params extends LossParams, const Column extends string = never>(
  definition: LossDefinition<Params, Column, LossInput>,
): LossSpec & { readonly build: LossBuilder } {
  const { id, params, columns } = definition;
  const build: LossBuilder = (input) =>
    definition.build({ ...input, params, columns: requireColumns(id, columns, input.columns) });
  return { id, params, columns, build };
}

/** Declares a critic's loss. */
export function defineValueLoss<Params extends LossParams, const Column extends string = never>(
  definition: LossDefinition<Params, Column, ValueLossInput>,
): LossSpec & { readonly build: ValueLossBuilder } {
  const { id, params, columns } = definition;
  const build: ValueLossBuilder = (input) =>
    definition.build({ ...input, params, columns: requireColumns(id, columns, input.columns) });
  return { id, params, columns, build };
}

function requireColumns<Column extends string>(
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
