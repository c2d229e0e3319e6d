import { metricNameRule } from '@espalier/contracts';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { Alert } from '../../apps/server/src/core/database/entities/alert.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

describeOnEach('a run with a metric per token', (current) => {
  const perToken = (step: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`token/${step * 100 + index}`, index]));

  it('keeps the first names and drops the others, with one warning', async () => {
    const writer = await createWriter(current());
    for (let part = 0; part < 3; part += 1)
      await writer.write(
        Array.from({ length: 20 }, (_, index) => {
          const step = part * 20 + index;
          return metricsEvent(step, { 'reward/mean': step, ...perToken(step) });
        }),
      );
    const source = current().app.get(DataSource);
    const run = await source.getRepository(Run).findOneByOrFail({ id: writer.runId });
    expect(Object.keys(run.latest)).toHaveLength(metricNameRule.maxCount);
    expect(run).toMatchObject({ step: 59, warnings: 1, latest: { 'reward/mean': 59 } });
    const alerts = await source.getRepository(Alert).findBy({ runId: writer.runId });
    expect(alerts).toMatchObject([{ code: 'metrics.dropped' }]);
    expect(alerts[0]?.message).toContain('"token/1999" and other new ones are dropped');
    const { url, adminKey } = current();
    const get = async (path: string) => call(url, adminKey, 'GET', `/api/v1/runs/${writer.runId}/${path}`);
    const names = (await get('metrics')).body['items'] as unknown[];
    expect(names).toHaveLength(metricNameRule.maxCount);
    const csv = String((await get('export/metrics.csv')).body['text'])
      .trim()
      .split('\r\n');
    expect(csv).toHaveLength(61);
    expect(csv[0]?.split(',')).toHaveLength(metricNameRule.maxCount + 4);
    const rows = String((await get('export/metrics.jsonl')).body['text'])
      .trim()
      .split('\n');
    // only cells that exist
    expect(Object.keys(JSON.parse(rows[59] ?? '') as object)).toEqual([
      'cursor',
      'attempt',
      'step',
      'time',
      'reward/mean',
    ]);
    expect((await get('export/metrics.parquet')).status).toBe(200);
  });
});
