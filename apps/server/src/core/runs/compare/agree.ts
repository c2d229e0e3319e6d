/** @file Compares an unchanged fork with its parent: bit for bit, or where they first differ. Pure. */
import { isRepeatable } from '@espalier/contracts/metric';

/** A series as it is stored; NaN where a value is not finite. */
export interface SeriesPoints {
  readonly steps: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** One side: its metrics by name, and the sha256 of its weights by path. */
export interface Side {
  readonly metrics: ReadonlyMap<string, SeriesPoints>;
  readonly weights: ReadonlyMap<string, { readonly step: number; readonly sha256: string }>;
  /** its process may still add to its newest step */
  readonly isRunning: boolean;
}

/** Where the sides first differ; null: one of them has no such value. */
export interface Difference {
  readonly step: number;
  /** name of the metric, or path of the weights */
  readonly at: string;
  readonly parent: number | null;
  readonly twin: number | null;
}

export interface Agreement {
  /** the last step that both have; null: there is none after the fork */
  readonly upTo: number | null;
  /** values and files that are equal */
  readonly values: number;
  readonly files: number;
  readonly difference: Difference | null;
}

/** Compares what both sides have of the steps after the fork. */
export function compareSides(parent: Side, twin: Side, forkStep: number): Agreement {
  const both = (side: Side) => byStep(side.metrics, forkStep);
  const [ours, theirs] = [both(parent), both(twin)];
  const common = Math.min(ours.last, theirs.last);
  if (common <= forkStep) return { upTo: null, values: 0, files: 0, difference: null };
  // a row may be followed by another of the same step, such as a validation
  const isOpen =
    (parent.isRunning && ours.last === common) || (twin.isRunning && theirs.last === common) ? 1 : 0;
  const values = compareValues(ours.points, theirs.points, {
    forkStep,
    last: common,
    whole: common - isOpen,
  });
  const files = compareFiles(parent.weights, twin.weights, forkStep);
  const found = [values.difference, files.difference].filter((one) => one !== null);
  const [difference = null] = found.sort((a, b) => a.step - b.step);
  return {
    upTo: difference === null ? common : Math.max(forkStep, difference.step - 1),
    values: values.equal,
    files: files.equal,
    difference,
  };
}

type Points = ReadonlyMap<string, ReadonlyMap<number, number>>;

function byStep(metrics: Side['metrics'], forkStep: number): { points: Points; last: number } {
  let last = forkStep;
  const points = new Map<string, Map<number, number>>();
  for (const [name, { steps, values }] of metrics) {
    if (!isRepeatable(name)) continue;
    const own = new Map<number, number>();
    for (let index = 0; index < steps.length; index++) {
      const step = steps[index] ?? 0;
      if (step <= forkStep) continue;
      own.set(step, values[index] ?? Number.NaN);
      last = Math.max(last, step);
    }
    points.set(name, own);
  }
  return { points, last };
}

interface Range {
  readonly forkStep: number;
  /** the last step that both have */
  readonly last: number;
  /** the last step of which nothing is missing */
  readonly whole: number;
}

function compareValues(parent: Points, twin: Points, { last, whole }: Range) {
  let equal = 0;
  let difference: Difference | null = null;
  const none: ReadonlyMap<number, number> = new Map();
  for (const at of [...new Set([...parent.keys(), ...twin.keys()])].sort()) {
    const [ours, theirs] = [parent.get(at) ?? none, twin.get(at) ?? none];
    for (const step of new Set([...ours.keys(), ...theirs.keys()])) {
      if (step > last) continue;
      const [a, b] = [ours.get(step), theirs.get(step)];
      const isMissing = a === undefined || b === undefined;
      if (isMissing && step > whole) continue;
      if (!isMissing && Object.is(a, b)) equal += 1;
      else if (difference === null || step < difference.step)
        difference = { step, at, parent: finiteOrNull(a), twin: finiteOrNull(b) };
    }
  }
  return { equal, difference };
}

const finiteOrNull = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : value;

/** Checkpoints that only one of them has say nothing: each keeps and saves its own. */
function compareFiles(parent: Side['weights'], twin: Side['weights'], forkStep: number) {
  let equal = 0;
  let difference: Difference | null = null;
  for (const [at, { step, sha256 }] of twin) {
    const other = parent.get(at);
    if (other === undefined || step <= forkStep) continue;
    if (other.sha256 === sha256) equal += 1;
    else if (difference === null || step < difference.step)
      difference = { step, at, parent: null, twin: null };
  }
  return { equal, difference };
}
