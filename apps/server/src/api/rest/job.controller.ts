import { toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import type { Attempt } from '../../core/database/entities/attempt.js';
import { ExplainService } from '../../core/scheduling/explain.service.js';
import {
  type JobDto,
  JobQueries,
  jobsQuery,
  type ListedJobDto,
  Queue,
  toAttemptDto,
  toJobDto,
  toListedJobDto,
} from '../../core/scheduling/job-queries.service.js';
import { listedJobResponse, jobDetailResponse } from './open-api/responses.js';
import { parseInput } from '../../core/input/parse-input.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

/** A job with its attempts, and why it waits. */
interface JobDetail extends JobDto {
  readonly whyWaiting: string | null;
  readonly attempts: ReturnType<typeof toAttemptDto>[];
}

@Tag('jobs')
@Controller('api/v1/jobs')
@Access('viewer')
export class JobController {
  constructor(
    private readonly queries: JobQueries,
    private readonly explanations: ExplainService,
  ) {}

  @Get()
  @Describe({
    summary: 'Jobs, newest first unless ordered otherwise; without results, which each has by itself.',
    query: jobsQuery,
    response: pageSchema(listedJobResponse),
  })
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<ListedJobDto>> {
    const { state, runId, project, orderBy, direction, ...page } = parseInput(jobsQuery, given, 'list jobs');
    const where = { runId, project, ...(state === undefined ? {} : { states: [state] }) };
    const found = await this.queries.list(caller, where, page, toOrder(orderBy, direction));
    return toPageAnswer(found, toListedJobDto);
  }

  @Get('queue')
  @Describe({ summary: 'How many jobs wait, and how many have devices.', response: dtoSchema(Queue) })
  async queue(@CurrentCaller() caller: Caller): Promise<object> {
    const queue = await this.queries.queue(caller);
    return { ...queue, oldestQueuedAt: toIsoTimeOrNull(queue.oldestQueuedAt) };
  }

  @Get(':id')
  @Describe({ summary: 'One job with its attempts, and why it waits.', response: jobDetailResponse })
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<JobDetail> {
    const job = await this.queries.find(caller, id);
    const attempts: Attempt[] = await this.queries.attemptsOf(job.id);
    const whyWaiting = job.state === 'queued' ? await this.explanations.explain(job.id) : null;
    return { ...toJobDto(job), whyWaiting, attempts: attempts.map(toAttemptDto) };
  }
}
