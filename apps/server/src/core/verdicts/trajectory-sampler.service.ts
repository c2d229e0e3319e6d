/** @file Samples of the trajectories of a run: evidence before and after an alarm, and what people rate. */
import { AppError } from '@espalier/contracts';
import { count } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { z } from 'zod';
import type { Caller } from '../access/caller.js';
import { TrajectoryEntity } from '../database/entities/trajectory.js';
import { RunLog } from '../database/run-log.js';
import { runSql } from '../database/run-sql.js';
import { findRunOrFail } from '../history/records/find-run.js';
import { wholeNumber } from '../input/parse-input.js';
import { type Drawable, drawSample, SampledStratum } from './draw-sample.js';

/** of a range; a larger one is refused rather than cut, so that what is drawn is what was asked for */
const maxRows = 50_000;

export const seedSchema = wholeNumber
  .pipe(count)
  .default(0)
  .describe('which ones are drawn: the same seed draws the same; default: 0');
export const splitSchema = z
  .enum(['train', 'validation', 'test'])
  .optional()
  .describe('only of this split; default: of all');

export const sampleQuery = z.strictObject({
  fromStep: wholeNumber.pipe(count).default(0).describe('first step; default: 0'),
  toStep: wholeNumber.pipe(count).optional().describe('last step; default: the newest'),
  split: splitSchema,
  size: wholeNumber
    .pipe(z.int().min(1, 'expected 1 to 100').max(100, 'expected 1 to 100'))
    .default(6)
    .describe('how many, 1 to 100; default: 6'),
  seed: seedSchema,
});
export type SampleQuery = z.output<typeof sampleQuery>;

/** Where trajectories are drawn from. */
export interface SampleRange {
  readonly runId: string;
  readonly fromStep: number;
  readonly toStep: number;
  readonly split: string | null;
}

/** Trajectories drawn from a range, and how. */
export class TrajectorySample {
  /** in the range */
  available!: number;

  seed!: number;

  strata!: readonly SampledStratum[];

  trajectories!: readonly TrajectoryEntity[];
}

@Injectable()
export class TrajectorySampler {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
  ) {}

  /** Draws some of a run, by outcome and group. @throws server.not_found, rating.nothing_to_rate */
  async sample(caller: Caller, runId: string, query: SampleQuery): Promise<TrajectorySample> {
    const run = await findRunOrFail(this.source.manager, caller, runId);
    const { fromStep, toStep = Math.max(fromStep, run.steps), split = null, size, seed } = query;
    const rows = await this.read({ runId: run.id, fromStep, toStep, split });
    const { drawn, strata } = drawSample(rows, size, seed);
    const ids = drawn.map(({ id }) => id);
    const found = await this.log.read((manager) =>
      manager.find(TrajectoryEntity, { where: { runId: run.id, id: In(ids), superseded: false } }),
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    return {
      available: rows.length,
      seed,
      strata,
      trajectories: ids.flatMap((id) => byId.get(id) ?? []),
    };
  }

  /** Reads what can be drawn: stored trajectories with a turn, superseded ones left out. @throws rating.nothing_to_rate */
  async read({ runId, fromStep, toStep, split }: SampleRange): Promise<Drawable[]> {
    const rows = await this.log.read((manager) => readRows(manager, { runId, fromStep, toStep, split }));
    if (rows.length > maxRows)
      throw new AppError(
        'rating.nothing_to_rate',
        `sample trajectories of run ${runId}: steps ${fromStep} to ${toStep} have more than ${maxRows}; choose fewer steps or one split`,
      );
    return rows;
  }
}

async function readRows(
  manager: EntityManager,
  { runId, fromStep, toStep, split }: SampleRange,
): Promise<Drawable[]> {
  const ofSplit = split === null ? '' : ' AND t.split = ?';
  const rows = await runSql<Record<keyof Drawable, unknown>>(
    manager,
    `SELECT t."runId" AS "runId", t.id AS id, t.step AS step, t.group_index AS "group", t.environment AS environment,
       t."stateSeed" AS "stateSeed", t.success AS success
     FROM trajectory t
     WHERE t."runId" = ? AND t.superseded = ? AND COALESCE(t.outcome, '') <> 'greedy-baseline' AND t.turns > 0 AND t.step >= ? AND t.step <= ?${ofSplit}
     LIMIT ${maxRows + 1}`,
    [runId, false, fromStep, toStep, ...(split === null ? [] : [split])],
  );
  return rows.map((row) => ({
    runId: String(row.runId),
    id: String(row.id),
    step: Number(row.step),
    group: Number(row.group),
    environment: String(row.environment),
    stateSeed: Number(row.stateSeed),
    success: row.success === true || row.success === 1,
  }));
}
