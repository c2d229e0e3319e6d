/** @file What the item measures: a page that shows metrics, filled with the same three sets as the others. */
import type { Page } from 'playwright-core';

/** `long`: one run of many points; `many`: many runs of one metric; `live`: a run that goes on while its page is open. */
export type SetName = 'long' | 'many' | 'live';

/** Rows of one run: a value for each name and step, from `first` on. */
export interface Rows {
  readonly set: SetName;
  readonly run: string;
  readonly names: readonly string[];
  readonly first: number;
  readonly values: Float64Array;
}

/** A page of one set. */
export interface View {
  readonly address: string;
  /** what is waited for, in words */
  readonly waitsFor: string;
  /** expression of the page: how many lines its first chart has drawn */
  readonly lines: string;
  /** expression of the page: a text that changes with the picture of that chart */
  readonly picture: string;
  /** where that chart is */
  readonly chart: string;
  /** brings all lines into it, as a user would, where the address does not */
  prepare?(page: Page): Promise<void>;
}

/** How a chart is moved sideways. */
export interface Pan {
  /** where the pointer takes hold; default: the middle of the chart */
  readonly handle?: string;
  readonly key?: 'Shift';
}

export interface Viewer {
  readonly name: string;
  /** stores rows of a run, and resolves when they are stored */
  write(rows: Rows): Promise<void>;
  /** Starts what serves a set, where it does not run yet, and waits until it has read all of it. */
  view(set: SetName): Promise<View>;
  /** undefined: it has no such thing; then what dragging does instead */
  readonly pan: Pan | string;
  /** said beside the overlay: what it does not draw */
  readonly limit?: string;
  /** said beside the delay: when its page asks for what is new */
  readonly refresh?: string;
  /** run in its pages before their own scripts: what is needed to see what they draw */
  readonly script?: string;
  /** script that makes its page ask for what is new, where it does not by default */
  readonly reload?: string;
  close(): Promise<void>;
}
