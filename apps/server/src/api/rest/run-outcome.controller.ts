import { toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, pageQuery, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Checkpoint, RunCheckpoints } from '../../core/runs/run-checkpoints.service.js';
import { Evaluation, RunEvaluations } from '../../core/runs/run-evaluations.service.js';
import { RunTwins, TwinAgreement } from '../../core/runs/run-twins.service.js';
import { RunQueries } from '../../core/runs/run-queries.service.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

const twinResponse = z.object({ twin: dtoSchema(TwinAgreement).nullable().describe('null: it is no twin') });

/** Checkpoints, evaluations and the twin of a run. */
@Tag('runs')
@Controller('api/v1/runs/:id')
@Access('viewer')
export class RunOutcomeController {
  constructor(
    private readonly queries: RunQueries,
    private readonly stored: RunCheckpoints,
    private readonly measured: RunEvaluations,
    private readonly twins: RunTwins,
  ) {}

  @Get('checkpoints')
  @Describe({
    summary: 'Checkpoints of a run, by step: size, time, and whether it can be forked there.',
    query: pageQuery,
    response: pageSchema(dtoSchema(Checkpoint)),
  })
  async checkpoints(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() given: unknown,
  ): Promise<PageAnswer<object>> {
    const page = parseInput(pageQuery, given, 'list checkpoints');
    return toPageAnswer(await this.stored.page(await this.queries.find(caller, id), page), toDto);
  }

  @Get('twin')
  @Describe({
    summary:
      'Whether an unchanged fork that continues repeats its parent, bit for bit; null: it is no such fork.',
    response: twinResponse,
  })
  async twin(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
  ): Promise<{ twin: TwinAgreement | null }> {
    return { twin: await this.twins.of(await this.queries.find(caller, id)) };
  }

  @Get('evaluations')
  @Describe({
    summary: 'Evaluations of the checkpoints of a run, oldest first, with their results.',
    query: pageQuery,
    response: pageSchema(dtoSchema(Evaluation)),
  })
  async evaluations(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() given: unknown,
  ): Promise<PageAnswer<object>> {
    const page = parseInput(pageQuery, given, 'list evaluations');
    const run = await this.queries.find(caller, id);
    return toPageAnswer(await this.measured.page(run.id, page), toDto);
  }
}

const toDto = (item: Checkpoint | Evaluation): object => ({
  ...item,
  createdAt: toIsoTime(item.createdAt),
  ...('endedAt' in item ? { endedAt: toIsoTimeOrNull(item.endedAt) } : {}),
});
