/**
 * @file The order in which metrics changed: the step at which each left the neighbourhood of its start, confirmed by two
 * iterations. The start is the mean of the first two iterations; a threshold is crossed once the mean of two iterations is
 * past it, and is dated at the second.
 */
import { type CurveName, round } from './curves.js';
import type { Points } from './result.js';

export interface Crossing {
  readonly step: number;
  readonly curve: CurveName;
  /** in words, e.g. `below half of its start` */
  readonly mark: string;
  readonly start: number;
  readonly value: number;
}

interface Mark {
  readonly curve: CurveName;
  readonly mark: string;
  readonly isPast: (value: number, start: number) => boolean;
}

const span = 2;

const marks: readonly Mark[] = [
  { curve: 'success', mark: '10 points below its start', isPast: (value, start) => value < start - 0.1 },
  { curve: 'success', mark: '10 points above its start', isPast: (value, start) => value > start + 0.1 },
  { curve: 'rewardDeviation', mark: 'below half of its start', isPast: (value, start) => value < start / 2 },
  { curve: 'groupsWithoutSignal', mark: 'past one half', isPast: (value) => value > 0.5 },
  { curve: 'entropy', mark: 'below half of its start', isPast: (value, start) => value < start / 2 },
  { curve: 'entropy', mark: 'past 1.5 × its start', isPast: (value, start) => value > 1.5 * start },
  { curve: 'gradientNorm', mark: 'past 2 × its start', isPast: (value, start) => value > 2 * start },
  { curve: 'gradientNorm', mark: 'below a third of its start', isPast: (value, start) => value < start / 3 },
  { curve: 'responseLength', mark: 'below 0.8 × its start', isPast: (value, start) => value < 0.8 * start },
  { curve: 'responseLength', mark: 'past 1.25 × its start', isPast: (value, start) => value > 1.25 * start },
  { curve: 'distinctThoughts', mark: 'below half of its start', isPast: (value, start) => value < start / 2 },
  { curve: 'distinctThoughts', mark: 'past 1.5 × its start', isPast: (value, start) => value > 1.5 * start },
  { curve: 'formatValid', mark: 'below 90 %', isPast: (value) => value < 0.9 },
  { curve: 'approxKl', mark: 'past 0.05 nats', isPast: (value) => value > 0.05 },
];

/** Finds the first step past each mark that was passed, in the order of steps. */
export function findCrossings(curves: Readonly<Partial<Record<CurveName, Points>>>): Crossing[] {
  return marks
    .flatMap(({ curve, mark, isPast }) => {
      const points = curves[curve] ?? [];
      const start = meanAt(points, span - 1);
      for (let end = span - 1; end < points.length; end++) {
        const value = meanAt(points, end);
        if (isPast(value, start)) {
          return [{ step: points[end]?.[0] ?? 0, curve, mark, start: round(start), value: round(value) }];
        }
      }
      return [];
    })
    .sort((a, b) => a.step - b.step);
}

/** Mean of the point at `end` and the one before it. */
function meanAt(points: Points, end: number): number {
  return points.slice(end - span + 1, end + 1).reduce((sum, [, value]) => sum + value / span, 0);
}
