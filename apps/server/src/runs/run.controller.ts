import { AppError } from '@espalier/contracts';
import { jobStates, type JobState } from '@espalier/protocol';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiTags } from '../http/open-api-notes.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../access/caller.js';
import { jobAnswer, tellJob, type ToldJob } from '../jobs/told-job.js';
import { openApiBody } from '../observability/open-api-body.js';
import type { RunComparison } from './comparison.type.js';
import { RunComparisons } from './run-comparison.service.js';
import { RunCreator } from './run-creator.service.js';
import { RunCuration } from './run-curation.service.js';
import { RunLineage } from './run-lineage.service.js';
import type { RunPlan } from './run-plan.type.js';
import { type RunConditions, RunQueries } from './run-queries.service.js';
import * as requests from './run-request.js';
import { isRefusal } from './run-results.js';
import { RunSteering } from './run-steering.service.js';
import { tellListedRun, tellRun, type ToldListedRun, type ToldRun } from './told-run.js';
import { openApiAnswer } from '../http/open-api-answer.js';
import { parsePageSize } from '../graphql/page.js';
import { either } from '../http/answer-schema.js';
import * as answers from './run-answers.js';

const { parseRequest } = requests;

/** Everything about runs over REST; the same services as GraphQL, refusals as errors with a status. */
@ApiTags('runs')
@Controller('api/v1/runs')
export class RunController {
  constructor(
    private readonly queries: RunQueries,
    private readonly creator: RunCreator,
    private readonly steering: RunSteering,
    private readonly lineage: RunLineage,
    private readonly curation: RunCuration,
    private readonly comparisons: RunComparisons,
  ) {}

  @Get()
  @Access('viewer')
  @ApiOperation({
    summary: 'Runs, newest first; without spec and source, which each has by itself.',
  })
  @ApiQuery({ name: 'project', required: false, type: String, description: 'only of this project' })
  @ApiQuery({
    name: 'state',
    required: false,
    enum: Object.keys(jobStates),
    isArray: true,
    description: 'any of these',
  })
  @ApiQuery({ name: 'tag', required: false, type: String, description: 'has this tag' })
  @ApiQuery({
    name: 'text',
    required: false,
    type: String,
    description: 'words in name, tags, note and spec',
  })
  @ApiQuery({ name: 'parent', required: false, type: String, description: 'forked from this run' })
  @ApiQuery({
    name: 'from',
    required: false,
    type: String,
    description: 'created then or later; 2026-11-21T13:46:35Z',
  })
  @ApiQuery({
    name: 'before',
    required: false,
    type: String,
    description: 'created earlier; 2026-11-21T13:46:35Z',
  })
  @ApiQuery({
    name: 'first',
    required: false,
    type: Number,
    description: 'how many at most, 1 to 500; default 50',
  })
  @ApiQuery({ name: 'after', required: false, type: String, description: '`next` of the page before' })
  @openApiAnswer(answers.runList)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: Record<string, string | string[] | undefined>,
  ): Promise<{ items: ToldListedRun[]; next: string | null }> {
    const { items, pageInfo } = await this.queries.list(
      caller,
      conditionsOf(query),
      parsePageSize(textOf(query['first'])),
      textOf(query['after']),
    );
    return { items: items.map(tellListedRun), next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
  }

  @Get('compare')
  @Access('viewer')
  @ApiOperation({
    summary: 'Runs side by side: options that differ, and metrics per run and over seeds.',
  })
  @ApiQuery({ name: 'id', required: true, type: String, isArray: true, description: 'the runs' })
  @ApiQuery({ name: 'metric', required: false, type: String, isArray: true, description: 'default: all' })
  @ApiQuery({
    name: 'last',
    required: false,
    type: Number,
    description: 'values that tailMean is over; default 10',
  })
  @openApiAnswer(answers.runComparison)
  async compare(
    @CurrentCaller() caller: Caller,
    @Query() { id, metric, last }: Record<string, string | string[] | undefined>,
  ): Promise<Omit<RunComparison, 'runs'> & { runs: ToldRun[] }> {
    const names = metric === undefined ? undefined : [metric].flat();
    const compared = await this.comparisons.compare(
      caller,
      [id ?? []].flat(),
      names,
      Number(textOf(last) ?? 10),
      {},
    );
    return { ...compared, runs: compared.runs.map(tellRun) };
  }

  @Get(':id')
  @Access('viewer')
  @ApiOperation({ summary: 'One run.' })
  @openApiAnswer(answers.run)
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ToldRun> {
    return tellRun(await this.queries.find(caller, id));
  }

  @Post()
  @Access('operator')
  @ApiOperation({ summary: 'Makes a run from a spec and queues it; with dryRun only says what it would be.' })
  @openApiBody(requests.runRequest)
  @openApiAnswer(either(answers.run, answers.runPlan), 201, 'The run; with dryRun its plan.')
  async create(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<ToldRun | RunPlan> {
    const request = parseRequest(requests.runRequest, body, 'create a run');
    if (request.dryRun) return accept(await this.creator.plan(caller, request, false));
    return tellRun(accept(await this.creator.create(caller, request)));
  }

  @Post('plan')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Says what a spec comes to and what it will cost; makes nothing.' })
  @openApiBody(requests.runRequest)
  @openApiAnswer(answers.runPlan)
  async plan(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<RunPlan> {
    return accept(
      await this.creator.plan(caller, parseRequest(requests.runRequest, body, 'plan a run'), true),
    );
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Lets a run save and stop; it can be resumed.' })
  @openApiAnswer(answers.run)
  async pause(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ToldRun> {
    return tellRun(accept(await this.steering.pause(caller, id)));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({
    summary: 'Lets a run that is at rest wait for a place again; refused when its plugins have changed.',
  })
  @openApiBody(requests.resumeRequest, false)
  @openApiAnswer(answers.run)
  async resume(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ToldRun> {
    const { acceptPlugins } = parseRequest(requests.resumeRequest, body, 'resume a run');
    return tellRun(accept(await this.steering.resume(caller, id, acceptPlugins)));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Ends a run and its evaluations; it saves first unless `now` is set.' })
  @openApiBody(requests.cancelRequest)
  @openApiAnswer(answers.run)
  async cancel(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ToldRun> {
    const { now } = parseRequest(requests.cancelRequest, body, 'cancel a run');
    return tellRun(accept(await this.steering.cancel(caller, id, now)));
  }

  @Patch(':id')
  @Access('operator')
  @ApiOperation({ summary: 'Changes priority, tags or note.' })
  @openApiBody(requests.changeRequest)
  @openApiAnswer(answers.run)
  async change(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ToldRun> {
    const { priority, tags, note } = parseRequest(requests.changeRequest, body, 'change a run');
    if (priority !== undefined) accept(await this.steering.setPriority(caller, id, priority));
    if (tags !== undefined) await this.curation.tag(caller, id, tags);
    if (note !== undefined) await this.curation.note(caller, id, note);
    return this.read(caller, id);
  }

  @Post(':id/fork')
  @Access('operator')
  @ApiOperation({
    summary:
      'Makes a run that begins with the weights of a checkpoint, with changed settings; with dryRun only says what it would be.',
  })
  @openApiBody(requests.forkRequest)
  @openApiAnswer(either(answers.run, answers.runPlan), 201, 'The new run; with dryRun its plan.')
  async fork(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ToldRun | RunPlan> {
    const request = parseRequest(requests.forkRequest, body, 'fork a run');
    if (request.dryRun) return accept(await this.lineage.planFork(caller, id, request));
    return tellRun(accept(await this.lineage.fork(caller, id, request)));
  }

  @Post(':id/evaluate')
  @Access('operator')
  @ApiOperation({ summary: 'Queues an evaluation of a checkpoint on fixed states.' })
  @openApiBody(requests.evaluateRequest)
  @openApiAnswer(jobAnswer, 201, 'The job that evaluates it.')
  async evaluate(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ToldJob> {
    const request = parseRequest(requests.evaluateRequest, body, 'evaluate a run');
    return tellJob(accept(await this.lineage.evaluate(caller, id, request)));
  }

  @Delete(':id')
  @Access('operator')
  @ApiOperation({ summary: 'Deletes a run at rest with its history, trajectories and artifacts.' })
  @openApiAnswer(answers.run, 200, 'What it was.')
  async delete(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ToldRun> {
    return tellRun(accept(await this.curation.delete(caller, id)));
  }
}

/** Over REST a refusal is an error. */
function accept<T extends object>(result: T): Exclude<T, { code: string }> {
  if (!isRefusal(result)) return result as Exclude<T, { code: string }>;
  const { code, message, ...details } = result;
  throw new AppError(code as 'run.not_possible', message, { details });
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function momentOf(value: string | string[] | undefined, name: string): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const moment = Date.parse(text);
  if (!Number.isNaN(moment)) return moment;
  throw new AppError(
    'run.invalid_request',
    `list runs: ${name} is ${JSON.stringify(text.slice(0, 100))}; write a moment as 2026-11-21T13:46:35Z`,
  );
}

function conditionsOf(query: Record<string, string | string[] | undefined>): RunConditions {
  const states = [query['state'] ?? []].flat();
  const unknown = states.find((state) => !Object.hasOwn(jobStates, state));
  if (unknown !== undefined)
    throw new AppError(
      'run.invalid_request',
      `list runs: there is no state ${JSON.stringify(unknown.slice(0, 100))}; states: ${Object.keys(jobStates).join(', ')}`,
    );
  const given = {
    ...{ project: textOf(query['project']), tag: textOf(query['tag']), text: textOf(query['text']) },
    ...{
      parentRunId: textOf(query['parent']),
      states: states.length === 0 ? undefined : (states as JobState[]),
    },
    ...{ createdFrom: momentOf(query['from'], 'from'), createdBefore: momentOf(query['before'], 'before') },
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
