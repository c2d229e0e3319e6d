import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { OperationBudget } from '../graphql/limits/operation-budget.js';
import { Access, CurrentCaller, ChangesNothing } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { toJobDto, type JobDto } from '../../core/scheduling/job-queries.service.js';
import { jobResponse } from './open-api/responses.js';
import { idempotencyHeader, withIdempotencyKey } from './request-body.js';
import type { GroupTests, RunComparison } from '../../core/runs/compare/comparison.js';
import { RunBulk } from '../../core/runs/run-bulk.service.js';
import { RunGroupTests } from '../../core/runs/compare/group-tests.service.js';
import { RunComparisons } from '../../core/runs/compare/run-comparison.service.js';
import { RunCreator } from '../../core/runs/create/run-creator.service.js';
import { RunAnnotations } from '../../core/runs/run-annotations.service.js';
import { RunDeletion } from '../../core/runs/run-deletion.service.js';
import { RunEvaluations } from '../../core/runs/run-evaluations.service.js';
import { RunForks } from '../../core/runs/run-forks.service.js';
import type { RunPlan } from '../../core/runs/create/run-plan.js';
import {
  type ListedRunDto,
  type RunDto,
  RunQueries,
  toListedRunDto,
  toRunDto,
} from '../../core/runs/run-queries.service.js';
import * as requests from '../../core/runs/run-request.js';
import { RunLifecycle } from '../../core/runs/run-lifecycle.service.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import * as answers from './open-api/responses.js';
import { Describe, Tag } from './open-api/open-api.js';

const {} = requests;

/** Runs over REST; refusals are errors with a status. */
@Tag('runs')
@Controller('api/v1/runs')
@Access('operator')
export class RunController {
  constructor(
    private readonly queries: RunQueries,
    private readonly creator: RunCreator,
    private readonly lifecycle: RunLifecycle,
    private readonly forks: RunForks,
    private readonly evaluations: RunEvaluations,
    private readonly annotations: RunAnnotations,
    private readonly deletion: RunDeletion,
    private readonly comparisons: RunComparisons,
    private readonly groupTests: RunGroupTests,
    private readonly bulk: RunBulk,
    private readonly budget: OperationBudget,
  ) {}

  @Get()
  @Access('viewer')
  @Describe({
    summary:
      'Runs, newest first unless ordered otherwise; without `spec` and `source`, which a single run has.',
    query: requests.runsQuery,
    response: answers.runList,
  })
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<ListedRunDto>> {
    const { first, after, last, before, orderBy, direction, id, state, ...rest } = parseInput(
      requests.runsQuery,
      given,
      'list runs',
    );
    const where = { ...rest, ids: id, states: state };
    const order = toOrder(orderBy, direction);
    const page = await this.queries.list(caller, where, { first, after, last, before }, order);
    return toPageAnswer(page, toListedRunDto);
  }

  @Get('compare')
  @Access('viewer')
  @Describe({
    summary:
      'Runs side by side: options that differ, and metrics per run and over groups, with curves on request.',
    query: requests.comparison,
    response: answers.runComparison,
  })
  async compare(
    @CurrentCaller() caller: Caller,
    @Query() given: unknown,
  ): Promise<Omit<RunComparison, 'runs'> & { runs: RunDto[] }> {
    const request = parseInput(requests.comparison, given, 'compare runs');
    const compared = await this.comparisons.compare(caller, request, this.budget.perOperation());
    return { ...compared, runs: compared.runs.map(toRunDto) };
  }

  @Get('compare/test')
  @Access('viewer')
  @Describe({
    summary:
      'Whether two groups of runs differ in success, from the newest validation of a trained step that all of them have.',
    query: requests.groupTestRequest,
    response: answers.groupTests,
  })
  async test(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<GroupTests> {
    const { id, against } = parseInput(requests.groupTestRequest, given, 'test groups of runs');
    return this.groupTests.test(caller, id, against);
  }

  @Get(':id')
  @Access('viewer')
  @Describe({ summary: 'One run.', response: answers.run })
  async read(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RunDto> {
    return toRunDto(await this.queries.find(caller, id));
  }

  @Post()
  @Describe({
    summary: 'Creates a run from a spec and queues it.',
    headers: idempotencyHeader,
    body: requests.runRequest,
    responses: { 201: [answers.run, 'The run.'] },
  })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Headers() headers: Record<string, string | undefined>,
  ): Promise<RunDto> {
    const given = withIdempotencyKey(body, headers);
    const request = parseInput(requests.runRequest, given, 'create a run');
    return toRunDto(await this.creator.create(caller, request));
  }

  @Post('bulk')
  @HttpCode(200)
  @Describe({
    summary: 'Pauses, resumes, cancels, deletes or tags several runs; each is done or refused by itself.',
    body: requests.bulkRequest,
    response: answers.bulkRuns,
  })
  async act(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<{ items: object[] }> {
    const request = parseInput(requests.bulkRequest, body, 'act on several runs');
    const outcomes = await this.bulk.act(caller, request);
    return { items: outcomes.map(answers.toBulkResponse) };
  }

  @Post('plan')
  @ChangesNothing()
  @HttpCode(200)
  @Describe({
    summary: 'Resolves a spec and estimates its cost without creating a run.',
    body: requests.planRequest,
    response: answers.runPlan,
  })
  async plan(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<RunPlan> {
    const { estimate, ...request } = parseInput(requests.planRequest, body, 'plan a run');
    return this.creator.plan(caller, request, estimate);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Describe({ summary: 'Lets a run save and stop; it can be resumed.', response: answers.run })
  async pause(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RunDto> {
    return toRunDto(await this.lifecycle.pause(caller, id));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Describe({
    summary: 'Requeues a stopped run; refused if its plugins have changed.',
    body: requests.resumeRequest,
    isBodyOptional: true,
    response: answers.run,
  })
  async resume(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<RunDto> {
    const { acceptPlugins } = parseInput(requests.resumeRequest, body, 'resume a run');
    return toRunDto(await this.lifecycle.resume(caller, id, acceptPlugins));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Describe({
    summary: 'Ends a run and its evaluations; it saves first unless `now` is set.',
    body: requests.cancelRequest,
    response: answers.run,
  })
  async cancel(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<RunDto> {
    const { now } = parseInput(requests.cancelRequest, body, 'cancel a run');
    return toRunDto(await this.lifecycle.cancel(caller, id, now));
  }

  @Post(':id/evaluations/:jobId/cancel')
  @HttpCode(200)
  @Describe({
    summary: 'Ends one evaluation of a run; its training and its other evaluations continue.',
    body: requests.cancelRequest,
    isBodyOptional: true,
    response: jobResponse,
  })
  async cancelEvaluation(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('jobId') jobId: string,
    @Body() body: unknown,
  ): Promise<JobDto> {
    const { now } = parseInput(requests.cancelRequest, body, 'cancel an evaluation');
    return toJobDto(await this.lifecycle.cancelEvaluation(caller, id, jobId, now));
  }

  @Patch(':id')
  @Describe({
    summary: 'Changes title, group, tags, note or priority.',
    body: requests.editRequest,
    response: answers.run,
  })
  async edit(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<RunDto> {
    const edit = parseInput(requests.editRequest, body, 'edit a run');
    return toRunDto(await this.annotations.edit(caller, id, edit));
  }

  @Post(':id/fork')
  @Describe({
    summary: 'Creates a run that starts from the weights of a checkpoint, with changed settings.',
    headers: idempotencyHeader,
    body: requests.forkRequest,
    responses: { 201: [answers.run, 'The new run.'] },
  })
  async fork(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
    @Headers() headers: Record<string, string | undefined>,
  ): Promise<RunDto> {
    const request = parseInput(requests.forkRequest, withIdempotencyKey(body, headers), 'fork a run');
    return toRunDto(await this.forks.fork(caller, id, request));
  }

  @Post(':id/fork/plan')
  @ChangesNothing()
  @HttpCode(200)
  @Describe({
    summary: 'Resolves a fork, its checkpoint and what it changes, without creating a run.',
    body: requests.planForkRequest,
    response: answers.runPlan,
  })
  async planFork(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<RunPlan> {
    const request = parseInput(requests.planForkRequest, body, 'plan a fork');
    return this.forks.planFork(caller, id, request);
  }

  @Post(':id/evaluate')
  @Describe({
    summary:
      'Queues an evaluation: of a checkpoint on fixed states or along a trajectory, or of stored trajectories by other rewards.',
    body: requests.evaluateRequest,
    responses: { 201: [jobResponse, 'The job that evaluates it.'] },
  })
  async evaluate(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<JobDto> {
    const request = parseInput(requests.evaluateRequest, body, 'evaluate a run');
    return toJobDto(await this.evaluations.evaluate(caller, id, request));
  }

  @Delete(':id')
  @Describe({
    summary: 'Deletes a stopped run with its history, trajectories and artifacts.',
    responses: { 200: [answers.run, 'The deleted run.'] },
  })
  async delete(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<RunDto> {
    return toRunDto(await this.deletion.delete(caller, id));
  }
}
