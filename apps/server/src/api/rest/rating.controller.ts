import { Readable } from 'node:stream';
import { toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../../core/access/caller.js';
import { isoTimesOf } from '../../core/database/columns.js';
import { RatingSet, RatingSource } from '../../core/database/entities/rating.js';
import { type PageAnswer, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { RatingExports } from '../../core/verdicts/rating-exports.service.js';
import {
  exportQuery,
  positionParameter,
  ratingRequest,
  ratingSetRequest,
  ratingSetsQuery,
} from '../../core/verdicts/rating-request.js';
import { RatingResults } from '../../core/verdicts/rating-results.js';
import { RaterProgress, RatingSets } from '../../core/verdicts/rating-sets.service.js';
import { RatedItem, Ratings, RatingTask, RatingTaskItem } from '../../core/verdicts/ratings.service.js';
import { Rubric, rubrics } from '../../core/verdicts/rubrics.js';
import { Access, AlsoTickets, CurrentCaller } from '../access/access.decorator.js';
import { ticketQuery } from './artifact.controller.js';
import { bytes, Describe, Tag } from './open-api/open-api.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';

const setResponse = dtoSchema(RatingSet, {
  also: { sources: z.array(dtoSchema(RatingSource)).nullable(), seed: z.int().nullable() },
});
const itemResponse = dtoSchema(RatingTaskItem);
const progressResponse = z.object({ items: z.array(dtoSchema(RaterProgress)) });

/** Rating sets over REST. */
@Tag('ratings')
@Controller('api/v1/rating-sets')
@Access('operator')
export class RatingController {
  constructor(
    private readonly sets: RatingSets,
    private readonly ratings: Ratings,
    private readonly exports: RatingExports,
  ) {}

  @Get()
  @Access('viewer')
  @Describe({
    summary: 'Rating sets, newest first.',
    query: ratingSetsQuery,
    response: pageSchema(setResponse),
  })
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<unknown>> {
    const { first, after, last, before, ...where } = parseInput(ratingSetsQuery, given, 'list rating sets');
    const page = await this.sets.list(caller, where, { first, after, last, before });
    const revealed = await Promise.all(page.nodes.map((set) => this.exports.isRevealed(caller, set)));
    return toPageAnswer(page, (set) => toSetDto(set, revealed[page.nodes.indexOf(set)] === true));
  }

  @Post()
  @Describe({
    summary: 'Draws a set of trajectories to rate.',
    body: ratingSetRequest,
    responses: { 201: [setResponse, 'The set.'] },
  })
  async create(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<unknown> {
    const request = parseInput(ratingSetRequest, body, 'make a rating set');
    return toSetDto(await this.sets.create(caller, request), false);
  }

  @Get(':id')
  @Access('viewer')
  @Describe({ summary: 'A rating set.', response: setResponse })
  async find(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    return this.toDto(caller, await this.sets.find(caller, id));
  }

  @Delete(':id')
  @Describe({
    summary: 'Deletes a rating set that you made, with its ratings; returns it.',
    response: setResponse,
  })
  async delete(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    return toSetDto(await this.sets.delete(caller, id), false);
  }

  @Get(':id/progress')
  @Access('viewer')
  @Describe({ summary: 'How far the raters of a set are.', response: progressResponse })
  async progress(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    const set = await this.sets.find(caller, id);
    const items = await this.sets.progress(set.id);
    return { items: items.map((one) => ({ ...one, ...isoTimesOf(one, ['startedAt', 'finishedAt']) })) };
  }

  @Get(':id/task')
  @Access('viewer')
  @Describe({
    summary: 'A set as this key goes through it, in its own order.',
    response: dtoSchema(RatingTask),
  })
  async task(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    const task = await this.ratings.task(caller, id);
    return { ...task, finishedAt: toIsoTimeOrNull(task.finishedAt) };
  }

  @Get(':id/items/:position')
  @Access('viewer')
  @Describe({
    summary: 'What is to be rated, without origin, reward and success; sides as this key sees them.',
    response: dtoSchema(RatedItem),
  })
  item(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('position') position: string,
  ): Promise<RatedItem> {
    return this.ratings.item(caller, id, toPosition(position));
  }

  @Put(':id/items/:position/rating')
  @Describe({ summary: 'Rates an item once.', body: ratingRequest, response: itemResponse })
  rate(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('position') position: string,
    @Body() body: unknown,
  ): Promise<RatingTaskItem> {
    const request = parseInput(ratingRequest, body, 'rate an item');
    return this.ratings.rate(caller, id, toPosition(position), request);
  }

  @Delete(':id/items/:position/rating')
  @Describe({ summary: 'Takes back what you said of an item.', response: itemResponse })
  undo(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('position') position: string,
  ): Promise<RatingTaskItem> {
    return this.ratings.undo(caller, id, toPosition(position));
  }

  @Post(':id/finish')
  @HttpCode(200)
  @Describe({
    summary: 'Ends your rating of a set: you see all ratings, and change yours no more.',
    response: setResponse,
  })
  async finish(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    return toSetDto(await this.ratings.finish(caller, id), true);
  }

  @Post(':id/close')
  @HttpCode(200)
  @Describe({ summary: 'Ends the rating of a set that you made, for everyone.', response: setResponse })
  async close(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    return toSetDto(await this.sets.close(caller, id), true);
  }

  @Get(':id/results')
  @Access('viewer')
  @Describe({
    summary: 'What the ratings say, once you have finished or the set is closed.',
    response: dtoSchema(RatingResults),
  })
  async results(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    const results = await this.exports.results(caller, id);
    const items = results.items.map((item) => ({
      ...item,
      ratings: item.ratings.map((rating) => ({ ...rating, ...isoTimesOf(rating, ['time']) })),
    }));
    return { ...results, items };
  }

  @Get(':id/export')
  @Access('viewer')
  @AlsoTickets()
  @Describe({
    summary: 'The ratings of a set as JSON Lines, once you have finished or it is closed.',
    query: exportQuery.extend(ticketQuery.shape),
    responses: { 200: [bytes, 'A line for each row.'] },
  })
  async export(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { format } = parseInput(exportQuery.extend(ticketQuery.shape), query, 'export ratings');
    const lines = await this.exports.export(caller, id, format);
    await reply
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${id}-${format}.jsonl"`)
      .header('x-content-type-options', 'nosniff')
      .send(Readable.from(lines));
  }

  private async toDto(caller: Caller, set: RatingSet): Promise<unknown> {
    return toSetDto(set, await this.exports.isRevealed(caller, set));
  }
}

/** Rubrics over REST. */
@Tag('ratings')
@Controller('api/v1/rubrics')
@Access('viewer')
export class RubricController {
  @Get()
  @Describe({
    summary: 'The rubrics that come with the server.',
    response: z.object({ items: z.array(dtoSchema(Rubric)) }),
  })
  list(): { items: readonly Rubric[] } {
    return { items: rubrics };
  }
}

const toPosition = (position: string): number =>
  parseInput(positionParameter, { position }, 'read an item of a rating set').position;

/** A set as plain data; its origin only where the caller may see it. */
function toSetDto(set: RatingSet, isRevealed: boolean) {
  return {
    ...set,
    sources: isRevealed ? set.sources : null,
    seed: isRevealed ? set.seed : null,
    ...isoTimesOf(set, ['createdAt', 'closedAt']),
  };
}
