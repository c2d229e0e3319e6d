import { Args, ID, Int, Query, Resolver } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { checkRunAccess } from '../../core/history/records/find-run.js';
import { parseInput } from '../../core/input/parse-input.js';
import { MetricHistory } from '../../core/history/metrics/metric-history.service.js';
import { costOfHistory, historyRequest } from '../../core/history/metrics/metric-request.js';
import { MetricName, MetricSeries } from '../../core/history/metrics/metric.types.js';

@Resolver()
@Access('viewer')
export class MetricResolver {
  constructor(
    private readonly source: DataSource,
    private readonly history: MetricHistory,
  ) {}

  @Query(() => [MetricSeries], {
    nullable: 'itemsAndList',
    description:
      'Metrics of runs by step and time, several of both in one call: for each run, each metric in the order of `names`. Null where the run has had no metric of that name; `metricNames` lists those it has. A series with more values than `points` is decimated so that no extremum is lost.',
    complexity: ({ args }) => costOfHistory(args as Parameters<typeof costOfHistory>[0]),
  })
  async metricHistory(
    @CurrentCaller() caller: Caller,
    @Args('runIds', { type: () => [ID], description: 'The runs.' }) runIds: string[],
    @Args('names', { type: () => [String], description: 'The metrics; metricNames lists them.' })
    names: string[],
    @Args('fromStep', { type: () => Int, nullable: true, description: 'First step; default: 0.' })
    fromStep: number | null,
    @Args('toStep', { type: () => Int, nullable: true, description: 'Last step; default: the newest.' })
    toStep: number | null,
    @Args('points', {
      type: () => Int,
      defaultValue: 1000,
      description: 'Most points of a series, 2 to 20000.',
    })
    points: number,
    @Args('digits', {
      type: () => Int,
      nullable: true,
      description: 'Significant digits of values that are not whole, 1 to 17; default: all.',
    })
    digits: number | null,
  ): Promise<(MetricSeries | null)[]> {
    const given = { runIds, names, fromStep, toStep, points, digits };
    const request = parseInput(historyRequest, given, 'read the history of metrics');
    await checkRunAccess(this.source.manager, caller, request.runIds);
    return this.history.read(request);
  }

  @Query(() => [MetricName], {
    nullable: true,
    description: 'Which metrics a run has, with their newest values.',
  })
  async metricNames(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, description: 'The run.' }) runId: string,
  ): Promise<MetricName[]> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    return this.history.names(runId);
  }
}
