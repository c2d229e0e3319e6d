import { AppError } from '@espalier/contracts';
import { type JobState, jobStates } from '@espalier/protocol';
import { Body, Controller, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '../http/open-api-notes.js';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../access/caller.js';
import type { Page } from '../graphql/page.js';
import type { Attempt } from './attempt.entity.js';
import { ExplainService } from './explain.service.js';
import { JobQueries } from './job-queries.service.js';
import { JobSteering } from './job-steering.service.js';
import {
  jobAnswer,
  listedJobAnswer,
  tellAttempt,
  tellJob,
  tellListedJob,
  type ToldJob,
  type ToldListedJob,
  wholeJobAnswer,
} from './told-job.js';
import { openApiAnswer } from '../http/open-api-answer.js';
import { wholeNumber } from '../http/parse-query.js';
import { sayIssue } from '../http/say-issue.js';
import { pageShape } from '../http/answer-schema.js';

const states = Object.keys(jobStates) as [JobState, ...JobState[]];
const cancelBody = z.strictObject({ now: z.boolean().default(false) }).prefault({});
const resumeBody = z.strictObject({ acceptPlugins: z.boolean().default(false) }).prefault({});
const priorityBody = z.strictObject({ priority: z.int() });

/** One job with all there is to say of it. */
interface WholeJob extends ToldJob {
  readonly whyWaiting: string | null;
  readonly attempts: ReturnType<typeof tellAttempt>[];
}

@ApiTags('jobs')
@Controller('api/v1/jobs')
export class JobController {
  constructor(
    private readonly queries: JobQueries,
    private readonly steering: JobSteering,
    private readonly explanations: ExplainService,
  ) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ summary: 'Jobs by pages, newest first; without results, which each has by itself.' })
  @ApiQuery({ name: 'first', required: false, description: 'how many at most, 1 to 500; default 50' })
  @ApiQuery({ name: 'after', required: false, description: '`pageInfo.endCursor` of the page before' })
  @ApiQuery({ name: 'state', required: false, enum: states, description: 'only those in this state' })
  @ApiQuery({ name: 'runId', required: false, description: 'only those of this run' })
  @ApiQuery({ name: 'project', required: false, description: 'only those of this project' })
  @openApiAnswer(pageShape(listedJobAnswer))
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: Readonly<Record<string, unknown>>,
  ): Promise<Page<ToldListedJob>> {
    const { first, after, state, runId, project } = parse(listQuery, query, 'the query');
    const where = {
      runId: runId ?? null,
      project: project ?? null,
      states: state === undefined ? null : [state],
    };
    const { items, pageInfo } = await this.queries.list(caller, where, first, after);
    return { items: items.map(tellListedJob), pageInfo };
  }

  @Get(':id')
  @Access('viewer')
  @ApiOperation({ summary: 'One job with its attempts, and why it waits.' })
  @openApiAnswer(wholeJobAnswer)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WholeJob> {
    const job = await this.queries.find(caller, id);
    const attempts: Attempt[] = await this.queries.attemptsOf(job.id);
    const whyWaiting = job.state === 'queued' ? await this.explanations.explain(job.id) : null;
    return { ...tellJob(job), whyWaiting, attempts: attempts.map(tellAttempt) };
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Asks a job to save and stop.' })
  @openApiAnswer(jobAnswer)
  async pause(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ToldJob> {
    return tellJob(await this.steering.pause(caller, id));
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
  ): Promise<ToldJob> {
    const { acceptPlugins } = parse(resumeBody, body ?? {}, 'the body');
    return tellJob(await this.steering.resume(caller, id, acceptPlugins));
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
  ): Promise<ToldJob> {
    const { now } = parse(cancelBody, body ?? {}, 'the body');
    return tellJob(await this.steering.cancel(caller, id, now));
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
  ): Promise<ToldJob> {
    const { priority } = parse(priorityBody, body, 'the body');
    return tellJob(await this.steering.setPriority(caller, id, priority));
  }
}

const word = z.string().min(1).max(300).optional();
const listQuery = z.strictObject({
  first: wholeNumber.default(50),
  ...{ after: word, runId: word, project: word, state: z.enum(states).optional() },
});

function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const finding = issue === undefined ? 'not of its form' : sayIssue(issue, value, what, schema);
  throw new AppError(
    'job.invalid_request',
    `read ${what} of a request about jobs: ${finding}; /docs lists what it may hold`,
  );
}
