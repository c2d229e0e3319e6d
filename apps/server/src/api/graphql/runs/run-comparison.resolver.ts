import { Args, Context, ID, Int, Query, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../../access/access.decorator.js';
import type { Caller } from '../../../core/access/caller.js';
import type { RunComparison } from '../../../core/runs/compare/comparison.js';
import { comparison, parseRequest } from '../../../core/runs/run-request.js';
import { OperationBudget } from '../limits/operation-budget.js';
import { RunComparisonType } from '../types/comparison.type.js';
import { RunComparisons } from '../../../core/runs/compare/run-comparison.service.js';

/** assumed number of metrics of a run if none are named */
const usualMetrics = 50;

/** Every metric of every run is read. The cost of its values is known only during execution. */
const costOfComparison = ({ ids, metrics }: { ids: string[]; metrics?: string[] | null }): number =>
  ids.length * (metrics?.length ?? usualMetrics);

@Resolver()
export class RunComparisonResolver {
  constructor(
    private readonly comparisons: RunComparisons,
    private readonly budget: OperationBudget,
  ) {}

  @Query(() => RunComparisonType, {
    nullable: true,
    description: 'Runs side by side: options that differ, and metrics per run and over seeds.',
    complexity: ({ args }) => costOfComparison(args as { ids: string[]; metrics?: string[] | null }),
  })
  @Access('viewer')
  async compareRuns(
    @CurrentCaller() caller: Caller,
    @Context() context: object,
    @Args('ids', { type: () => [ID], description: 'The runs, at most 50.' }) ids: string[],
    @Args('metrics', {
      type: () => [String],
      nullable: true,
      description: 'Metrics; default: all they have.',
    })
    metrics: string[] | null | undefined,
    @Args('last', { type: () => Int, defaultValue: 10, description: 'Values that `tailMean` is over.' })
    last: number,
  ): Promise<RunComparison> {
    const given = parseRequest(comparison, { id: ids, metric: metrics, last }, 'compare runs');
    return this.comparisons.compare(caller, given.id, given.metric, given.last, (cost) =>
      this.budget.spend(context, cost),
    );
  }
}
