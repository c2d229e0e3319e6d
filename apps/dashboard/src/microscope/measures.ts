/** @file What tokens can be coloured by. The ends of every scale are fixed, so that two trajectories compare. */
import type { OpenedTrajectory, TokenPage } from '../data/types.js';

export interface Measure {
  /** in the address */
  readonly id: string;
  readonly label: string;
  readonly unit: string;
  /** of a page; several: the first minus the second */
  readonly columns: readonly (keyof TokenPage & string)[];
  /** of a summary, where it is not the only column */
  readonly series?: string;
  /** both ends; a diverging scale has its middle at `middle` */
  readonly from: number;
  readonly to: number;
  readonly middle?: number;
}

export const measures: readonly Measure[] = [
  { id: 'logprob', label: 'Log-probability', unit: 'nats', columns: ['logprobs'], from: 0, to: -6 },
  { id: 'entropy', label: 'Entropy', unit: 'nats', columns: ['entropies'], from: 0, to: 4 },
  { id: 'advantage', label: 'Advantage', unit: '', columns: ['advantages'], from: -2, to: 2, middle: 0 },
  { id: 'ratio', label: 'Ratio', unit: '', columns: ['ratios'], from: 0.5, to: 1.5, middle: 1 },
  {
    id: 'difference',
    label: 'Trainer − sampler',
    unit: 'nats',
    columns: ['trainerLogprobs', 'logprobs'],
    series: 'differences',
    from: -0.5,
    to: 0.5,
    middle: 0,
  },
  {
    id: 'kl',
    label: 'KL from the reference',
    unit: 'nats',
    columns: ['logprobs', 'referenceLogprobs'],
    series: 'referenceKl',
    from: -1,
    to: 1,
    middle: 0,
  },
  { id: 'return', label: 'Return', unit: '', columns: ['returns'], from: -2, to: 2, middle: 0 },
  {
    id: 'gradient',
    label: 'Gradient',
    unit: '',
    columns: ['gradientWeights'],
    from: -0.01,
    to: 0.01,
    middle: 0,
  },
];

type Summary = OpenedTrajectory['tokenSummary'];

/** What a summary has of a measure; undefined: the trajectory has no such values. */
export const seriesOf = ({ series }: Summary, measure: Measure): Summary['series'][number] | undefined =>
  series.find(({ name }) => name === (measure.series ?? measure.columns[0]));

/** Value at an entry of a page; undefined: absent. */
export function valueOf({ columns }: Measure, page: TokenPage, at: number): number | undefined {
  const [value, less] = columns.map((name) => {
    const column = page[name] as readonly (number | null)[] | null;
    return column?.[at] ?? undefined;
  });
  if (value === undefined) return undefined;
  if (columns.length === 1) return value;
  return less === undefined ? undefined : value - less;
}

/** Place on the scale: 0 to 1, or −1 to 1 where it diverges. */
export function placeOf({ from, to, middle }: Measure, value: number): number {
  if (middle === undefined) return Math.max(0, Math.min(1, (value - from) / (to - from)));
  const reach = value < middle ? middle - from : to - middle;
  return Math.max(-1, Math.min(1, (value - middle) / reach));
}

/** The colour of a place as a custom property, and how much of it. */
export function shadeOf(measure: Measure, value: number): { readonly color: string; readonly share: number } {
  const place = placeOf(measure, value);
  const color = measure.middle === undefined ? '--token-one' : place < 0 ? '--token-low' : '--token-high';
  return { color, share: Math.round(Math.abs(place) * 75) };
}

/** Sides of clipping by their code in a page. */
export const clipSides = ['', 'low', 'high', 'dual', 'held'] as const;
/** What the legend says of each underline. */
export const clipWords: Readonly<Record<Exclude<(typeof clipSides)[number], ''>, string>> = {
  low: 'clipped below',
  high: 'above',
  dual: 'by dual clip',
  held: 'held back',
};
export const clipMeaning: Readonly<Record<string, string>> = {
  low: 'the ratio is below its lower bound',
  high: 'the ratio is above its upper bound',
  dual: 'the ratio of a negative advantage is above the bound of dual clip',
  held: 'held back for its covariance',
};
