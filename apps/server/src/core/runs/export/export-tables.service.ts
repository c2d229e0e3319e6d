/**
 * @file The tables of a run up to a cursor, in full resolution. Records before a cursor never change, so the same
 * cursor yields the same bytes while the run continues.
 */
import type { ExportKind } from '@espalier/protocol/export';
import { Injectable } from '@nestjs/common';
import { Between, type EntityManager, type FindOptionsSelect } from 'typeorm';
import { RunLog } from '../../database/run-log.js';
import { RunRecord } from '../../database/entities/run-record.js';
import { TrajectoryEntity } from '../../database/entities/trajectory.js';
import type { Cell, ExportColumn, ExportTable, Row } from './encode-table.js';

/** Rows that are read at once; one with all the metrics that a run may have takes about 100 kB. */
const chunkRows = 250;

const recordColumns: readonly ExportColumn[] = [
  { name: 'cursor', type: 'INT64' },
  { name: 'kind', type: 'STRING' },
  { name: 'attempt', type: 'INT32' },
  { name: 'step', type: 'INT32' },
  { name: 'time', type: 'INT64' },
  { name: 'body', type: 'JSON' },
];

const metricColumns: readonly ExportColumn[] = [
  { name: 'cursor', type: 'INT64' },
  { name: 'attempt', type: 'INT32' },
  { name: 'step', type: 'INT32' },
  { name: 'time', type: 'INT64' },
];

const trajectoryColumns = [
  { name: 'cursor', type: 'INT64' },
  { name: 'id', type: 'STRING' },
  { name: 'attempt', type: 'INT32' },
  { name: 'step', type: 'INT32' },
  { name: 'environment', type: 'STRING' },
  { name: 'environmentTag', type: 'STRING' },
  { name: 'split', type: 'STRING' },
  { name: 'group', type: 'INT32' },
  { name: 'index', type: 'INT32' },
  { name: 'stateSeed', type: 'DOUBLE' },
  { name: 'reward', type: 'DOUBLE' },
  { name: 'environmentReward', type: 'DOUBLE' },
  { name: 'success', type: 'BOOLEAN' },
  { name: 'stopReason', type: 'STRING' },
  { name: 'labels', type: 'STRING' },
  { name: 'turns', type: 'INT32' },
  { name: 'tokens', type: 'INT32' },
  { name: 'sampledTokens', type: 'INT32' },
  { name: 'kept', type: 'BOOLEAN' },
  { name: 'dropped', type: 'STRING' },
  { name: 'outcome', type: 'STRING' },
  { name: 'lossTokens', type: 'INT32' },
  { name: 'clippedTokens', type: 'INT32' },
  { name: 'updateShare', type: 'DOUBLE' },
  { name: 'error', type: 'STRING' },
  { name: 'text', type: 'STRING' },
] as const satisfies readonly ExportColumn[];

/** TypeORM omits the text unless it is selected. */
const everyColumn: FindOptionsSelect<TrajectoryEntity> = Object.fromEntries(
  trajectoryColumns.map(({ name }) => [name, true]),
);

/** A metric with the name of another column, such as `step`, is exported as `metric/step`. */
function nameColumns(metrics: readonly string[]): string[] {
  const taken = new Set(metricColumns.map(({ name }) => name));
  for (const name of metrics) if (!taken.has(name)) taken.add(name);
  return metrics.map((metric) => {
    if (metricColumns.every(({ name }) => name !== metric)) return metric;
    let name = `metric/${metric}`;
    while (taken.has(name)) name = `metric/${name}`;
    taken.add(name);
    return name;
  });
}

@Injectable()
export class ExportTables {
  constructor(private readonly log: RunLog) {}

  /** @param until last cursor to export */
  async table(kind: ExportKind, runId: string, until: number): Promise<ExportTable> {
    if (kind === 'records') {
      const chunks = this.records(runId, until, undefined, (record) => toRow(recordColumns, record));
      return { columns: recordColumns, chunks };
    }
    if (kind === 'trajectories')
      return { columns: trajectoryColumns, chunks: this.trajectories(runId, until) };
    const names = await this.metricNames(runId, until);
    const columnOf = new Map(nameColumns(names).map((column, index) => [names[index] ?? '', column]));
    const columns = [...columnOf.values()].map((name) => ({ name, type: 'DOUBLE' as const }));
    const chunks = this.records(runId, until, 'metrics', (record) => {
      const row = toRow(metricColumns, record);
      const values = record.body['values'] as Record<string, number | null>;
      for (const name of Object.keys(values).sort())
        row.set(columnOf.get(name) ?? name, values[name] ?? null);
      return row;
    });
    return { columns: [...metricColumns, ...columns], chunks };
  }

  /** Finds what is still stored up to a cursor: the first row of each table, and how many records were deleted. */
  async findStored(
    runId: string,
    until: number,
    kinds: readonly ExportKind[],
  ): Promise<{ from: Partial<Record<ExportKind, number | null>>; expired: number }> {
    return this.log.read(async (manager) => {
      const where = { runId, cursor: Between(1, until) };
      const from: Partial<Record<ExportKind, number | null>> = {};
      for (const kind of kinds)
        from[kind] =
          kind === 'trajectories'
            ? await manager.minimum(TrajectoryEntity, 'cursor', where)
            : await manager.minimum(RunRecord, 'cursor', kind === 'metrics' ? { ...where, kind } : where);
      for (const [kind, first] of Object.entries(from))
        from[kind as ExportKind] = first === null ? null : Number(first);
      return { from, expired: until - (await manager.countBy(RunRecord, where)) };
    });
  }

  /** Lists the metrics that have a value, by name. */
  private async metricNames(runId: string, until: number): Promise<string[]> {
    const names = new Set<string>();
    const bodies = this.records(runId, until, 'metrics', ({ body }) => body['values'] as object);
    for await (const rows of bodies)
      for (const values of rows) for (const name of Object.keys(values)) names.add(name);
    return [...names].sort();
  }

  private async *records<T>(
    runId: string,
    until: number,
    kind: string | undefined,
    read: (record: RunRecord) => T,
  ): AsyncGenerator<T[]> {
    for (let after = 0; ;) {
      const rows = await this.log.read((manager) =>
        manager.find(RunRecord, {
          where: { runId, cursor: Between(after + 1, until), ...(kind === undefined ? {} : { kind }) },
          order: { cursor: 'ASC' },
          take: chunkRows,
        }),
      );
      if (rows.length > 0) yield rows.map(read);
      if (rows.length < chunkRows) return;
      after = rows.at(-1)?.cursor ?? until;
    }
  }

  private async *trajectories(runId: string, until: number): AsyncGenerator<Row[]> {
    for (let after = 0; ;) {
      const read = (manager: EntityManager): Promise<TrajectoryEntity[]> =>
        manager.find(TrajectoryEntity, {
          select: everyColumn,
          where: { runId, cursor: Between(after + 1, until) },
          order: { cursor: 'ASC' },
          take: chunkRows,
        });
      const rows = await this.log.read(read);
      if (rows.length > 0)
        yield rows.map((row) =>
          toRow(trajectoryColumns, {
            ...row,
            labels: row.labels.join(' '),
            dropped: row.dropped?.reason ?? null,
          }),
        );
      if (rows.length < chunkRows) return;
      after = rows.at(-1)?.cursor ?? until;
    }
  }
}

function toRow(columns: readonly ExportColumn[], record: object): Map<string, Cell> {
  return new Map(columns.map(({ name }) => [name, (record as Record<string, Cell>)[name] ?? null]));
}
