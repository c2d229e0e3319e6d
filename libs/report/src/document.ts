/** @file The parts of a report, before they are written as HTML or Markdown. Plain data. */
import type { Chart } from './charts/chart.js';
import type { Point } from './report-run.js';

/** A piece of a sentence. */
export type Inline =
  | string
  | { readonly kind: 'code' | 'strong' | 'emphasis' | 'muted'; readonly text: string }
  /** a number or a claim, and the number of its source */
  | { readonly kind: 'cite'; readonly text: string; readonly source: number }
  | { readonly kind: 'link'; readonly text: string; readonly to: string }
  | { readonly kind: 'badge'; readonly text: string; readonly tone: Tone };

export type Tone = 'good' | 'warn' | 'bad' | 'plain';

/** What stands in a line. */
export type Sentence = readonly Inline[];

export type Block =
  | {
      readonly kind: 'heading';
      /** 2 for a part of the report, 3 within it */
      readonly level: 2 | 3;
      readonly text: string;
      readonly id: string;
    }
  | { readonly kind: 'paragraph'; readonly content: Sentence; readonly muted?: boolean }
  | { readonly kind: 'list'; readonly items: readonly Sentence[] }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly Sentence[])[];
      /** columns of numbers, from 0 */
      readonly numeric?: readonly number[];
      readonly id?: string;
    }
  | { readonly kind: 'charts'; readonly charts: readonly Chart[] }
  | { readonly kind: 'code'; readonly text: string }
  | {
      readonly kind: 'card';
      readonly id: string;
      readonly tone: Tone;
      /** how one metric went, drawn small */
      readonly spark?: { readonly title: string; readonly points: readonly Point[] } | undefined;
      readonly content: readonly Block[];
    }
  | {
      readonly kind: 'details';
      readonly summary: Sentence;
      readonly id?: string;
      readonly content: readonly Block[];
    }
  | { readonly kind: 'transcript'; readonly transcript: Transcript }
  /** what a person wrote; `notes/` has made its HTML safe */
  | { readonly kind: 'notes'; readonly html: string; readonly markdown: string };

/** A trajectory as people read it. */
export interface Transcript {
  readonly id: string;
  readonly title: Sentence;
  readonly about: Sentence;
  readonly turns: readonly {
    readonly id: string;
    /** from 1 */
    readonly number: number;
    readonly picture: string | undefined;
    readonly state: string;
    readonly response: string;
    readonly actions: readonly string[];
    readonly outcome: string;
  }[];
}

export const heading = (level: 2 | 3, text: string, id: string): Block => ({
  kind: 'heading',
  level,
  text,
  id,
});
export const paragraph = (...content: Inline[]): Block => ({ kind: 'paragraph', content });
export const note = (...content: Inline[]): Block => ({ kind: 'paragraph', content, muted: true });
export const withCommas = (items: readonly Inline[]): Inline[] =>
  items.flatMap((item, index) => (index === 0 ? [item] : [', ', item]));
export const code = (text: string): Inline => ({ kind: 'code', text });
export const strong = (text: string): Inline => ({ kind: 'strong', text });
