import { Body, Controller, Delete, Get, Headers, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { RunComment } from '../../core/database/entities/run-comment.js';
import { type PageAnswer, pageQuery, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import {
  commentConditions,
  commentEdit,
  commentRequest,
  type RunCommentDto,
  RunComments,
  toCommentDto,
} from '../../core/runs/run-comments.service.js';
import { RunQueries } from '../../core/runs/run-queries.service.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { idempotencyHeader, withIdempotencyKey } from './request-body.js';
import { Describe, Tag } from './open-api/open-api.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';

const commentsQuery = pageQuery.extend(commentConditions.shape);
const response = dtoSchema(RunComment, { without: ['idempotencyKey'] });

/** Comments on runs over REST. */
@Tag('runs')
@Controller('api/v1/runs/:id/comments')
@Access('operator')
export class RunCommentController {
  constructor(
    private readonly queries: RunQueries,
    private readonly comments: RunComments,
  ) {}

  @Get()
  @Access('viewer')
  @Describe({
    summary: 'Comments on a run, oldest first.',
    query: commentsQuery,
    response: pageSchema(response),
  })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() given: unknown,
  ): Promise<PageAnswer<RunCommentDto>> {
    const { first, after, last, before, ...where } = parseInput(commentsQuery, given, 'list comments');
    const page = { first, after, last, before };
    const run = await this.queries.find(caller, id);
    return toPageAnswer(await this.comments.list(run.id, page, where), toCommentDto);
  }

  @Post()
  @Describe({
    summary: 'Adds a comment to a run.',
    headers: idempotencyHeader,
    body: commentRequest,
    responses: { 201: [response, 'The comment.'] },
  })
  async add(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
    @Headers() headers: Record<string, string | undefined>,
  ): Promise<RunCommentDto> {
    const given = withIdempotencyKey(body, headers);
    const request = parseInput(commentRequest, given, 'comment on a run');
    return toCommentDto(await this.comments.add(caller, id, request));
  }

  @Patch(':commentId')
  @Describe({ summary: 'Replaces the text of your own comment.', body: commentEdit, response })
  async edit(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('commentId') commentId: string,
    @Body() body: unknown,
  ): Promise<RunCommentDto> {
    const { text } = parseInput(commentEdit, body, 'edit a comment');
    return toCommentDto(await this.comments.edit(caller, id, commentId, text));
  }

  @Delete(':commentId')
  @Describe({
    summary:
      'Deletes your own comment, or as an admin any; returns it. One with answers stays, without its text.',
    response,
  })
  async delete(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('commentId') commentId: string,
  ): Promise<RunCommentDto> {
    return toCommentDto(await this.comments.delete(caller, id, commentId));
  }
}
