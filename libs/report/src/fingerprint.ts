/** @file What a report was made from, as hashes that do not depend on how the run is stored. */
import { createHash } from 'node:crypto';
import { canonicalJson, specHash } from '@espalier/config/plain';
import type { Point, ReportedTrajectory, ReportRun } from './report-run.js';

/** Sha256 of the parts of a run up to a step. */
export interface Fingerprint {
  readonly spec: string;
  readonly metrics: string;
  readonly events: string;
  readonly validations: string;
}

/** Takes the hashes of what a run has up to a step, which never changes while it goes on. */
export function takeFingerprint(run: ReportRun, upTo: number): Fingerprint {
  const isWithin = (step: number): boolean => step <= upTo;
  const series = Object.entries(run.series)
    .map(([name, points]): [string, readonly Point[]] => [name, points.filter(([step]) => isWithin(step))])
    .filter(([, points]) => points.length > 0);
  const events = run.events.filter(({ kind, step }) => kind !== 'run-ended' && isWithin(step));
  const validations = [...run.validations].filter(([step]) => isWithin(step)).sort(([a], [b]) => a - b);
  return {
    spec: specHash(run.spec),
    metrics: hash(
      Object.fromEntries(
        // JSON has no NaN and no −0
        series.map(([name, points]) => [
          name,
          points.map(([step, value]) => [step, Number.isFinite(value) ? value + 0 : null]),
        ]),
      ),
    ),
    events: hash(events.map((event) => ({ kind: event.kind, step: event.step, message: event.message }))),
    validations: hash(
      validations.map(([step, outcomes]) => [
        step,
        outcomes.map(({ tag = '', stateSeed, success }) => [tag, stateSeed, success]),
      ]),
    ),
  };
}

/** The hash of what a report shows of a trajectory. */
export function hashTrajectory({ id, turns, score, success, stopReason }: ReportedTrajectory): string {
  return hash({
    id,
    success,
    stopReason,
    total: score.total,
    turns: turns.map(({ observation, response, actions }) => ({
      observation,
      response,
      actions: actions.map(({ text }) => text),
    })),
  });
}

const hash = (value: unknown): string => hashText(canonicalJson(value));

export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');
