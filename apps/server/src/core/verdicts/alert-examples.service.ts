/** @file The trajectories that show an alarm best, chosen by a quantity that goes with its rule. */
import { isAppError } from '@espalier/contracts';
import { type RuleName, ruleNames } from '@espalier/contracts/health';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { z } from 'zod';
import type { Caller } from '../access/caller.js';
import type { Alert } from '../database/entities/alert.js';
import { TrajectoryEntity } from '../database/entities/trajectory.js';
import { RunLog } from '../database/run-log.js';
import { TrajectoryFiles } from '../history/trajectories/trajectory-files.service.js';
import { wholeNumber } from '../input/parse-input.js';
import { AlertVerdicts } from './alert-verdicts.service.js';
import { drawSample, rankOf } from './draw-sample.js';
import {
  choiceOfRule,
  type ExampleBody,
  type ExampleChoice,
  type ExampleOrder,
  type ExampleQuantity,
  exampleQuantities,
  type ExampleRow,
  groupOf,
  measureExamples,
  needsBody,
  otherwise,
  toExampleBody,
} from './example-quantities.js';

/** of a range; the newest ones */
const mostRows = 20_000;
/** whose turns and tokens are read */
const mostRead = 120;
/** read at a time, so that few large ones are in memory */
const readAtOnce = 8;
/** after that time what was read is enough, ms */
const readMs = 10_000;
/** steps after or before an alarm where those at which it fired have no trajectories */
const around = 10;
/** of one group */
const mostOfGroup = 2;

export const examplesQuery = z.strictObject({
  rule: z.enum(ruleNames).optional().describe('that show this rule; default: the first that fired'),
  size: wholeNumber
    .pipe(z.int().min(1, 'expected 1 to 50').max(50, 'expected 1 to 50'))
    .default(10)
    .describe('how many, 1 to 50; default: 10'),
});
export type ExamplesQuery = z.output<typeof examplesQuery>;

/** A trajectory that shows an alarm. */
export class AlertExample {
  trajectory!: TrajectoryEntity;

  /** of the quantity */
  value!: number;
}

/** The trajectories that show an alarm, and how they were chosen. */
export class AlertExamples {
  rule!: RuleName | null;

  quantity!: ExampleQuantity;

  order!: ExampleOrder;

  meaning!: string;

  unit!: string;

  fromStep!: number;

  toStep!: number;

  /** stored in these steps */
  available!: number;

  /** that have the quantity, of those that were looked at */
  considered!: number;

  examples!: readonly AlertExample[];
}

interface Range {
  readonly fromStep: number;
  readonly toStep: number;
}

@Injectable()
export class AlertExamplesService {
  constructor(
    private readonly log: RunLog,
    private readonly verdicts: AlertVerdicts,
    private readonly files: TrajectoryFiles,
  ) {}

  /** Chooses the trajectories that show an alert best. @throws server.not_found */
  async choose(
    caller: Caller,
    alertId: string,
    { rule: wanted, size }: ExamplesQuery,
  ): Promise<AlertExamples> {
    const alert = await this.verdicts.findAlert(caller, alertId);
    const findings = await this.verdicts.findings(alert);
    const finding = findings.find(({ rule }) => rule === wanted) ?? findings[0];
    const rule = wanted ?? finding?.rule ?? null;
    const { range, rows } = await this.rowsOf(alert, rule, finding?.since ?? alert.step);
    const bodies = new Map<string, ExampleBody>();
    const chosen = rule === null ? otherwise : choiceOfRule[rule];
    let choice = chosen;
    let values = await this.measure(caller, chosen, rows, bodies);
    if (values.size === 0) {
      choice = otherwise;
      values = measureExamples(choice.quantity, rows, bodies);
    }
    const [meaning, unit] = exampleQuantities[choice.quantity];
    const ids = rank(rows, values, choice).slice(0, size);
    return {
      rule,
      ...choice,
      meaning,
      unit,
      ...range,
      available: rows.length,
      considered: values.size,
      examples: await this.read(alert.runId, ids, values),
    };
  }

  /** The rows of the steps at which the rule fired, of the split that it is about where there are any. */
  private async rowsOf(alert: Alert, rule: RuleName | null, since: number) {
    const step = Math.max(alert.step, 0);
    const ranges: readonly Range[] = [
      { fromStep: Math.max(0, Math.min(since, step)), toStep: step },
      { fromStep: step, toStep: step + around },
      { fromStep: Math.max(0, step - around), toStep: step },
    ];
    const split = rule === 'validation-lost' ? 'validation' : 'train';
    for (const range of ranges) {
      const all = await this.readRows(alert.runId, range);
      const own = all.filter((row) => row.split === split);
      const newest = Math.max(step, ...all.slice(0, 1).map((row) => row.step));
      if (all.length > 0)
        return {
          range: { ...range, toStep: Math.min(range.toStep, newest) },
          rows: own.length > 0 ? own : all,
        };
    }
    return { range: ranges[0] as Range, rows: [] };
  }

  private readRows(runId: string, { fromStep, toStep }: Range): Promise<ExampleRow[]> {
    return this.log.read((manager) =>
      manager
        .getRepository(TrajectoryEntity)
        .createQueryBuilder('row')
        .where({ runId, superseded: false })
        .andWhere(`COALESCE(row.outcome, '') <> 'greedy-baseline'`)
        .andWhere('row.turns > 0 AND row.step >= :fromStep AND row.step <= :toStep', { fromStep, toStep })
        .orderBy('row.step', 'DESC')
        .addOrderBy('row.searchKey', 'DESC')
        .limit(mostRows)
        .getMany(),
    );
  }

  private async measure(
    { keyId }: Caller,
    { quantity }: ExampleChoice,
    rows: readonly ExampleRow[],
    bodies: Map<string, ExampleBody>,
  ): Promise<ReadonlyMap<string, number>> {
    if (!needsBody(quantity)) return measureExamples(quantity, rows, bodies);
    const { drawn } = drawSample(rows, mostRead, 0);
    const until = Date.now() + readMs;
    for (let first = 0; first < drawn.length && Date.now() < until; first += readAtOnce)
      await Promise.all(
        drawn.slice(first, first + readAtOnce).map(async ({ runId, step, id }) => {
          const stored = await this.files.read({ runId, keyId, step, id }).catch((error: unknown) => {
            // a file that has not arrived, or is damaged, leaves out its trajectories
            if (isAppError(error)) return undefined;
            throw error;
          });
          if (stored !== undefined) bodies.set(id, toExampleBody(stored));
        }),
      );
    return measureExamples(quantity, drawn, bodies);
  }

  private async read(
    runId: string,
    ids: readonly string[],
    values: ReadonlyMap<string, number>,
  ): Promise<AlertExample[]> {
    const found = await this.log.read((manager) =>
      manager.find(TrajectoryEntity, { where: { runId, id: In([...ids]), superseded: false } }),
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const trajectory = byId.get(id);
      const value = values.get(id);
      return trajectory === undefined || value === undefined
        ? []
        : [Object.assign(new AlertExample(), { trajectory, value })];
    });
  }
}

/** Ids from the one that shows it best on; equal ones in an order of their own, and at most two of a group before others. */
function rank(
  rows: readonly ExampleRow[],
  values: ReadonlyMap<string, number>,
  { order }: ExampleChoice,
): string[] {
  const sign = order === 'least' ? 1 : -1;
  const sorted = rows
    .flatMap((row) => {
      const value = values.get(row.id);
      return value === undefined ? [] : [{ row, value, rank: rankOf(0, row.runId, row.id) }];
    })
    .sort((a, b) => sign * (a.value - b.value) || a.rank - b.rank);
  const counts = new Map<string, number>();
  const [first, later]: [string[], string[]] = [[], []];
  for (const { row } of sorted) {
    const count = counts.get(groupOf(row)) ?? 0;
    counts.set(groupOf(row), count + 1);
    (count < mostOfGroup ? first : later).push(row.id);
  }
  return [...first, ...later];
}
