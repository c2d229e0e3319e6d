import { setTimeout } from 'node:timers/promises';
import { Args, ID, Parent, Query, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { type Caller, canSee } from '../../core/access/caller.js';
import { LiveBus } from '../../core/database/live-bus.js';
import { createColumnLoader } from '../../core/database/omit-columns.js';
import { createBatchLoader } from '../../core/database/batch-loader.js';
import { JobStateEnum } from './enums.js';
import { countCost, listCost, messageCost } from './limits/field-costs.js';
import { type Page } from '../../core/database/page.js';
import { connectionOf, orderOf, PageArgs } from './connection.js';
import { parseInput } from '../../core/input/parse-input.js';
import { iterateLatest } from '../stream/latest-iterator.js';
import { Attempt } from '../../core/database/entities/attempt.js';
import { ExplainService } from '../../core/scheduling/explain.service.js';
import { Job } from '../../core/database/entities/job.js';
import {
  jobConditions,
  jobOrderFields,
  JobQueries,
  type ListedJob,
  Queue,
} from '../../core/scheduling/job-queries.service.js';
import { inputOfSchema } from './types/from-schema.js';

export const JobConnection = connectionOf(Job, 'Job');
const JobOrder = orderOf('Job', jobOrderFields);
type JobOrder = InstanceType<typeof JobOrder>;
export const AttemptConnection = connectionOf(Attempt, 'Attempt');

const idArg = { type: () => ID, description: 'The job.' } as const;
const queueIntervalMs = 1000;

const JobFilter = inputOfSchema('JobFilter', 'Which jobs; all conditions hold at once.', jobConditions, {
  states: JobStateEnum,
  runId: ID,
});
type JobFilter = InstanceType<typeof JobFilter>;

@Resolver(() => Job)
@Access('viewer')
export class JobResolver {
  private readonly reasonOf;
  private readonly resultOf;

  constructor(
    private readonly queries: JobQueries,
    private readonly bus: LiveBus,
    explanations: ExplainService,
    source: DataSource,
  ) {
    this.reasonOf = createBatchLoader((ids) => explanations.explainAll(ids));
    this.resultOf = createColumnLoader(source, Job, 'result');
  }

  @Query(() => JobConnection, { nullable: true, description: 'Jobs.' })
  async jobs(
    @CurrentCaller() caller: Caller,
    @Args() page: PageArgs,
    @Args('filter', { type: () => JobFilter, nullable: true, description: 'Which; default: all.' })
    filter: JobFilter | null | undefined,
    @Args('orderBy', { type: () => JobOrder, nullable: true, description: 'Default: newest first.' })
    orderBy: JobOrder | null | undefined,
  ): Promise<Page<ListedJob>> {
    const where = parseInput(jobConditions, filter, 'list jobs');
    return this.queries.list(caller, where, page, orderBy ?? undefined);
  }

  @Query(() => Job, { nullable: true, description: 'One job.' })
  async job(@CurrentCaller() caller: Caller, @Args('id', idArg) id: string): Promise<Job> {
    return this.queries.find(caller, id);
  }

  @Query(() => Queue, {
    nullable: true,
    description: 'How many jobs you may see wait, and how many have devices.',
    complexity: countCost,
  })
  async queue(@CurrentCaller() caller: Caller): Promise<Queue> {
    return this.queries.queue(caller);
  }

  @ResolveField(() => String, {
    nullable: true,
    description: 'Why it waits, in a sentence; null when it does not wait.',
    complexity: messageCost,
  })
  async whyWaiting(@Parent() { id, state }: Job): Promise<string | null> {
    return state === 'queued' ? ((await this.reasonOf(id)) ?? null) : null;
  }

  @ResolveField('result')
  async result(@Parent() { id, result }: Partial<Job> & { id: string }): Promise<Job['result']> {
    return result === undefined ? ((await this.resultOf(id)) ?? null) : result;
  }

  @ResolveField(() => AttemptConnection, {
    description: 'Attempts at it, oldest first.',
    complexity: listCost,
  })
  async attempts(@Parent() { id }: Job, @Args() page: PageArgs): Promise<Page<Attempt>> {
    return this.queries.listAttempts({ jobId: id }, page);
  }

  @Subscription(() => Job, {
    description: 'Jobs as they change: one job, those of one run, or all you may see.',
  })
  async jobChanged(
    @CurrentCaller() caller: Caller,
    @Args('jobId', { ...idArg, nullable: true, description: 'Only this job.' }) jobId: string | null,
    @Args('runId', { type: () => ID, nullable: true, description: 'Only jobs of this run.' })
    runId: string | null,
  ): Promise<AsyncIterableIterator<{ jobChanged: Job }>> {
    if (typeof jobId === 'string') await this.queries.find(caller, jobId);
    return iterateLatest<Job, { jobChanged: Job }>(
      (publish) =>
        this.bus.on('job', jobId ?? '*', (job) => {
          if (canSee(caller, job.project) && (runId ?? job.runId) === job.runId) publish(job.id, job);
        }),
      (jobChanged) => ({ jobChanged }),
    );
  }

  @Subscription(() => Queue, {
    description: 'The queue: now, and when it changes, at most once a second.',
  })
  queueChanged(@CurrentCaller() caller: Caller): AsyncIterableIterator<{ queueChanged: Queue }> {
    let readAt = 0;
    return iterateLatest<null, { queueChanged: Queue }>(
      (publish) => {
        publish('queue', null);
        return this.bus.on('job', '*', ({ project }) => {
          if (canSee(caller, project)) publish('queue', null);
        });
      },
      async () => {
        await setTimeout(Math.max(0, readAt + queueIntervalMs - Date.now()));
        readAt = Date.now();
        return { queueChanged: await this.queries.queue(caller) };
      },
    );
  }
}
