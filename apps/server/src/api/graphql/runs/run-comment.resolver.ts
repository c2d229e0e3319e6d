/** @file Comments on runs. */
import { Args, ID, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { z } from 'zod';
import type { Caller } from '../../../core/access/caller.js';
import { RunComment } from '../../../core/database/entities/run-comment.js';
import { Run } from '../../../core/database/entities/run.js';
import type { Page } from '../../../core/database/page.js';
import { commentRequest, RunComments } from '../../../core/runs/run-comments.service.js';
import { parseRequest } from '../../../core/runs/run-request.js';
import { Access, CurrentCaller } from '../../access/access.decorator.js';
import { connectionOf, PageArgs } from '../connection.js';
import { listCost } from '../limits/field-costs.js';
import { as, Input, NotFound, orRefuse, resultOf } from '../refusal.js';
import { inputRefusals } from './run-results.js';
import { idOf, inputOfSchema } from '../types/from-schema.js';

const ofRun = z.strictObject({ runId: idOf('run') });
const AddRunCommentInput = inputOfSchema(
  'AddRunCommentInput',
  'A comment to add to a run.',
  ofRun.extend(commentRequest.shape),
  { runId: ID },
);
type AddRunCommentInput = InstanceType<typeof AddRunCommentInput>;

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
);

const RunCommentConnection = connectionOf(RunComment, 'RunComment');

@Resolver(() => Run)
@Access('operator')
export class RunCommentResolver {
  constructor(private readonly service: RunComments) {}

  @ResolveField(() => RunCommentConnection, {
    description: 'What people wrote about it, oldest first.',
    complexity: listCost,
  })
  @Access('viewer')
  comments(@Parent() { id }: Run, @Args() page: PageArgs): Promise<Page<RunComment>> {
    return this.service.list(id, page);
  }

  @Mutation(() => AddRunCommentResult, { nullable: true, description: 'Adds a comment to a run.' })
  addRunComment(
    @CurrentCaller() caller: Caller,
    @Input(AddRunCommentInput) { runId, ...input }: AddRunCommentInput,
  ): Promise<typeof AddRunCommentResult> {
    return orRefuse(inputRefusals, async () => {
      const request = parseRequest(commentRequest, input, 'comment on a run');
      return as('RunComment', await this.service.add(caller, runId, request));
    });
  }

  @Mutation(() => DeleteRunCommentResult, { nullable: true, description: 'Deletes a comment on a run.' })
  deleteRunComment(
    @CurrentCaller() caller: Caller,
    @Input(DeleteRunCommentInput) { runId, commentId }: DeleteRunCommentInput,
  ): Promise<typeof DeleteRunCommentResult> {
    return orRefuse([NotFound], async () =>
      as('RunComment', await this.service.delete(caller, runId, commentId)),
    );
  }
}
