import { Body, Controller, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from './open-api-notes.js';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import type { Attempt } from '../../core/database/entities/attempt.js';
import { ExplainService } from '../../core/scheduling/explain.service.js';
import { jobsQuery } from '../../core/scheduling/job-request.js';
import { JobQueries } from '../../core/scheduling/job-queries.service.js';
import { JobLifecycle } from '../../core/scheduling/job-lifecycle.service.js';
import {
  toAttemptDto,
  toJobDto,
  toListedJobDto,
  type JobDto,
  type ListedJobDto,
} from '../../core/scheduling/job-dto.js';
import { jobAnswer, listedJobAnswer, wholeJobAnswer } from './job-answers.js';
import { openApiAnswer } from './open-api-answer.js';
import { parseInput } from '../../core/input/parse-input.js';
import { openApiQuery } from './open-api-notes.js';
import { pageShape } from './answer-schema.js';

const ofJobs = { code: 'job.invalid_request', whole: 'the request' } as const;
const cancelBody = z.strictObject({ now: z.boolean().default(false) });
const resumeBody = z.strictObject({ acceptPlugins: z.boolean().default(false) });
const priorityBody = z.strictObject({ priority: z.int() });

/** One job with all there is to say of it. */
interface WholeJob extends JobDto {
  readonly whyWaiting: string | null;
  readonly attempts: ReturnType<typeof toAttemptDto>[];
}

@ApiTags('jobs')
@Controller('api/v1/jobs')
export class JobController {
  constructor(
    private readonly queries: JobQueries,
    private readonly steering: JobLifecycle,
    private readonly explanations: ExplainService,
  ) {}

  @Get()
  @Access('viewer')
  @ApiOperation({
    summary: 'Jobs, newest first unless ordered otherwise; without results, which each has by itself.',
  })
  @openApiQuery(jobsQuery)
  @openApiAnswer(pageShape(listedJobAnswer))
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<ListedJobDto>> {
    const { state, runId, project, orderBy, direction, ...page } = parseInput(jobsQuery, given, 'list jobs');
    const where = { runId, project, ...(state === undefined ? {} : { states: [state] }) };
    const found = await this.queries.list(caller, where, page, toOrder(orderBy, direction));
    return toPageAnswer(found, toListedJobDto);
  }

  @Get(':id')
  @Access('viewer')
  @ApiOperation({ summary: 'One job with its attempts, and why it waits.' })
  @openApiAnswer(wholeJobAnswer)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WholeJob> {
    const job = await this.queries.find(caller, id);
    const attempts: Attempt[] = await this.queries.attemptsOf(job.id);
    const whyWaiting = job.state === 'queued' ? await this.explanations.explain(job.id) : null;
    return { ...toJobDto(job), whyWaiting, attempts: attempts.map(toAttemptDto) };
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Asks a job to save and stop.' })
  @openApiAnswer(jobAnswer)
  async pause(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<JobDto> {
    return toJobDto(await this.steering.pause(caller, id));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({
    summary:
      'Lets a job that rests wait for a place again; refused when the plugins of its run have changed.',
  })
  @ApiBody({
    required: false,
    schema: { type: 'object', properties: { acceptPlugins: { type: 'boolean' } } },
  })
  @openApiAnswer(jobAnswer)
  async resume(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<JobDto> {
    const { acceptPlugins } = parseInput(resumeBody, body, 'resume a job', ofJobs);
    return toJobDto(await this.steering.resume(caller, id, acceptPlugins));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Ends a job for good: after a save, or at once.' })
  @ApiBody({ required: false, schema: { type: 'object', properties: { now: { type: 'boolean' } } } })
  @openApiAnswer(jobAnswer)
  async cancel(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<JobDto> {
    const { now } = parseInput(cancelBody, body, 'cancel a job', ofJobs);
    return toJobDto(await this.steering.cancel(caller, id, now));
  }

  @Put(':id/priority')
  @Access('operator')
  @ApiOperation({ summary: 'Moves a job forward or back among those that wait.' })
  @ApiBody({
    schema: { type: 'object', properties: { priority: { type: 'integer' } }, required: ['priority'] },
  })
  @openApiAnswer(jobAnswer)
  async setPriority(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<JobDto> {
    const { priority } = parseInput(priorityBody, body, 'set the priority of a job', ofJobs);
    return toJobDto(await this.steering.setPriority(caller, id, priority));
  }
}
