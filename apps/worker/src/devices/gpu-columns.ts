/**
 * @file What `nvidia-smi` is asked for. Drivers differ: one that does not know a column refuses the whole query and names
 * it, so columns that are not needed can be left out. There is none for XIDs; the recovery action is what the driver
 * makes of them, and counters and rows tell of those of the memory.
 */

/** Columns without which a GPU cannot be offered, in order. */
const needed = [
  ...['index', 'uuid', 'name', 'memory.total', 'memory.free', 'utilization.gpu', 'power.draw'],
  ...['temperature.gpu', 'ecc.errors.uncorrected.volatile.total'],
] as const;

/** Columns about errors, of newer drivers or of some GPUs. */
const optional = [
  ...['ecc.errors.corrected.volatile.total', 'ecc.errors.uncorrected.aggregate.total'],
  ...['retired_pages.double_bit.count', 'retired_pages.pending', 'remapped_rows.uncorrectable'],
  ...['remapped_rows.pending', 'remapped_rows.failure', 'gpu_recovery_action'],
] as const;

export type GpuColumn = (typeof needed)[number] | (typeof optional)[number];

/** All of them. */
export const gpuColumns: readonly GpuColumn[] = [...needed, ...optional];

/** Leaves out the column that a line of the program refuses; undefined when it refuses none that can be left out. */
export function withoutRefused(
  columns: readonly GpuColumn[],
  line: string,
): readonly GpuColumn[] | undefined {
  const name = /^Field "([^"]+)" is not a valid field to query/i.exec(line.trim())?.[1];
  const isRefused = optional.some((column) => column === name) && columns.some((column) => column === name);
  return isRefused ? columns.filter((column) => column !== name) : undefined;
}
