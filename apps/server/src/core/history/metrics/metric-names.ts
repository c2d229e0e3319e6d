/**
 * @file Limits how many metric names a run has, as every list, comparison and export of it is as wide as that. The names
 * of a run are those of its newest values, which include every reported metric.
 */
import { metricNameRule } from '@espalier/contracts';
import type { EntityManager } from 'typeorm';
import { Alert } from '../../database/entities/alert.js';
import { runSql } from '../../database/run-sql.js';
import type { IncomingEvent } from '../records/stored-record.js';

/**
 * Drops values of metrics beyond the limit, with a warning for the first of a run. Inside a write.
 *
 * @returns the events, in their order
 */
export async function limitMetricNames(
  manager: EntityManager,
  runId: string,
  events: readonly IncomingEvent[],
): Promise<readonly IncomingEvent[]> {
  if (!events.some(({ kind }) => kind === 'metrics')) return events;
  const text = 'SELECT latest FROM run WHERE id = ?';
  const [run] = await runSql<{ latest: string }>(manager, text, [runId]);
  const known = new Set(Object.keys(JSON.parse(run?.latest ?? '{}') as object));
  let dropped: { readonly name: string; readonly after: number } | undefined;
  const bounded = events.map((event, index) => {
    if (event.kind !== 'metrics') return event;
    const values = Object.entries(event.values).filter(([name]) => {
      if (known.size < metricNameRule.maxCount) known.add(name);
      if (known.has(name)) return true;
      dropped ??= { name, after: index };
      return false;
    });
    return { ...event, values: Object.fromEntries(values) };
  });
  if (dropped === undefined || (await manager.existsBy(Alert, { runId, code: metricNameRule.warning })))
    return bounded;
  const { time, step } = bounded[dropped.after] as Extract<IncomingEvent, { kind: 'metrics' }>;
  const message = `store metrics: the run has ${metricNameRule.maxCount} names of metrics, which is the most; ${JSON.stringify(dropped.name)} and other new ones are dropped; log fewer names, with what varies as the value or the step`;
  bounded.splice(dropped.after + 1, 0, {
    kind: 'warning',
    time,
    step,
    code: metricNameRule.warning,
    message,
  });
  return bounded;
}
