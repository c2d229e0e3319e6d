/** @file Comments on runs. */
import {
  Args,
  Field,
  ID,
  Mutation,
  ObjectType,
  Parent,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import type { Caller } from '../../../core/access/caller.js';
import { RunComment } from '../../../core/database/entities/run-comment.js';
import { Run } from '../../../core/database/entities/run.js';
import { LiveBus } from '../../../core/database/live-bus.js';
import type { Page } from '../../../core/database/page.js';
import { findRunOrFail } from '../../../core/history/records/find-run.js';
import { parseInput } from '../../../core/input/parse-input.js';
import {
  commentConditions,
  commentEdit,
  commentRequest,
  RunComments,
} from '../../../core/runs/run-comments.service.js';
import { Access, CurrentCaller } from '../../access/access.decorator.js';
import { iterateLatest } from '../../stream/latest-iterator.js';
import { connectionOf, PageArgs } from '../connection.js';
import { listCost } from '../limits/field-costs.js';
import { as, Input, NotFound, NotPossible, orRefuse, resultOf } from '../refusal.js';
import { inputRefusals } from './run-results.js';
import { idOf, inputOfSchema } from '../types/from-schema.js';

const ofRun = z.strictObject({ runId: idOf('run') });
const AddRunCommentInput = inputOfSchema(
  'AddRunCommentInput',
  'A comment to add to a run.',
  ofRun.extend(commentRequest.shape),
  { runId: ID, alertId: ID, trajectoryId: ID, parentId: ID },
);
type AddRunCommentInput = InstanceType<typeof AddRunCommentInput>;

const EditRunCommentInput = inputOfSchema(
  'EditRunCommentInput',
  'A new text for a comment.',
  ofRun.extend({ commentId: idOf('comment'), ...commentEdit.shape }),
  { runId: ID, commentId: ID },
);
type EditRunCommentInput = InstanceType<typeof EditRunCommentInput>;

const CommentFilter = inputOfSchema(
  'RunCommentFilter',
  'Which comments; all conditions hold at once.',
  commentConditions,
  { alertId: ID, trajectoryId: ID },
);
type CommentFilter = InstanceType<typeof CommentFilter>;

const DeleteRunCommentInput = inputOfSchema(
  'DeleteRunCommentInput',
  'A comment to delete.',
  ofRun.extend({ commentId: idOf('comment') }),
  { runId: ID, commentId: ID },
);
type DeleteRunCommentInput = InstanceType<typeof DeleteRunCommentInput>;

const AddRunCommentResult = resultOf(
  'AddRunCommentResult',
  'The comment, or why there is none.',
  RunComment,
  ...inputRefusals,
);
const DeleteRunCommentResult = resultOf(
  'DeleteRunCommentResult',
  'The deleted comment, or why nothing was changed.',
  RunComment,
  NotFound,
  NotPossible,
);
const EditRunCommentResult = resultOf(
  'EditRunCommentResult',
  'The edited comment, or why nothing was changed.',
  RunComment,
  ...inputRefusals,
);

@ObjectType({ description: 'A comment that was added, edited or deleted.' })
class RunCommentChange {
  @Field(() => RunComment, { description: 'The comment as it is now, or was.' })
  comment!: RunComment;

  @Field(() => Boolean, { description: 'It is gone.' })
  isDeleted!: boolean;
}

const RunCommentConnection = connectionOf(RunComment, 'RunComment');

@Resolver(() => Run)
@Access('operator')
export class RunCommentResolver {
  constructor(
    private readonly service: RunComments,
    private readonly bus: LiveBus,
    private readonly source: DataSource,
  ) {}

  @ResolveField(() => RunCommentConnection, {
    description: 'What people wrote about it, oldest first.',
    complexity: listCost,
  })
  @Access('viewer')
  async comments(
    @Parent() { id }: Run,
    @Args() page: PageArgs,
    @Args('filter', { type: () => CommentFilter, nullable: true, description: 'Which; default: all.' })
    filter: CommentFilter | null | undefined,
  ): Promise<Page<RunComment>> {
    return this.service.list(id, page, parseInput(commentConditions, filter, 'list comments'));
  }

  @Mutation(() => AddRunCommentResult, { nullable: true, description: 'Adds a comment to a run.' })
  addRunComment(
    @CurrentCaller() caller: Caller,
    @Input(AddRunCommentInput) { runId, ...input }: AddRunCommentInput,
  ): Promise<typeof AddRunCommentResult> {
    return orRefuse(inputRefusals, async () => {
      const request = parseInput(commentRequest, input, 'comment on a run');
      return as('RunComment', await this.service.add(caller, runId, request));
    });
  }

  @Mutation(() => DeleteRunCommentResult, { nullable: true, description: 'Deletes a comment on a run.' })
  deleteRunComment(
    @CurrentCaller() caller: Caller,
    @Input(DeleteRunCommentInput) { runId, commentId }: DeleteRunCommentInput,
  ): Promise<typeof DeleteRunCommentResult> {
    return orRefuse([NotFound, NotPossible], async () =>
      as('RunComment', await this.service.delete(caller, runId, commentId)),
    );
  }

  @Mutation(() => EditRunCommentResult, {
    nullable: true,
    description: 'Replaces the text of a comment that this key wrote.',
  })
  editRunComment(
    @CurrentCaller() caller: Caller,
    @Input(EditRunCommentInput) { runId, commentId, ...input }: EditRunCommentInput,
  ): Promise<typeof EditRunCommentResult> {
    return orRefuse(inputRefusals, async () => {
      const { text } = parseInput(commentEdit, input, 'edit a comment');
      return as('RunComment', await this.service.edit(caller, runId, commentId, text));
    });
  }

  @Subscription(() => RunCommentChange, {
    description: 'Comments on a run as they are added, edited and deleted.',
  })
  @Access('viewer')
  async runCommentChanged(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, description: 'The run.' }) runId: string,
  ): Promise<AsyncIterableIterator<{ runCommentChanged: RunCommentChange }>> {
    await findRunOrFail(this.source.manager, caller, runId);
    return iterateLatest<RunCommentChange, { runCommentChanged: RunCommentChange }>(
      (publish) => this.bus.on('comment', runId, (change) => publish(change.comment.id, change)),
      (runCommentChanged) => ({ runCommentChanged }),
    );
  }
}
