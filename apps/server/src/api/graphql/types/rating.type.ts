/** @file Sets of trajectories that people rate, and what they say. */
import { Float, ID, Int } from '@nestjs/graphql';
import {
  ratingChoices,
  RatingCriterion,
  ratingKinds,
  ratingScales,
  RatingSet,
  RatingSource,
} from '../../../core/database/entities/rating.js';
import { pairings, shownChoices } from '../../../core/verdicts/rating-request.js';
import {
  CriterionMean,
  GivenRating,
  ItemResult,
  RatedPlace,
  RaterAgreement,
  RatingPreference,
  RatingResults,
} from '../../../core/verdicts/rating-results.js';
import { RaterProgress } from '../../../core/verdicts/rating-sets.service.js';
import {
  RatedItem,
  RatedSide,
  RatedTurn,
  RatingScore,
  RatingTask,
  RatingTaskItem,
} from '../../../core/verdicts/ratings.service.js';
import { Rubric } from '../../../core/verdicts/rubrics.js';
import { enumOf } from '../enums.js';
import { messageCost } from '../limits/field-costs.js';
import { DateTimeScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

export const RatingKindEnum = enumOf('RatingKind', 'How a set is rated.', ratingKinds);
const RatingChoiceEnum = enumOf('RatingChoice', 'Which of a pair is better.', ratingChoices);
export const RatingScaleEnum = enumOf('RatingScale', 'The values of a criterion.', ratingScales);
export const ShownChoiceEnum = enumOf('ShownChoice', 'Which is better, by the sides as shown.', shownChoices);
export const PairingEnum = enumOf('RatingPairing', 'What makes a pair.', pairings);
const MeasurementLevelEnum = enumOf('MeasurementLevel', 'What the distance of two values means.', {
  nominal: 'equal or not',
  ordinal: 'by ranks',
  interval: 'by their difference',
});

describeType(
  RatingCriterion,
  { description: 'What trajectories are rated by.' },
  {
    name: [() => String, { description: 'Its name in results and exports.' }],
    question: [() => String, { description: 'What raters are asked.' }],
    scale: [() => RatingScaleEnum, { description: 'Its values.' }],
    low: [() => String, { description: 'What the lowest value means; may be empty.' }],
    high: [() => String, { description: 'What the highest value means; may be empty.' }],
  },
);

describeType(
  Rubric,
  { description: 'Criteria that come with the server.' },
  {
    id: [() => ID, { description: 'Its name in requests.' }],
    title: [() => String, { description: 'Its name for people.' }],
    criteria: [() => [RatingCriterion], { description: 'Its criteria.' }],
  },
);

describeType(
  RatingSource,
  { description: 'Where trajectories of a set come from.' },
  {
    runId: [() => ID, { description: 'The run.' }],
    runName: [() => String, { description: 'Its name when the set was made.' }],
    fromStep: [() => Int, { description: 'First step.' }],
    toStep: [() => Int, { description: 'Last step.' }],
    split: [() => String, { nullable: true, description: 'Only of this split; null: of all.' }],
    available: [() => Int, { description: 'Trajectories there when the set was made.' }],
    taken: [() => Int, { description: 'Those drawn.' }],
  },
);

describeType(
  RatingSet,
  { description: 'Trajectories, or pairs, that people rate without knowing where they come from.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    project: [() => String, { description: 'Project of its runs.' }],
    name: [() => String, { description: 'Its name.' }],
    kind: [() => RatingKindEnum, { description: 'How it is rated.' }],
    instructions: [
      () => String,
      { description: 'What raters are asked; may be empty.', complexity: messageCost },
    ],
    criteria: [() => [RatingCriterion], { description: 'What it is rated by; of pairs none.' }],
    size: [() => Int, { description: 'How many items it has.' }],
    createdBy: [() => String, { description: 'Name of the key that made it.' }],
    keyId: [() => ID, { description: 'That key, which may close and delete it.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was made.' }],
    closedAt: [() => DateTimeScalar, { nullable: true, description: 'When rating ended; null: it goes on.' }],
    closedBy: [() => String, { nullable: true, description: 'Name of the key that closed it.' }],
  },
);

describeType(
  RaterProgress,
  { description: 'How far a rater is.' },
  {
    name: [() => String, { description: 'Name of its key.' }],
    rated: [() => Int, { description: 'Items it has rated.' }],
    startedAt: [() => DateTimeScalar, { description: 'When it began.' }],
    finishedAt: [() => DateTimeScalar, { nullable: true, description: 'When it had rated all.' }],
  },
);

describeType(
  RatingScore,
  { description: 'A value of a criterion.' },
  {
    criterion: [() => String, { description: 'Its name.' }],
    value: [() => Int, { description: '0 or 1, or 1 to 5.' }],
  },
);

describeType(
  RatingTaskItem,
  { description: 'An item of a set, and what this key said of it.' },
  {
    position: [() => Int, { description: 'In the set.' }],
    isRated: [() => Boolean, { description: 'This key has rated it.' }],
    choice: [() => ShownChoiceEnum, { nullable: true, description: 'Of a pair.' }],
    scores: [() => [RatingScore], { nullable: true, description: 'Of a rubric.' }],
    reason: [() => String, { description: 'Why; may be empty.', complexity: messageCost }],
  },
);

describeType(
  RatingTask,
  { description: 'A set as this key goes through it.' },
  {
    setId: [() => ID, { description: 'The set.' }],
    finishedAt: [() => DateTimeScalar, { nullable: true, description: 'When this key had rated all.' }],
    items: [() => [RatingTaskItem], { description: 'In the order of this key.' }],
  },
);

/** a turn may be long, and its file is read */
const textCost = 20;

describeType(
  RatedTurn,
  { description: 'A turn of a trajectory, without its reward.' },
  {
    observation: [() => String, { description: 'What the model saw.', complexity: textCost }],
    response: [() => String, { description: 'What it wrote.', complexity: textCost }],
  },
);

describeType(
  RatedSide,
  { description: 'A trajectory without its origin, reward and success.' },
  {
    turns: [() => [RatedTurn], { description: 'Its turns.' }],
    missing: [() => String, { nullable: true, description: 'Why it cannot be shown; null: it can.' }],
  },
);

describeType(
  RatedItem,
  { description: 'What is to be rated.' },
  {
    position: [() => Int, { description: 'In the set.' }],
    sides: [() => [RatedSide], { description: 'One, or left and right for this key.' }],
  },
);

describeType(
  RaterAgreement,
  { description: 'How far raters agree: Krippendorff’s alpha.' },
  {
    criterion: [() => String, { nullable: true, description: 'Of a rubric; null: of the choices.' }],
    level: [() => MeasurementLevelEnum, { description: 'What the distance of two values means.' }],
    alpha: [
      () => Float,
      {
        nullable: true,
        description: '1: perfect, 0: as by chance; null: no two ratings differ, or none pair.',
      },
    ],
    low: [() => Float, { nullable: true, description: 'Lower end of its 95 % bootstrap interval.' }],
    high: [() => Float, { nullable: true, description: 'Upper end.' }],
    units: [() => Int, { description: 'Items that several have rated.' }],
    ratings: [() => Int, { description: 'Ratings of these.' }],
  },
);

describeType(
  RatingPreference,
  { description: 'Pairs that each side won, by the majority of their raters.' },
  {
    wins: [() => Int, { description: 'Won by a.' }],
    ties: [() => Int, { description: 'Won by neither.' }],
    losses: [() => Int, { description: 'Won by b.' }],
    winRate: [
      () => Float,
      { nullable: true, description: 'wins / (wins + losses): ties are left out; null: all are ties.' },
    ],
    low: [() => Float, { description: 'Lower end of its 95 % Wilson interval.' }],
    high: [() => Float, { description: 'Upper end.' }],
  },
);

describeType(
  CriterionMean,
  { description: 'How the trajectories of a source were scored.' },
  {
    criterion: [() => String, { description: 'The criterion.' }],
    source: [() => Int, { description: 'Index of the source.' }],
    mean: [() => Float, { nullable: true, description: 'Mean of the means of the items.' }],
    low: [() => Float, { nullable: true, description: 'Lower end of its 95 % bootstrap interval.' }],
    high: [() => Float, { nullable: true, description: 'Upper end.' }],
    items: [() => Int, { description: 'Items that were rated.' }],
  },
);

describeType(
  RatedPlace,
  { description: 'A trajectory that was rated.' },
  {
    runId: [() => ID, { description: 'Its run.' }],
    trajectoryId: [() => ID, { description: 'Its id.' }],
    step: [() => Int, { nullable: true, description: 'Its step; null: it is no longer stored.' }],
    reward: [() => Float, { nullable: true, description: 'Its reward.' }],
    success: [() => Boolean, { nullable: true, description: 'Whether it succeeded.' }],
  },
);

describeType(
  GivenRating,
  { description: 'What a rater said of an item.' },
  {
    rater: [() => String, { description: 'Name of the key.' }],
    choice: [() => RatingChoiceEnum, { nullable: true, description: 'Of a pair.' }],
    scores: [() => [RatingScore], { nullable: true, description: 'Of a rubric.' }],
    reason: [() => String, { description: 'Why; may be empty.', complexity: messageCost }],
    time: [() => DateTimeScalar, { description: 'When.' }],
  },
);

describeType(
  ItemResult,
  { description: 'What raters said of an item.' },
  {
    position: [() => Int, { description: 'In the set.' }],
    source: [() => Int, { description: 'Index of its source; of pairs 0.' }],
    places: [() => [RatedPlace], { description: 'One trajectory, or a and b.' }],
    ratings: [() => [GivenRating], { description: 'Of the raters that count.' }],
    disagreement: [
      () => Float,
      { nullable: true, description: 'Share of the pairs of its raters who differ; null: fewer than two.' },
    ],
  },
);

describeType(
  RatingResults,
  { description: 'What the ratings of a set say.' },
  {
    setId: [() => ID, { description: 'The set.' }],
    raters: [
      () => [String],
      { description: 'Whose ratings count: those who have finished, or all once it is closed.' },
    ],
    preference: [() => RatingPreference, { nullable: true, description: 'Of pairs.' }],
    criteria: [() => [CriterionMean], { description: 'Of a rubric, by criterion and source.' }],
    agreements: [() => [RaterAgreement], { description: 'By criterion and level.' }],
    items: [() => [ItemResult], { description: 'Those about which raters differ most first.' }],
  },
);
