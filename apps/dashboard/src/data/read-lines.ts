/** @file The history of metrics as charts draw it. */
import type { Client, MetricSeries } from '@espalier/client';

type Range = NonNullable<Parameters<Client['metrics']['history']>[2]>;

/** Steps and values only, with as many digits as any chart shows. */
export const readLines = (
  client: Client,
  runIds: readonly string[],
  names: readonly string[],
  range: Range,
): Promise<readonly (MetricSeries | null)[]> =>
  client.metrics.history(runIds, names, { digits: 7, times: false, buckets: false, ...range });
