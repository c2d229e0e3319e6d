/** @file Figures of two pages side by side, and the rows that they become. */
import { type BenchRow, besideRow, errorText, percentile } from '../row.js';

export const measures = {
  open: { unit: 'ms', what: 'the long run opened, cache empty' },
  'open-again': { unit: 'ms', what: 'the long run loaded again, cache full' },
  'first-load': { unit: 'kB', what: 'its own files until then, compressed, cache empty' },
  data: { unit: 'kB', what: 'answers that its scripts asked for until then' },
  'longest-task': { unit: 'ms', what: 'of the main thread until then; below 50 ms counts as 0' },
  overlay: { unit: 'ms', what: 'all runs over one another, cache empty' },
  pointer: { unit: 'frames/s', what: 'of the main thread, the pointer moving over all runs' },
  pan: {
    unit: 'pictures/s',
    what: 'times that the chart of all runs was another while it was panned by dragging',
  },
  'pan-frames': { unit: 'frames/s', what: 'of the main thread meanwhile' },
  push: { unit: 'ms, p95', what: 'from the call that writes a step until the open chart shows it' },
  'push-reload': {
    unit: 'ms, p95',
    what: 'the same, with the setting on that makes their page ask for what is new',
  },
} as const;

export type Measure = keyof typeof measures;

/** What was found of one page: figures in the order in which they were taken, or why there are none. */
export class Figures {
  private readonly values = new Map<Measure, number[]>();
  private readonly reasons = new Map<Measure, string>();

  add(measure: Measure, ...values: readonly number[]): void {
    this.values.set(measure, [...(this.values.get(measure) ?? []), ...values]);
  }

  couldNot(reason: string, ...missed: readonly Measure[]): void {
    for (const measure of missed) this.reasons.set(measure, reason);
  }

  /** Whether it failed once; it is not tried again. */
  hasFailed(measure: Measure): boolean {
    return this.reasons.has(measure);
  }

  /** Whether it was tried. */
  has(measure: Measure): boolean {
    return this.values.has(measure) || this.reasons.has(measure);
  }

  of(measure: Measure): readonly number[] {
    return this.values.get(measure) ?? [];
  }

  reason(measure: Measure): string | undefined {
    return this.reasons.get(measure);
  }
}

/** Takes figures; what fails is named as the reason for those measures. */
export async function take(
  figures: Figures,
  missed: readonly Measure[],
  what: () => Promise<void>,
): Promise<void> {
  if (missed.some((measure) => figures.hasFailed(measure))) return;
  try {
    await what();
  } catch (error) {
    // Playwright's log of its calls says nothing to a reader
    figures.couldNot(errorText(error).split(' Call log:')[0]?.slice(0, 160) ?? '', ...missed);
  }
}

/** The rows of a peer: our figure, theirs, and what was waited for. */
export function rowsBeside(
  prefix: string,
  ours: Figures,
  theirs: Figures,
  name: string,
  notes: Partial<Record<Measure, string>>,
): BenchRow[] {
  const taken = (Object.keys(measures) as Measure[]).filter((measure) => theirs.has(measure));
  return taken.map((measure) => {
    const { unit, what } = measures[measure];
    const share = measure.startsWith('push') ? 0.95 : 0.5;
    const reason = theirs.reason(measure);
    const said = [
      what,
      ...(notes[measure] === undefined ? [] : [notes[measure]]),
      `ours ${listed(ours.of(measure))}`,
      ...(reason === undefined ? [`theirs ${listed(theirs.of(measure))}`] : []),
    ].join('; ');
    return besideRow(
      `${prefix}/${measure}`,
      percentile(ours.of(measure), share),
      unit,
      name,
      reason === undefined ? percentile(theirs.of(measure), share) : { couldNot: reason },
      said,
    );
  });
}

/** All figures where they are few, their range where they are many. */
function listed(values: readonly number[]): string {
  const show = (value: number): string => String(Number(value.toPrecision(3)));
  if (values.length <= 6) return values.map(show).join(', ');
  return `${show(Math.min(...values))} to ${show(Math.max(...values))} (${values.length}, median ${show(percentile(values, 0.5))})`;
}
