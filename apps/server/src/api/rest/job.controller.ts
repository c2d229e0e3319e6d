import { toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from './open-api-decorators.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import type { Attempt } from '../../core/database/entities/attempt.js';
import { ExplainService } from '../../core/scheduling/explain.service.js';
import { jobsQuery } from '../../core/scheduling/job-request.js';
import { JobQueries, Queue } from '../../core/scheduling/job-queries.service.js';
import {
  type JobDto,
  type ListedJobDto,
  toAttemptDto,
  toJobDto,
  toListedJobDto,
} from '../../core/scheduling/job-dto.js';
import { listedJobResponse, jobDetailResponse } from './job-responses.js';
import { openApiResponse } from './open-api-response.js';
import { parseInput } from '../../core/input/parse-input.js';
import { openApiQuery } from './open-api-decorators.js';
import { dtoShape, pageShape } from './response-schema.js';

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
    private readonly explanations: ExplainService,
  ) {}

  @Get()
  @Access('viewer')
  @ApiOperation({
    summary: 'Jobs, newest first unless ordered otherwise; without results, which each has by itself.',
  })
  @openApiQuery(jobsQuery)
  @openApiResponse(pageShape(listedJobResponse))
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<ListedJobDto>> {
    const { state, runId, project, orderBy, direction, ...page } = parseInput(jobsQuery, given, 'list jobs');
    const where = { runId, project, ...(state === undefined ? {} : { states: [state] }) };
    const found = await this.queries.list(caller, where, page, toOrder(orderBy, direction));
    return toPageAnswer(found, toListedJobDto);
  }

  @Get('queue')
  @Access('viewer')
  @ApiOperation({ summary: 'How many jobs wait, and how many have devices.' })
  @openApiResponse(dtoShape(Queue))
  async queue(@CurrentCaller() caller: Caller): Promise<object> {
    const queue = await this.queries.queue(caller);
    return { ...queue, oldestQueuedAt: toIsoTimeOrNull(queue.oldestQueuedAt) };
  }

  @Get(':id')
  @Access('viewer')
  @ApiOperation({ summary: 'One job with its attempts, and why it waits.' })
  @openApiResponse(jobDetailResponse)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WholeJob> {
    const job = await this.queries.find(caller, id);
    const attempts: Attempt[] = await this.queries.attemptsOf(job.id);
    const whyWaiting = job.state === 'queued' ? await this.explanations.explain(job.id) : null;
    return { ...toJobDto(job), whyWaiting, attempts: attempts.map(toAttemptDto) };
  }
}
