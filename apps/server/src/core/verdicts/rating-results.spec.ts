import { expect, it } from 'vitest';
import type { Rater, Rating, RatingItem, RatingSet } from '../database/entities/rating.js';
import { computeResults } from './rating-results.js';

const criteria = Array.from({ length: 12 }, (_, index) => ({
  name: `criterion-${index}`,
  question: '?',
  scale: index % 2 === 0 ? ('yes-no' as const) : ('one-to-five' as const),
  low: '',
  high: '',
}));
const set = { id: 'rating-1', kind: 'rubric', criteria, sources: [{}], closedAt: 1 } as unknown as RatingSet;
const raters = ['ann', 'bob', 'cem'].map((name) => ({ keyId: name, name, finishedAt: 1 })) as Rater[];
const items = Array.from({ length: 60 }, (_, position) => ({
  position,
  source: 0,
  runId: 'run-1',
  trajectoryId: `t${position}`,
  otherRunId: null,
})) as RatingItem[];
const placeOf = (runId: string, trajectoryId: string) => ({
  runId,
  trajectoryId,
  step: null,
  reward: null,
  success: null,
});

it('the results of a set read each rating a few times, and leave turns to others between criteria', async () => {
  let reads = 0;
  const ratings = items.flatMap(({ position }) =>
    raters.map(({ keyId }, who) => ({
      get position() {
        reads += 1;
        return position;
      },
      keyId,
      choice: null,
      get scores() {
        reads += 1;
        return Object.fromEntries(criteria.map(({ name }, at) => [name, (position + who * at) % 2]));
      },
      reason: '',
      time: 1,
    })),
  ) as unknown as Rating[];
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
  })();
  const results = await computeResults({ set, items, raters, ratings, placeOf });
  isOver = true;
  await others;
  expect(results.criteria).toHaveLength(12);
  // nominal of the first, ordinal and interval of the second, and so on
  expect(results.agreements).toHaveLength(18);
  expect(reads).toBeLessThanOrEqual(ratings.length * (criteria.length + 3));
  expect(turns).toBeGreaterThanOrEqual(criteria.length);
});
