import { type EntityManager, In } from 'typeorm';
import { groupRows } from '../../database/batch-loader.js';
import { MetricBlock } from '../../database/entities/metric-block.js';
import { findLastSteps } from './last-steps.js';
import type { MetricTails } from './metric-tails.js';
import { type Scope, SeriesValues } from './series-values.js';

/** Reads all values of metrics by name, without the steps that later attempts repeated. Inside `RunLog.read`. */
export async function readWholeSeries(
  manager: EntityManager,
  tails: MetricTails,
  {
    runId,
    names,
    fromStep = -1,
    toStep = Infinity,
  }: { runId: string; names: readonly string[]; fromStep?: number; toStep?: number | undefined },
): Promise<Map<string, SeriesValues>> {
  const scope: Scope = { fromStep, toStep, cuts: await findLastSteps(manager, runId) };
  const where = { runId, name: In([...names]) };
  const blocks = await manager.find(MetricBlock, { where, order: { firstCursor: 'ASC' } });
  const blocksByName = groupRows(blocks, ({ name }) => name);
  const tail = await tails.of(manager, runId);
  return new Map(
    names.map((name) => {
      const own = blocksByName.get(name) ?? [];
      const series = new SeriesValues(own.reduce((sum, { count }) => sum + count, tail.length));
      for (const block of own) series.addBlock(block, scope);
      series.addRows(tail, name, scope);
      return [name, series];
    }),
  );
}
