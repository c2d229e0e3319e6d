import { Args, ID, Int, Query, Resolver } from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../access/caller.js';
import { RunComparison } from './comparison.type.js';
import { RunComparisons } from './run-comparison.service.js';

@Resolver()
export class RunComparisonResolver {
  constructor(private readonly comparisons: RunComparisons) {}

  @Query(() => RunComparison, {
    description: 'Runs side by side: options that differ, and metrics per run and over seeds.',
  })
  @Access('viewer')
  async compareRuns(
    @CurrentCaller() caller: Caller,
    @Args('ids', { type: () => [ID], description: 'The runs, at most 50.' }) ids: string[],
    @Args('metrics', { type: () => [String], nullable: true, description: 'Metrics; default: all they have.' })
    metrics: string[] | null | undefined,
    @Args('last', { type: () => Int, defaultValue: 10, description: 'Values that `tailMean` is over.' })
    last: number,
  ): Promise<RunComparison> {
    return this.comparisons.compare(caller, ids, metrics ?? undefined, last);
  }
}
