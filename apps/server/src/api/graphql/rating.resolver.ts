/** @file Rating sets: made, rated blind, and read when one may see them. */
import {
  Args,
  ID,
  Int,
  Mutation,
  Parent,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import { type Caller, canSee } from '../../core/access/caller.js';
import { RatingSet, RatingSource } from '../../core/database/entities/rating.js';
import { LiveBus } from '../../core/database/live-bus.js';
import type { Page } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { RatingExports } from '../../core/verdicts/rating-exports.service.js';
import {
  criterionRequest,
  ratingRequest,
  ratingSetConditions,
  ratingSetRequest,
  ratingSourceRequest,
} from '../../core/verdicts/rating-request.js';
import { RatingResults } from '../../core/verdicts/rating-results.js';
import { RaterProgress, RatingSets } from '../../core/verdicts/rating-sets.service.js';
import { RatedItem, Ratings, RatingTask, RatingTaskItem } from '../../core/verdicts/ratings.service.js';
import { Rubric, rubrics } from '../../core/verdicts/rubrics.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { iterateLatest } from '../stream/latest-iterator.js';
import { connectionOf, PageArgs } from './connection.js';
import { SplitEnum } from './enums.js';
import { listCost, ratingResultsCost } from './limits/field-costs.js';
import { as, Input, NotFound, NotPossible, orRefuse, resultOf } from './refusal.js';
import { inputRefusals } from './runs/run-results.js';
import { idOf, inputOfSchema } from './types/from-schema.js';
import { PairingEnum, RatingKindEnum, RatingScaleEnum, ShownChoiceEnum } from './types/rating.type.js';
import { z } from 'zod';

const SourceInput = inputOfSchema('RatingSourceInput', 'Where trajectories come from.', ratingSourceRequest, {
  runId: ID,
  split: SplitEnum,
});
const CriterionInput = inputOfSchema('RatingCriterionInput', 'A criterion of your own.', criterionRequest, {
  scale: RatingScaleEnum,
});
const CreateRatingSetInput = inputOfSchema('CreateRatingSetInput', 'A set to make.', ratingSetRequest, {
  kind: RatingKindEnum,
  pairing: PairingEnum,
  sources: SourceInput,
  criteria: CriterionInput,
});
type CreateRatingSetInput = InstanceType<typeof CreateRatingSetInput>;

const ofSet = z.strictObject({ setId: idOf('rating set') });
const ofItem = ofSet.extend({ position: z.int32().describe('position of the item') });
const ScoreInput = inputOfSchema(
  'RatingScoreInput',
  'A value of a criterion.',
  ratingRequest.shape.scores.unwrap().element,
);
const RateItemInput = inputOfSchema(
  'RateItemInput',
  'What you say of an item.',
  ofItem.extend(ratingRequest.shape),
  { setId: ID, choice: ShownChoiceEnum, scores: ScoreInput },
);
type RateItemInput = InstanceType<typeof RateItemInput>;
const UndoRatingInput = inputOfSchema('UndoRatingInput', 'An item that you rated.', ofItem, { setId: ID });
type UndoRatingInput = InstanceType<typeof UndoRatingInput>;
const FinishRatingInput = inputOfSchema('FinishRatingInput', 'A set that you have rated.', ofSet, {
  setId: ID,
});
type FinishRatingInput = InstanceType<typeof FinishRatingInput>;
const CloseRatingSetInput = inputOfSchema('CloseRatingSetInput', 'A set to close.', ofSet, { setId: ID });
type CloseRatingSetInput = InstanceType<typeof CloseRatingSetInput>;
const DeleteRatingSetInput = inputOfSchema('DeleteRatingSetInput', 'A set to delete.', ofSet, { setId: ID });
type DeleteRatingSetInput = InstanceType<typeof DeleteRatingSetInput>;

const setRefusals = [NotFound, NotPossible] as const;
const CreateRatingSetResult = resultOf(
  'CreateRatingSetResult',
  'The set, or why there is none.',
  RatingSet,
  ...inputRefusals,
);
const RateItemResult = resultOf(
  'RateItemResult',
  'The item, or why it was not rated.',
  RatingTaskItem,
  ...inputRefusals,
);
const UndoRatingResult = resultOf(
  'UndoRatingResult',
  'The item, or why nothing was changed.',
  RatingTaskItem,
  ...setRefusals,
);
const RatingSetResult = resultOf(
  'RatingSetResult',
  'The set, or why nothing was changed.',
  RatingSet,
  ...setRefusals,
);
const RatingSetConnection = connectionOf(RatingSet, 'RatingSet');

const RatingSetFilter = inputOfSchema(
  'RatingSetFilter',
  'Which sets; all conditions hold at once.',
  ratingSetConditions,
);
type RatingSetFilter = InstanceType<typeof RatingSetFilter>;

const setArg = { type: () => ID, description: 'The set.' } as const;
const positionArg = { type: () => Int, description: 'Position of the item in the set.' } as const;
/** one or two files are read */
const itemCost = 2500;

@Resolver(() => RatingSet)
@Access('viewer')
export class RatingResolver {
  constructor(
    private readonly sets: RatingSets,
    private readonly ratings: Ratings,
    private readonly exports: RatingExports,
    private readonly bus: LiveBus,
  ) {}

  @Query(() => RatingSetConnection, { nullable: true, description: 'Rating sets, newest first.' })
  async ratingSets(
    @CurrentCaller() caller: Caller,
    @Args() page: PageArgs,
    @Args('filter', { type: () => RatingSetFilter, nullable: true, description: 'Which; default: all.' })
    filter: RatingSetFilter | null | undefined,
  ): Promise<Page<RatingSet>> {
    return this.sets.list(caller, parseInput(ratingSetConditions, filter, 'list rating sets'), page);
  }

  @Query(() => RatingSet, { nullable: true, description: 'A rating set.' })
  ratingSet(@CurrentCaller() caller: Caller, @Args('id', setArg) id: string): Promise<RatingSet> {
    return this.sets.find(caller, id);
  }

  @Query(() => RatedItem, {
    nullable: true,
    description: 'What is to be rated, with the sides as this key sees them.',
    complexity: itemCost,
  })
  ratingItem(
    @CurrentCaller() caller: Caller,
    @Args('setId', setArg) setId: string,
    @Args('position', positionArg) position: number,
  ): Promise<RatedItem> {
    return this.ratings.item(caller, setId, position);
  }

  @Query(() => [Rubric], { nullable: true, description: 'The rubrics that come with the server.' })
  rubrics(): readonly Rubric[] {
    return rubrics;
  }

  @ResolveField(() => [RaterProgress], { description: 'How far its raters are.', complexity: listCost })
  progress(@Parent() { id }: RatingSet): Promise<RaterProgress[]> {
    return this.sets.progress(id);
  }

  @ResolveField(() => [RatingSource], {
    nullable: true,
    description: 'Where its trajectories come from; null until you have finished or it is closed.',
  })
  async sources(
    @CurrentCaller() caller: Caller,
    @Parent() set: RatingSet,
  ): Promise<readonly RatingSource[] | null> {
    return (await this.exports.isRevealed(caller, set)) ? set.sources : null;
  }

  @ResolveField(() => Int, {
    nullable: true,
    description: 'What was drawn, and the sides; null until you have finished or it is closed.',
  })
  async seed(@CurrentCaller() caller: Caller, @Parent() set: RatingSet): Promise<number | null> {
    return (await this.exports.isRevealed(caller, set)) ? set.seed : null;
  }

  @ResolveField(() => RatingTask, {
    description: 'The set as this key goes through it.',
    complexity: listCost,
  })
  task(@CurrentCaller() caller: Caller, @Parent() { id }: RatingSet): Promise<RatingTask> {
    return this.ratings.task(caller, id);
  }

  @ResolveField(() => RatingResults, {
    nullable: true,
    description: 'What the ratings say; null until you have finished or it is closed.',
    complexity: ratingResultsCost,
  })
  async results(@CurrentCaller() caller: Caller, @Parent() set: RatingSet): Promise<RatingResults | null> {
    return (await this.exports.isRevealed(caller, set)) ? this.exports.results(caller, set.id) : null;
  }

  @Mutation(() => CreateRatingSetResult, {
    nullable: true,
    description: 'Draws a set of trajectories to rate.',
  })
  @Access('operator')
  createRatingSet(
    @CurrentCaller() caller: Caller,
    @Input(CreateRatingSetInput) input: CreateRatingSetInput,
  ): Promise<typeof CreateRatingSetResult> {
    return orRefuse(inputRefusals, async () => {
      const request = parseInput(ratingSetRequest, input, 'make a rating set');
      return as('RatingSet', await this.sets.create(caller, request));
    });
  }

  @Mutation(() => RateItemResult, { nullable: true, description: 'Rates an item of a set.' })
  @Access('operator')
  rateItem(
    @CurrentCaller() caller: Caller,
    @Input(RateItemInput) { setId, position, ...input }: RateItemInput,
  ): Promise<typeof RateItemResult> {
    return orRefuse(inputRefusals, async () => {
      const request = parseInput(ratingRequest, input, 'rate an item');
      return as('RatingTaskItem', await this.ratings.rate(caller, setId, position, request));
    });
  }

  @Mutation(() => UndoRatingResult, { nullable: true, description: 'Takes back what you said of an item.' })
  @Access('operator')
  undoRating(
    @CurrentCaller() caller: Caller,
    @Input(UndoRatingInput) { setId, position }: UndoRatingInput,
  ): Promise<typeof UndoRatingResult> {
    return orRefuse(setRefusals, async () =>
      as('RatingTaskItem', await this.ratings.undo(caller, setId, position)),
    );
  }

  @Mutation(() => RatingSetResult, {
    nullable: true,
    description: 'Ends your rating of a set: you see all ratings, and change yours no more.',
  })
  @Access('operator')
  finishRating(
    @CurrentCaller() caller: Caller,
    @Input(FinishRatingInput) { setId }: FinishRatingInput,
  ): Promise<typeof RatingSetResult> {
    return orRefuse(setRefusals, async () => as('RatingSet', await this.ratings.finish(caller, setId)));
  }

  @Mutation(() => RatingSetResult, {
    nullable: true,
    description: 'Ends the rating of a set that you made, for everyone; what was rated counts.',
  })
  @Access('operator')
  closeRatingSet(
    @CurrentCaller() caller: Caller,
    @Input(CloseRatingSetInput) { setId }: CloseRatingSetInput,
  ): Promise<typeof RatingSetResult> {
    return orRefuse(setRefusals, async () => as('RatingSet', await this.sets.close(caller, setId)));
  }

  @Mutation(() => RatingSetResult, {
    nullable: true,
    description: 'Deletes a set that you made, with its ratings.',
  })
  @Access('operator')
  deleteRatingSet(
    @CurrentCaller() caller: Caller,
    @Input(DeleteRatingSetInput) { setId }: DeleteRatingSetInput,
  ): Promise<typeof RatingSetResult> {
    return orRefuse(setRefusals, async () => as('RatingSet', await this.sets.delete(caller, setId)));
  }

  @Subscription(() => RatingSet, {
    description: 'Rating sets as they are made, rated, closed and deleted: one, or all you may see.',
  })
  ratingSetChanged(
    @CurrentCaller() caller: Caller,
    @Args('id', { ...setArg, nullable: true, description: 'Only this set.' }) id: string | null,
  ): AsyncIterableIterator<{ ratingSetChanged: RatingSet }> {
    return iterateLatest<RatingSet, { ratingSetChanged: RatingSet }>(
      (publish) =>
        this.bus.on('ratingSet', id ?? '*', (set) => {
          if (canSee(caller, set.project)) publish(set.id, set);
        }),
      (ratingSetChanged) => ({ ratingSetChanged }),
    );
  }
}
