/** @file A finished run folder as numbers: costs, success before and after on the same states, curves. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLayout, type RunSpec } from '@espalier/contracts';
import { type MetricRow, readMetrics } from '@espalier/recorder';
import { outcomeOf } from '@espalier/sweep';
import { comparePaired, loadEvaluation, trainedOutcomes } from '@espalier/trainer';
import { specFile, validationFile } from '@espalier/trainer/run-folder';
import { commandOf, type Job } from '../run/job.js';
import { budgetSeconds, wallSeconds } from './budget-clock.js';
import { findCrossings } from './crossings.js';
import { collectTags } from './collect-tags.js';
import { collectCurves, round } from './curves.js';
import type { Measured, SeedResult } from './result.js';
import { collectSamples } from './samples.js';

type Seconds = (row: MetricRow) => number;

const minutesOf = (rows: readonly MetricRow[], seconds: Seconds): number =>
  round(rows.reduce((sum, row) => sum + seconds(row), 0) / 60);
const sum = (rows: readonly MetricRow[], metric: string): number =>
  rows.reduce((total, { values }) => total + (values[metric] ?? 0), 0);

/** Reads one seed; undefined until its run has ended. */
export function collectSeed(job: Job): SeedResult | undefined {
  const { entry, seed, folder } = job;
  const outcome = outcomeOf(folder);
  if (outcome !== 'finished' && outcome !== 'no-signal') return undefined;
  const rows = readMetrics(join(folder, 'metrics.jsonl'));
  const { device } = JSON.parse(readFileSync(specFile(folder), 'utf8')) as RunSpec;
  const budget: Seconds = (row) => budgetSeconds(row, device.threads);
  const validations = measure(rows, budget);
  const [start] = validations;
  const end = validations.filter(({ minutes }) => minutes <= entry.minutes).at(-1) ?? start;
  if (start === undefined || end === undefined) return undefined;
  const first = loadEvaluation(validationFile(folder, start.step));
  const last = loadEvaluation(validationFile(folder, end.step));
  const tags = collectTags(first, last);
  const curves = collectCurves(rows);
  const difference = comparePaired(trainedOutcomes(first), trainedOutcomes(last));
  return {
    seed,
    command: commandOf(job),
    ...readRevision(folder),
    outcome,
    attempts: readAttempts(folder),
    iterations: rows.reduce((last, { step }) => Math.max(last, step), -Infinity),
    wallMinutes: minutesOf(rows, wallSeconds),
    minutes: minutesOf(rows, budget),
    sampledTokens: sum(rows, 'rollout/sampled_tokens'),
    trainedTokens: sum(rows, 'update/tokens'),
    states: difference.states,
    start,
    end,
    difference,
    ...(tags === undefined ? {} : { tags }),
    validations,
    curves,
    crossings: findCrossings(curves),
    ...(entry.samples && seed === 1 ? { samples: collectSamples(folder, [start.step, end.step]) } : {}),
  };
}

function measure(rows: readonly MetricRow[], budget: Seconds): Measured[] {
  return rows.flatMap(({ step, values }, index) => {
    const success = values['validation/success_rate'];
    if (success === undefined) return [];
    return [
      {
        step,
        minutes: minutesOf(rows.slice(0, index + 1), budget),
        success,
        low: round(values['validation/success_low'] ?? success),
        high: round(values['validation/success_high'] ?? success),
        formatValid: round(values['validation/format_valid_share'] ?? Number.NaN),
      },
    ];
  });
}

function readRevision(folder: string): Pick<SeedResult, 'revision'> {
  const file = join(folder, runLayout.origin);
  if (!existsSync(file)) return {};
  const { gitRevision } = JSON.parse(readFileSync(file, 'utf8')) as { gitRevision?: string | null };
  return typeof gitRevision === 'string' ? { revision: gitRevision } : {};
}

function readAttempts(folder: string): number {
  const file = join(folder, 'attempts.json');
  if (!existsSync(file)) return 1;
  return (JSON.parse(readFileSync(file, 'utf8')) as { attempts: number }).attempts;
}
