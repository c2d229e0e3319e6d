/** @file What a rule reads of a run that has ended: a metric at a moment, success by state, the step of an event. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SweepEvent, SweepMoment } from '@espalier/config/sweep';
import { runLayout } from '@espalier/contracts';
import { markStates } from '@espalier/rollout/estimates';
import { loadEvaluation, trainedOutcomes } from '@espalier/trainer';
import { readCurve, readRows } from '../local/local-runs.js';
import { readRunSpec } from '../local/recorded-run.js';
import { loadOrigin } from '../local/run-origin.js';

type Curve = readonly (readonly [step: number, value: number])[];

/** Values at the start or the end of training that are averaged. */
const span = 5;

const ofValidation = /^(?:tag\/([^/]+)\/)?validation\/success_rate$/;

/** What a row has taken. Rows of validations and the first row of a fork have these metrics, too; those of the phase `validate` are theirs alone. */
const ofIteration = /^(?:time|energy|memory)\/(?!validate_)/;

/** The finite values of a metric; what an iteration has taken is read of iterations only. */
function curveOf(folder: string, metric: string): Curve {
  const curve = ofIteration.test(metric)
    ? readRows(folder).flatMap(({ step, values }): Curve => {
        const value = 'time/step_seconds' in values ? values[metric] : undefined;
        return value === undefined ? [] : [[step, value]];
      })
    : readCurve(folder, metric);
  return curve.filter(([, value]) => Number.isFinite(value));
}

/** The value of a metric at a moment; undefined when the run has none. */
export function valueAt(folder: string, metric: string, moment: SweepMoment): number | undefined {
  const curve = curveOf(folder, metric);
  const isAveraged = !/^(?:tag\/[^/]+\/)?validation\//.test(metric);
  return momentOf(curve, moment, isAveraged ? span : 1)?.value;
}

/** Whether the moment is the first at which a run reported the metric. */
export function isFirst(folder: string, metric: string, moment: SweepMoment): boolean {
  const curve = curveOf(folder, metric);
  return pick(curve, moment) === curve[0];
}

/** How often a run reported a metric as a number. */
export const countValues = (folder: string, metric: string): number => curveOf(folder, metric).length;

/** Finds a moment in a curve; start and end are means over so many values. */
export function momentOf(
  curve: Curve,
  moment: SweepMoment,
  averaged: number,
): { readonly step: number; readonly value: number } | undefined {
  const found = pick(curve, moment);
  if (found === undefined) return undefined;
  const [step, value] = found;
  if (moment !== 'start' && moment !== 'end') return { step, value };
  const part = moment === 'start' ? curve.slice(0, averaged) : curve.slice(-averaged);
  return { step, value: part.reduce((sum, [, one]) => sum + one, 0) / part.length };
}

function pick(curve: Curve, moment: SweepMoment): Curve[number] | undefined {
  switch (moment) {
    case 'start':
      return curve[0];
    case 'end':
      return curve.at(-1);
    case 'peak':
      return curve.reduce<Curve[number] | undefined>(
        (best, one) => (best === undefined || one[1] > best[1] ? one : best),
        undefined,
      );
    case 'lowest':
      return curve.reduce<Curve[number] | undefined>(
        (best, one) => (best === undefined || one[1] < best[1] ? one : best),
        undefined,
      );
    default:
      return curve.findLast(([step]) => step <= moment);
  }
}

/**
 * Success by state at a moment; undefined for a metric that is not success on fixed states.
 *
 * @throws trainer.corrupt_run
 */
export function statesAt(
  folder: string,
  metric: string,
  moment: SweepMoment,
): ReadonlyMap<string, number> | undefined {
  const match = ofValidation.exec(metric);
  if (match === null) return undefined;
  const step = momentOf(curveOf(folder, metric), moment, 1)?.step;
  const file = step === undefined ? undefined : join(folder, runLayout.validationOf(step));
  if (file === undefined || !existsSync(file)) return undefined;
  const evaluation = loadEvaluation(file);
  const [, tag] = match;
  const outcomes =
    tag === undefined ? trainedOutcomes(evaluation) : evaluation.outcomes.filter((one) => one.tag === tag);
  const run = { spec: readRunSpec(folder), plugins: loadOrigin(folder).plugins };
  // equal seeds of different tags or environments are different states
  return new Map(
    markStates(run, outcomes).map(({ stateSeed, success, environment, tag: own = '' }) => [
      `${environment}/${own}/${stateSeed}`,
      Number(success),
    ]),
  );
}

/** The step of an event: the mean of two values past a multiple of the mean of the first two; undefined when it does not happen. */
export function stepOfEvent(folder: string, { metric, below, above }: SweepEvent): number | undefined {
  return findEvent(curveOf(folder, metric), below, above);
}

/** As {@link stepOfEvent}, of a curve. */
export function findEvent(
  curve: Curve,
  below: number | undefined,
  above: number | undefined,
): number | undefined {
  const meanAt = (end: number): number => ((curve[end - 1]?.[1] ?? 0) + (curve[end]?.[1] ?? 0)) / 2;
  const start = meanAt(1);
  for (let end = 2; end < curve.length; end++) {
    const value = meanAt(end);
    const isPast =
      (below !== undefined && value < below * start) || (above !== undefined && value > above * start);
    if (isPast) return curve[end]?.[0];
  }
  return undefined;
}
