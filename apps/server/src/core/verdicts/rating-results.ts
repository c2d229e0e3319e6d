/** @file What the ratings of a set say: which side is better, how criteria were scored, and how far raters agree. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  bootstrapMean,
  estimatePreference,
  krippendorffAlpha,
  type MeasurementLevel,
} from '@espalier/rollout/estimates';
import type {
  Rater,
  Rating,
  RatingChoice,
  RatingItem,
  RatingScale,
  RatingSet,
} from '../database/entities/rating.js';

export class RaterAgreement {
  /** of a rubric; null: of the choices */
  criterion!: string | null;

  level!: MeasurementLevel;

  alpha!: number | null;

  low!: number | null;

  high!: number | null;

  /** items that several have rated, and their ratings */
  units!: number;

  ratings!: number;
}

/** Items that each side won, by the majority of their raters. */
export class RatingPreference {
  wins!: number;

  ties!: number;

  losses!: number;

  winRate!: number | null;

  low!: number;

  high!: number;
}

export class CriterionMean {
  criterion!: string;

  source!: number;

  /** of the means of the items */
  mean!: number | null;

  low!: number | null;

  high!: number | null;

  items!: number;
}

export class RatedPlace {
  runId!: string;

  trajectoryId!: string;

  step!: number | null;

  reward!: number | null;

  success!: boolean | null;
}

export class GivenRating {
  rater!: string;

  choice!: RatingChoice | null;

  scores!: readonly { readonly criterion: string; readonly value: number }[] | null;

  reason!: string;

  time!: number;
}

export class ItemResult {
  position!: number;

  source!: number;

  /** one, or a and b */
  places!: readonly RatedPlace[];

  ratings!: readonly GivenRating[];

  /** share of pairs of its raters who differ; null: fewer than two */
  disagreement!: number | null;
}

export class RatingResults {
  setId!: string;

  /** whose ratings count: those who finished, or everyone once the set is closed */
  raters!: readonly string[];

  preference!: RatingPreference | null;

  criteria!: readonly CriterionMean[];

  agreements!: readonly RaterAgreement[];

  /** those about which raters differ most first */
  items!: readonly ItemResult[];
}

/** What is known of a set. */
export interface RatedSet {
  readonly set: RatingSet;
  readonly items: readonly RatingItem[];
  readonly raters: readonly Rater[];
  readonly ratings: readonly Rating[];
  readonly placeOf: (runId: string, trajectoryId: string) => RatedPlace;
}

const choiceValues: Readonly<Record<RatingChoice, number>> = { a: 1, tie: 0, b: -1 };

/** What a rater said of an item. */
interface Given {
  readonly rater: Rater;
  readonly rating: Rating;
}

/** What raters said of each item, in their order. */
function collectGiven({ items, ratings }: RatedSet, raters: readonly Rater[]): Given[][] {
  const keyOf = (position: number, keyId: string): string => `${position}/${keyId}`;
  const known = new Map(ratings.map((rating) => [keyOf(rating.position, rating.keyId), rating]));
  return items.map(({ position }) =>
    raters.flatMap((rater) => {
      const rating = known.get(keyOf(position, rater.keyId));
      return rating === undefined ? [] : [{ rater, rating }];
    }),
  );
}

/**
 * Computes the results of the raters that count. Each interval of a large set takes a tenth of a second; others have a
 * turn between two of them.
 */
export async function computeResults(rated: RatedSet): Promise<RatingResults> {
  const { set, items, raters, placeOf } = rated;
  const counted = raters.filter(({ finishedAt }) => set.closedAt !== null || finishedAt !== null);
  const ofItem = collectGiven(rated, counted);
  const choices = ofItem.map((given) =>
    given.flatMap(({ rating: { choice } }) => (choice === null ? [] : [choiceValues[choice]])),
  );
  const scored = set.criteria.map(({ name, scale }) => ({
    name,
    scale,
    scores: ofItem.map((given) => given.flatMap(({ rating: { scores } }) => scores?.[name] ?? [])),
  }));
  const isPairwise = set.kind === 'pairwise';
  const results = items.map((item, i) => ({
    position: item.position,
    source: item.source,
    places: [
      placeOf(item.runId, item.trajectoryId),
      ...(item.otherRunId === null ? [] : [placeOf(item.otherRunId, item.otherTrajectoryId ?? '')]),
    ],
    ratings: (ofItem[i] ?? []).map(({ rater, rating }) => ({
      rater: rater.name,
      choice: rating.choice,
      scores: toScores(rating),
      reason: rating.reason,
      time: rating.time,
    })),
    disagreement: disagreementOf(
      isPairwise ? [choices[i] ?? []] : scored.map(({ scores }) => scores[i] ?? []),
    ),
  }));
  const criteria: CriterionMean[] = [];
  const agreements: RaterAgreement[] = [];
  const agree = async (...given: Parameters<typeof agreementOf>): Promise<void> => {
    await nextTurn();
    agreements.push(agreementOf(...given));
  };
  for (const { name, scale, scores } of scored) {
    for (const source of set.sources.keys()) {
      await nextTurn();
      criteria.push({
        criterion: name,
        source,
        ...meanOf(scores.filter((_, i) => items[i]?.source === source)),
      });
    }
    if (isPairwise) continue;
    for (const level of levelsOf[scale]) await agree(name, scores, level);
  }
  if (isPairwise) for (const level of ['nominal', 'ordinal'] as const) await agree(null, choices, level);
  return {
    setId: set.id,
    raters: counted.map(({ name }) => name),
    preference: isPairwise ? estimatePreference(choices.filter(({ length }) => length > 0).map(sumOf)) : null,
    criteria,
    agreements,
    items: results.sort(
      (one, other) => (other.disagreement ?? -1) - (one.disagreement ?? -1) || one.position - other.position,
    ),
  };
}

const levelsOf: Readonly<Record<RatingScale, readonly MeasurementLevel[]>> = {
  'yes-no': ['nominal'],
  'one-to-five': ['ordinal', 'interval'],
};

/** The mean over items of the mean of their scores; those without a score say nothing. */
function meanOf(scores: readonly (readonly number[])[]): Omit<CriterionMean, 'criterion' | 'source'> {
  const means = scores.filter(({ length }) => length > 0).map((values) => sumOf(values) / values.length);
  if (means.length === 0) return { mean: null, low: null, high: null, items: 0 };
  return { ...bootstrapMean(means), items: means.length };
}

export const toScores = ({ scores }: Rating): { criterion: string; value: number }[] | null =>
  scores === null ? null : Object.entries(scores).map(([criterion, value]) => ({ criterion, value }));

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const agreementOf = (
  criterion: string | null,
  units: readonly (readonly number[])[],
  level: MeasurementLevel,
): RaterAgreement => ({ criterion, level, ...krippendorffAlpha(units, level) });

/** The share of pairs of raters who said something else, over the criteria. */
function disagreementOf(criteria: readonly (readonly number[])[]): number | null {
  let pairs = 0;
  let different = 0;
  for (const values of criteria)
    for (let i = 0; i < values.length; i++)
      for (let j = i + 1; j < values.length; j++) {
        pairs += 1;
        if (values[i] !== values[j]) different += 1;
      }
  return pairs === 0 ? null : different / pairs;
}
