import type { EntityManager } from 'typeorm';
import { describe, expect, it } from 'vitest';
import type { RunLog } from '../../core/database/run-log.js';
import type { RunRecord } from '../../core/database/entities/run-record.js';
import { toRecord } from '../../core/history/records/stored-record.js';
import { SeriesValues } from '../../core/history/metrics/series-values.js';
import { ExportTables } from '../../core/runs/export/export-tables.service.js';
import { toColumns } from './record-batch.js';

const values = [
  { constructor: 1, toString: 2, step: 3, 'metric/step': 4, cursor: 5 },
  { loss: 6, hasOwnProperty: 7 },
] as unknown as Record<string, number>[];

const records = values.map((one, index): RunRecord => {
  const event = { kind: 'metrics', time: 100, step: index, values: one } as const;
  const { body, kind, time, step } = toRecord(1, event) ?? { body: {}, kind: '', time: 0, step: 0 };
  return {
    runId: 'run',
    cursor: index + 1,
    attempt: 1,
    kind,
    time,
    step,
    body: JSON.parse(JSON.stringify(body)),
  };
}) as RunRecord[];

describe('metrics with names of object properties', () => {
  it('have columns of their own', () => {
    const columns = toColumns(records);
    expect(Object.keys(columns.values).sort()).toEqual(
      ['constructor', 'cursor', 'hasOwnProperty', 'loss', 'metric/step', 'step', 'toString'].sort(),
    );
    expect(columns.values['constructor']).toEqual([1, null]);
    expect(columns.values['hasOwnProperty']).toEqual([null, 7]);
  });

  it('are filtered by their names', () => {
    expect(toColumns(records, ['toString'])).toMatchObject({ steps: [0], values: { toString: [2] } });
    expect(toColumns(records, ['valueOf', '__proto__']).steps).toEqual([]);
    expect(toColumns(records, ['constructor']).values['constructor']).toEqual([1]);
  });

  it('are told apart where they are not finite', () => {
    const rows = [{ loss: 1 }, { loss: null, constructor: 2 }, { constructor: null }].map(
      (values, index) => ({
        ...(records[0] as RunRecord),
        cursor: index + 1,
        body: { values },
      }),
    );
    const { values, notFinite } = toColumns(rows as RunRecord[]);
    expect(values).toEqual({ loss: [1, null, null], constructor: [null, 2, null] });
    expect(notFinite).toEqual({ loss: [1], constructor: [2] });
    expect(toColumns(rows.slice(0, 1) as RunRecord[])).not.toHaveProperty('notFinite');
  });

  it('are null in rows without them', () => {
    const rows = records.map(({ cursor, attempt, step, time, body }) => ({
      cursor,
      attempt,
      step,
      time,
      values: body['values'] as Record<string, number>,
    }));
    const found = new SeriesValues(4);
    const scope = { fromStep: 0, toStep: 9, cuts: () => Infinity } as unknown as Parameters<
      SeriesValues['addRows']
    >[2];
    found.addRows(rows, 'toString', scope);
    expect([...found.values]).toEqual([2]);
  });

  it('do not change the other columns of an exported row', async () => {
    const manager = { find: async () => records } as unknown as EntityManager;
    const log = { read: async (work: (own: EntityManager) => Promise<unknown>) => work(manager) };
    const table = await new ExportTables(log as unknown as RunLog).table('metrics', 'run', 2);
    const names = table.columns.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const rows: Record<string, unknown>[] = [];
    for await (const chunk of table.chunks)
      for (const row of chunk) rows.push(Object.fromEntries(names.map((name) => [name, row.get(name)])));
    expect(rows[0]).toMatchObject({ cursor: 1, step: 0, time: 100, 'metric/cursor': 5, 'metric/step': 4 });
    expect(rows[0]).toMatchObject({ 'metric/metric/step': 3, toString: 2, constructor: 1 });
    expect([rows[1]?.['toString'], rows[1]?.['constructor'], rows[1]?.['loss']]).toEqual([
      undefined,
      undefined,
      6,
    ]);
  });
});
