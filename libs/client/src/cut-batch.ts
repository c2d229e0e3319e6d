import type { StreamBatch } from '@espalier/protocol';

/**
 * Removes from a batch the records that a follower already has.
 *
 * @param last the follower's last cursor
 * @returns the remaining batch, `'gap'` if records between are missing, or undefined if all are known
 */
export function cutBatch(batch: StreamBatch, last: number): StreamBatch | 'gap' | undefined {
  if (batch.after > last) return 'gap';
  if (batch.cursor <= last) return undefined;
  if (batch.after === last) return batch;
  const { metrics } = batch;
  const from = metrics.cursors.findIndex((cursor) => cursor > last);
  const start = from === -1 ? metrics.cursors.length : from;
  const values = Object.entries(metrics.values).map(([name, column]) => [name, column.slice(start)] as const);
  const notFinite = Object.entries(metrics.notFinite ?? {})
    .map(([name, rows]) => [name, rows.filter((row) => row >= start).map((row) => row - start)] as const)
    .filter(([, rows]) => rows.length > 0);
  return {
    ...batch,
    after: last,
    metrics: {
      cursors: metrics.cursors.slice(start),
      steps: metrics.steps.slice(start),
      times: metrics.times.slice(start),
      attempts: metrics.attempts.slice(start),
      values: Object.fromEntries(values),
      ...(notFinite.length === 0 ? {} : { notFinite: Object.fromEntries(notFinite) }),
    },
    records: batch.records.filter(({ cursor }) => cursor > last),
  };
}
