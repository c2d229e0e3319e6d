/** @file How the success of a run moved, with what is known of its uncertainty. */
import { bootstrapMean, type Interval } from '@espalier/rollout/estimates';
import { finitePoints, type Point, type ReportRun } from '../report-run.js';

export interface SuccessChange {
  readonly metric: string;
  readonly first: Point;
  readonly last: Point;
  /** 95 % interval of the newest value; undefined: the run has none */
  readonly interval: { readonly low: number; readonly high: number } | undefined;
  /** newest − first over the states that both validations have; undefined: not validated twice on two states */
  readonly gain: (Interval & { readonly states: number }) | undefined;
}

const metrics = ['validation/success_rate', 'rollout/success_rate'] as const;

/** Finds it; undefined when the run has no success yet. */
export function findSuccess(run: ReportRun): SuccessChange | undefined {
  for (const metric of metrics) {
    const points = finitePoints(run, metric);
    const [first] = points;
    const last = points.at(-1);
    if (first === undefined || last === undefined) continue;
    const isValidation = metric === 'validation/success_rate';
    return {
      metric,
      first,
      last,
      interval: isValidation ? wilsonOf(run, last[0]) : undefined,
      gain: isValidation && first !== last ? gainOf(run, first[0], last[0]) : undefined,
    };
  }
  return undefined;
}

function wilsonOf(run: ReportRun, step: number): SuccessChange['interval'] {
  const at = (name: string): number | undefined =>
    finitePoints(run, name).findLast(([own]) => own === step)?.[1];
  const [low, high] = [at('validation/success_low'), at('validation/success_high')];
  return low === undefined || high === undefined ? undefined : { low, high };
}

function gainOf({ validations }: ReportRun, from: number, to: number): SuccessChange['gain'] {
  const before = statesOf(validations.get(from));
  const differences = [...statesOf(validations.get(to))].flatMap(([state, success]) => {
    const earlier = before.get(state);
    return earlier === undefined ? [] : [success - earlier];
  });
  if (differences.length < 2) return undefined;
  return { ...bootstrapMean(differences), states: differences.length };
}

function statesOf(
  outcomes: ReportRun['validations'] extends ReadonlyMap<number, infer T> ? T | undefined : never,
) {
  return new Map(
    (outcomes ?? [])
      .filter(({ trained }) => trained)
      .map(({ tag = '', stateSeed, success }) => [`${tag}/${stateSeed}`, Number(success)]),
  );
}
