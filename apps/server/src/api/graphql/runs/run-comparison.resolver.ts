import { Args, Context, ID, Int, Query, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../../access/access.decorator.js';
import type { Caller } from '../../../core/access/caller.js';
import type { GroupTests, RunComparison } from '../../../core/runs/compare/comparison.js';
import { type CurveAxis, comparison, groupTestRequest } from '../../../core/runs/run-request.js';
import { CurveAxisEnum } from '../enums.js';
import { listCost } from '../limits/field-costs.js';
import { OperationBudget } from '../limits/operation-budget.js';
import { GroupTestsType, RunComparisonType } from '../types/comparison.type.js';
import { RunGroupTests } from '../../../core/runs/compare/group-tests.service.js';
import { RunComparisons } from '../../../core/runs/compare/run-comparison.service.js';
import { parseInput } from '../../../core/input/parse-input.js';

/** assumed number of metrics of a run if none are named */
const usualMetrics = 50;

/** Every metric of every run is read. The cost of its values is known only during execution. */
const costOfComparison = ({ ids, metrics }: { ids: string[]; metrics?: string[] | null }): number =>
  ids.length * (metrics?.length ?? usualMetrics);

/** A file of each run is read. */
const costOfTest = ({ ids, against }: { ids: string[]; against: string[] }): number =>
  (ids.length + against.length) * listCost;

@Resolver()
export class RunComparisonResolver {
  constructor(
    private readonly comparisons: RunComparisons,
    private readonly tests: RunGroupTests,
    private readonly budget: OperationBudget,
  ) {}

  @Query(() => RunComparisonType, {
    nullable: true,
    description:
      'Runs side by side: options that differ, and metrics per run and over groups, with curves on request.',
    complexity: ({ args }) => costOfComparison(args as { ids: string[]; metrics?: string[] | null }),
  })
  @Access('viewer')
  async compareRuns(
    @CurrentCaller() caller: Caller,
    @Context() context: object,
    @Args('ids', { type: () => [ID], description: 'The runs, at most 300.' }) ids: string[],
    @Args('metrics', {
      type: () => [String],
      nullable: true,
      description: 'Metrics; default: all they have.',
    })
    metrics: string[] | null | undefined,
    @Args('last', { type: () => Int, defaultValue: 10, description: 'Values that `tailMean` is over.' })
    last: number,
    @Args('by', {
      type: () => [String],
      nullable: true,
      description: 'Options that make a group, dotted; default: all but seed and name.',
    })
    by: string[] | null | undefined,
    @Args('fromStep', { type: () => Int, nullable: true, description: 'First step; default: 0.' })
    fromStep: number | null | undefined,
    @Args('toStep', { type: () => Int, nullable: true, description: 'Last step; default: the newest.' })
    toStep: number | null | undefined,
    @Args('axis', {
      type: () => CurveAxisEnum,
      defaultValue: 'step',
      description: 'What curves of groups are along.',
    })
    axis: CurveAxis,
    @Args('points', {
      type: () => Int,
      defaultValue: 0,
      description: 'Places of these curves at most, up to 2000; 0: no curves.',
    })
    points: number,
    @Args('ledger', {
      type: () => Boolean,
      defaultValue: false,
      description: 'What each run has cost, over all its steps.',
    })
    ledger: boolean,
  ): Promise<RunComparison> {
    const request = { id: ids, metric: metrics, last, by, fromStep, toStep, axis, points, ledger };
    const given = parseInput(comparison, request, 'compare runs');
    return this.comparisons.compare(caller, given, (cost) => this.budget.spend(context, cost));
  }

  @Query(() => GroupTestsType, {
    nullable: true,
    description:
      'Whether two groups of runs differ in success, from the newest validation of a trained step that all of them have: the differences of its states, in pairs.',
    complexity: ({ args }) => costOfTest(args as { ids: string[]; against: string[] }),
  })
  @Access('viewer')
  async testGroups(
    @CurrentCaller() caller: Caller,
    @Args('ids', { type: () => [ID], description: 'Runs of a group, at most 300.' }) ids: string[],
    @Args('against', { type: () => [ID], description: 'Runs of the other group, at most 300.' })
    against: string[],
  ): Promise<GroupTests> {
    const given = parseInput(groupTestRequest, { id: ids, against }, 'test groups of runs');
    return this.tests.test(caller, given.id, given.against);
  }
}
