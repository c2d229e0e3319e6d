/**
 * @file The columns to query from `nvidia-smi`. A driver that does not know a column rejects the whole query and names the
 * column, so optional columns can be dropped. No column has XIDs: the recovery action summarizes them, and the counters
 * and remapped rows show memory errors.
 */

/** Columns that every GPU needs, in order. */
const needed = [
  'index',
  'uuid',
  'name',
  'memory.total',
  'memory.free',
  'utilization.gpu',
  'power.draw',
  'temperature.gpu',
  'ecc.errors.uncorrected.volatile.total',
] as const;

/** Error columns that only newer drivers or some GPUs have. */
const optional = [
  'ecc.errors.corrected.volatile.total',
  'ecc.errors.uncorrected.aggregate.total',
  'retired_pages.double_bit.count',
  'retired_pages.pending',
  'remapped_rows.uncorrectable',
  'remapped_rows.pending',
  'remapped_rows.failure',
  'gpu_recovery_action',
] as const;

export type GpuColumn = (typeof needed)[number] | (typeof optional)[number];

/** All columns. */
export const gpuColumns: readonly GpuColumn[] = [...needed, ...optional];

/** Drops the column that `nvidia-smi` rejects in a line; undefined if the line rejects no optional column. */
export function withoutRefused(
  columns: readonly GpuColumn[],
  line: string,
): readonly GpuColumn[] | undefined {
  const name = /^Field "([^"]+)" is not a valid field to query/i.exec(line.trim())?.[1];
  const isRefused = optional.some((column) => column === name) && columns.some((column) => column === name);
  return isRefused ? columns.filter((column) => column !== name) : undefined;
}
