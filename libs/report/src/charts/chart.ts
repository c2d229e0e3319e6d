/** @file Charts as data. */
import type { Curve } from './curves.js';

/** Curves of a metric over the steps. */
export interface CurveChart {
  readonly kind: 'curves';
  /** of the element, and the name of the picture beside Markdown */
  readonly id: string;
  /** name of the metric */
  readonly title: string;
  /** what it shows, where its title alone does not say it */
  readonly caption?: string;
  readonly curves: readonly Curve[];
  /** steps to mark, with what happened */
  readonly marks: readonly { readonly step: number; readonly words: string }[];
}

/** Amounts that make up a whole, a bar for each row. */
export interface BarChart {
  readonly kind: 'bars';
  readonly id: string;
  readonly title: string;
  /** names of the parts, in their order in every row */
  readonly parts: readonly string[];
  readonly rows: readonly { readonly label: string; readonly values: readonly number[] }[];
  readonly format: (value: number) => string;
}

/** Differences with their intervals, beside a line at 0. */
export interface IntervalChart {
  readonly kind: 'intervals';
  readonly id: string;
  readonly title: string;
  readonly rows: readonly {
    readonly label: string;
    readonly mean: number;
    readonly low: number;
    readonly high: number;
  }[];
}

export type Chart = CurveChart | BarChart | IntervalChart;
