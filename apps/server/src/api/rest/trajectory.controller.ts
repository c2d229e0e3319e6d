import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Access, ChangesNothing, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { checkRunAccess, findRunOrFail } from '../../core/history/records/find-run.js';
import { ClientSignal } from '../http/client-signal.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import {
  cutTokenPage,
  TrajectoryTokens,
  tokenPageRequest,
} from '../../core/history/trajectories/token-columns.js';
import { TrajectoryInFlight } from '../../core/database/in-flight.js';
import { TrajectoriesInFlight } from '../../core/history/trajectories/trajectories-in-flight.js';
import { PlayedState } from '../../core/plugins/catalogue-messages.js';
import {
  playTrajectoryRequest,
  TrajectoryPlay,
} from '../../core/history/trajectories/trajectory-play.service.js';
import { TrajectoryQueries } from '../../core/history/trajectories/trajectory-queries.service.js';
import {
  type SearchQuery,
  searchQuery,
  trajectoriesQuery,
  trajectoryFilter,
} from '../../core/history/trajectories/trajectory-request.js';
import { TrajectoryEntity } from '../../core/database/entities/trajectory.js';
import { TrajectoryCounts, TrajectoryDetail } from '../../core/history/trajectories/trajectory.types.js';
import {
  sampleQuery,
  TrajectorySample,
  TrajectorySampler,
} from '../../core/verdicts/trajectory-sampler.service.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

/** A row without its full-text index. */
type TrajectoryDto = Omit<TrajectoryEntity, 'searchKey' | 'text'>;
export const rowResponse = dtoSchema(TrajectoryEntity, { without: ['text'] });

/** Trajectories over REST. */
@Tag('trajectories')
@Controller('api/v1')
@Access('viewer')
export class TrajectoryController {
  constructor(
    private readonly source: DataSource,
    private readonly queries: TrajectoryQueries,
    private readonly inFlight: TrajectoriesInFlight,
    private readonly plays: TrajectoryPlay,
    private readonly sampler: TrajectorySampler,
  ) {}

  @Get('runs/:id/trajectories')
  @Describe({
    summary: 'Trajectories of a run.',
    query: trajectoriesQuery,
    response: pageSchema(rowResponse),
  })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<PageAnswer<TrajectoryDto>> {
    const query = parseInput(trajectoriesQuery, given, 'find trajectories');
    return this.page(caller, { ...query, runId: [runId] });
  }

  @Get('trajectories')
  @Describe({
    summary: 'Trajectories of several runs, or of all you may see.',
    query: searchQuery,
    response: pageSchema(rowResponse),
  })
  async search(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<TrajectoryDto>> {
    return this.page(caller, parseInput(searchQuery, given, 'find trajectories'));
  }

  private async page(
    caller: Caller,
    { orderBy, direction, first, after, last, before, runId: runIds, ...filter }: SearchQuery,
  ): Promise<PageAnswer<TrajectoryDto>> {
    const part = { first, after, last, before };
    const order = toOrder(orderBy, direction);
    return toPageAnswer(await this.queries.search(caller, { ...filter, runIds }, part, order), toRowDto);
  }

  @Get('runs/:id/trajectories-in-flight')
  @Describe({
    summary: 'Episodes of a run that are played now, up to 1,024 of its step, as far as its trainer tells.',
    response: z.object({ items: z.array(dtoSchema(TrajectoryInFlight)) }),
  })
  async played(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
  ): Promise<{ items: TrajectoryInFlight[] }> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    return { items: this.inFlight.list(runId) };
  }

  @Get('runs/:id/trajectory-sample')
  @Describe({
    summary:
      'Trajectories drawn from a range of steps, by outcome and group; the same seed draws the same ones.',
    query: sampleQuery,
    response: dtoSchema(TrajectorySample, { also: { trajectories: z.array(rowResponse) } }),
  })
  async sample(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<unknown> {
    const query = parseInput(sampleQuery, given, 'sample trajectories');
    const { trajectories, ...sample } = await this.sampler.sample(caller, runId, query);
    return { ...sample, trajectories: trajectories.map(toRowDto) };
  }

  @Get('runs/:id/trajectory-counts')
  @Describe({
    summary: 'How many trajectories match per step.',
    query: trajectoryFilter,
    response: dtoSchema(TrajectoryCounts),
  })
  async counts(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<TrajectoryCounts> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    return this.queries.counts(runId, parseInput(trajectoryFilter, given, 'count trajectories'));
  }

  @Get('runs/:id/trajectories/*')
  @Describe({
    summary: 'One trajectory, by split/step/group/index, with all its tokens.',
    response: dtoSchema(TrajectoryDetail),
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Param('*') id: string,
    @ClientSignal() signal: AbortSignal | undefined,
  ): Promise<Omit<TrajectoryDetail, 'row'> & { row: TrajectoryDto }> {
    await findRunOrFail(this.source.manager, caller, runId);
    const row = await this.queries.find(runId, id);
    const { stored: _, ...detail } = await this.queries.read(row, caller.keyId, signal);
    return { ...detail, row: toRowDto(detail.row) };
  }

  @Get('runs/:id/trajectory-atif/*')
  @Describe({
    summary: 'One trajectory, by split/step/group/index, in ATIF, the format of Harbor.',
    response: z.record(z.string(), z.unknown()),
  })
  async atif(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Param('*') id: string,
    @ClientSignal() signal: AbortSignal | undefined,
  ): Promise<object> {
    await findRunOrFail(this.source.manager, caller, runId);
    const row = await this.queries.find(runId, id);
    return this.queries.toAtif(await this.queries.read(row, caller.keyId, signal));
  }

  @Post('runs/:id/play')
  @ChangesNothing()
  @HttpCode(200)
  @Access('operator')
  @Describe({
    summary: 'The state of a trajectory before a turn, after actions that are taken there by hand.',
    body: playTrajectoryRequest,
    response: dtoSchema(PlayedState),
  })
  async play(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Body() body: unknown,
    @ClientSignal() signal: AbortSignal | undefined,
  ): Promise<PlayedState> {
    const run = await findRunOrFail(this.source.manager, caller, runId);
    const { trajectory, turn, actions } = parseInput(playTrajectoryRequest, body, 'play a trajectory on');
    return this.plays.play(run, trajectory, { turn, actions, keyId: caller.keyId }, signal);
  }

  @Get('runs/:id/trajectory-tokens/*')
  @Describe({
    summary: 'A page of the tokens of a trajectory, by split/step/group/index, in columns.',
    query: tokenPageRequest,
    response: dtoSchema(TrajectoryTokens),
  })
  async tokens(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Param('*') id: string,
    @Query() given: unknown,
    @ClientSignal() signal: AbortSignal | undefined,
  ): Promise<TrajectoryTokens> {
    const { from, count } = parseInput(tokenPageRequest, given, 'read tokens');
    await findRunOrFail(this.source.manager, caller, runId);
    const row = await this.queries.find(runId, id);
    const { stored } = await this.queries.read(row, caller.keyId, signal);
    return cutTokenPage(stored, from, count);
  }
}

export function toRowDto({ searchKey: _number, text: _text, ...row }: TrajectoryEntity): TrajectoryDto {
  return row;
}
