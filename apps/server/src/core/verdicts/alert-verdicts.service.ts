/** @file What users say of alerts, what the alerts saw, and how often they were right. */
import { AppError } from '@espalier/contracts';
import { type HealthFinding, metricsOfInput, ruleMeanings } from '@espalier/contracts/health';
import { text } from '@espalier/protocol/bounds';
import { krippendorffAlpha, wilsonInterval } from '@espalier/rollout/estimates';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { z } from 'zod';
import { AuditService } from '../access/audit.service.js';
import { type Caller, canSee, restrictToVisible } from '../access/caller.js';
import { Alert } from '../database/entities/alert.js';
import { type AlertJudgement, alertJudgements, AlertVerdict } from '../database/entities/alert-verdict.js';
import { LiveBus } from '../database/live-bus.js';
import { RunLog } from '../database/run-log.js';
import { readFindings } from '../history/alerts/alert-findings.js';

export const verdictRequest = z.strictObject({
  judgement: z
    .enum(Object.keys(alertJudgements) as [AlertJudgement])
    .describe('confirmed, false-alarm or unclear'),
  reason: text(20_000, { isMultiline: true }).trim().default('').describe('why; default: none given'),
});
export type VerdictRequest = z.output<typeof verdictRequest>;

/** A rule that fired, with what is needed to draw it over its metric. */
export class AlertFinding {
  rule!: HealthFinding['rule'];

  meaning!: string;

  level!: HealthFinding['level'];

  input!: string;

  /** the first of these that the run has */
  metrics!: readonly string[];

  measure!: number;

  limit!: number;

  value!: number;

  baseline!: number | null;

  since!: number;

  history!: readonly number[];

  metricLimit!: number | null;

  side!: 'below' | 'above';
}

/** How often alerts of a kind were right. */
export class AlertPrecision {
  /** code of the alert, or a rule of the monitor */
  name!: string;

  isRule!: boolean;

  alerts!: number;

  confirmed!: number;

  falseAlarms!: number;

  /** judged, but unclear or with as many words for as against */
  undecided!: number;

  precision!: number | null;

  low!: number;

  high!: number;
}

/** Alerts of a project as users judged them. */
export class AlertRecord {
  kinds!: readonly AlertPrecision[];

  /** of users on the alerts that several judged; null: undefined */
  alpha!: number | null;

  /** alerts that several judged */
  judgedBySeveral!: number;
}

@Injectable()
export class AlertVerdicts {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly bus: LiveBus,
    private readonly audit: AuditService,
  ) {}

  /** Says what the caller thinks of an alert, in place of what it said before. @throws server.not_found */
  async judge(caller: Caller, alertId: string, { judgement, reason }: VerdictRequest): Promise<Alert> {
    const alert = await this.findAlert(caller, alertId);
    const rules = (await this.findings(alert)).map(({ rule }) => rule);
    await this.log.write({ runId: alert.runId }, async (manager) => {
      const { id, runId, project, code } = alert;
      if (!(await manager.existsBy(Alert, { id })))
        throw new AppError('server.not_found', `judge alert ${id}: its run was deleted meanwhile`);
      const who = { keyId: caller.keyId, createdBy: caller.keyName };
      await manager.save(AlertVerdict, {
        alertId: id,
        runId,
        project,
        code,
        rules,
        judgement,
        reason,
        time: Date.now(),
        ...who,
      });
      this.log.afterCommit(manager, () => this.bus.publish('alert', id, alert));
    });
    await this.audit.record(caller, 'alert.judge', alertId, 'done', { judgement });
    return alert;
  }

  /** Finds an alert that the caller may see. @throws server.not_found */
  async findAlert(caller: Caller, id: string): Promise<Alert> {
    const found = await this.log.read((manager) => manager.findOneBy(Alert, { id }));
    if (found !== null && canSee(caller, found.project)) return found;
    throw new AppError(
      'server.not_found',
      `read alert "${id.slice(0, 100)}": there is no such alert in the projects of this key; list alerts to find its id`,
    );
  }

  /** Reads what users said of some alerts, oldest first. */
  async list(alertIds: readonly string[]): Promise<AlertVerdict[]> {
    const where = { alertId: In([...alertIds]) };
    return this.log.read((manager) => manager.find(AlertVerdict, { where, order: { time: 'ASC' } }));
  }

  /** Reads the rules that fired when an alert of the collapse monitor was raised. */
  async findings(alert: Alert): Promise<AlertFinding[]> {
    return (await this.log.read((manager) => readFindings(manager, alert))).map(toAlertFinding);
  }

  /** Counts how often alerts were right, over the projects that a caller may see or one of them. */
  async record(caller: Caller, project?: string): Promise<AlertRecord> {
    const { alerts, verdicts } = await this.log.read(async (manager) => {
      const of = <T extends Alert | AlertVerdict>(entity: new () => T) => {
        const query = manager.getRepository(entity).createQueryBuilder('row').where('1 = 1');
        restrictToVisible(query, caller);
        if (project !== undefined) query.andWhere('row.project = :project', { project });
        return query;
      };
      const counted = of(Alert)
        .select('row.code', 'code')
        .addSelect('COUNT(*)', 'alerts')
        .groupBy('row.code')
        .orderBy('row.code');
      return {
        alerts: await counted.getRawMany<{ code: string; alerts: unknown }>(),
        verdicts: await of(AlertVerdict).orderBy('row.time').getMany(),
      };
    });
    return toRecord(
      alerts.map(({ code, alerts: count }) => ({ code, alerts: Number(count) })),
      verdicts,
    );
  }
}

/**
 * Adds where the limit is on the metric: rules with a baseline measure the value relative to it. What else a rule measures,
 * such as a sum of shortfalls, has no place there.
 */
export function toAlertFinding(finding: HealthFinding): AlertFinding {
  const { rule, input, measure, limit, value, baseline } = finding;
  const { metrics, isComplement = false } = metricsOfInput(input);
  const scale = baseline ?? 1;
  const bound = limit * scale;
  // but for rounding, where a run was recorded elsewhere
  const isOnMetric = Math.abs(measure * scale - value) <= 0.01 * Math.abs(value);
  const isBelow = measure < limit;
  return {
    ...finding,
    meaning: ruleMeanings[rule],
    metrics,
    metricLimit: isOnMetric ? (isComplement ? 1 - bound : bound) : null,
    side: isBelow === (isOnMetric && isComplement) ? 'above' : 'below',
  };
}

/** Sums up verdicts: the majority of the decided words on an alert counts. */
export function toRecord(
  counts: readonly { readonly code: string; readonly alerts: number }[],
  verdicts: readonly Pick<AlertVerdict, 'alertId' | 'code' | 'rules' | 'judgement'>[],
): AlertRecord {
  const byAlert = new Map<string, (typeof verdicts)[number][]>();
  for (const word of verdicts) byAlert.set(word.alertId, [...(byAlert.get(word.alertId) ?? []), word]);
  const outcomes = [...byAlert.values()].map((words) => {
    const said = (judgement: AlertJudgement): number =>
      words.filter((word) => word.judgement === judgement).length;
    const balance = said('confirmed') - said('false-alarm');
    return { code: words[0]?.code ?? '', rules: words[0]?.rules ?? [], balance };
  });
  const sumUp = (name: string, isRule: boolean, alerts?: number): AlertPrecision => {
    const of = outcomes.filter(({ code, rules }) => (isRule ? rules.includes(name) : code === name));
    const confirmed = of.filter(({ balance }) => balance > 0).length;
    const falseAlarms = of.filter(({ balance }) => balance < 0).length;
    const decided = confirmed + falseAlarms;
    return {
      name,
      isRule,
      alerts: alerts ?? of.length,
      confirmed,
      falseAlarms,
      undecided: of.length - decided,
      precision: decided === 0 ? null : confirmed / decided,
      ...wilsonInterval(confirmed, decided),
    };
  };
  const rules = [...new Set(outcomes.flatMap((outcome) => outcome.rules))].sort();
  const codes: readonly AlertJudgement[] = ['confirmed', 'false-alarm', 'unclear'];
  const units = [...byAlert.values()].map((words) => words.map(({ judgement }) => codes.indexOf(judgement)));
  const { alpha, units: judgedBySeveral } = krippendorffAlpha(units, 'nominal');
  return {
    kinds: [
      ...counts.map(({ code, alerts }) => sumUp(code, false, alerts)),
      ...rules.map((rule) => sumUp(rule, true)),
    ],
    alpha,
    judgedBySeveral,
  };
}
