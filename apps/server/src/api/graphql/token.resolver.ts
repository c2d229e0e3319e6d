import { Args, Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import {
  cutTokenPage,
  summarizeTokens,
  TrajectoryTokens,
  tokenPageRequest,
  TokenSummary,
  tokenSummaryRequest,
} from '../../core/history/trajectories/token-columns.js';
import { type ReadTrajectory, TrajectoryDetail } from '../../core/history/trajectories/trajectory.types.js';
import { parseInput } from '../../core/input/parse-input.js';
import { TrajectoryQueries } from '../../core/history/trajectories/trajectory-queries.service.js';
import { Access } from '../access/access.decorator.js';
import { JsonScalar } from './scalars.js';

/** tokens that cost as much as a field, in a page and in a summary */
const tokensPerCost = 20;
const summaryCost = 500;

/** The tokens of a trajectory, page by page, and all of it in another format. */
@Resolver(() => TrajectoryDetail)
@Access('viewer')
export class TokenResolver {
  constructor(private readonly queries: TrajectoryQueries) {}

  @ResolveField(() => JsonScalar, {
    description: 'All of it in ATIF, the format of Harbor, with the ids and log-probabilities of its tokens.',
    complexity: () => summaryCost,
  })
  atif(@Parent() trajectory: ReadTrajectory): Promise<object> {
    return this.queries.toAtif(trajectory);
  }

  @ResolveField(() => TrajectoryTokens, {
    description: 'Some of its tokens, with what was recorded and what the update did to each.',
    complexity: ({ args }) => Math.max(1, Number(args['count'])) / tokensPerCost,
  })
  tokenPage(
    @Parent() trajectory: ReadTrajectory,
    @Args('from', { type: () => Int, defaultValue: 0, description: 'First token, from 0.' }) from: number,
    @Args('count', { type: () => Int, defaultValue: 4096, description: 'At most this many, up to 20,000.' })
    count: number,
  ): TrajectoryTokens {
    const page = parseInput(tokenPageRequest, { from, count }, 'read tokens');
    return cutTokenPage(trajectory.stored, page.from, page.count);
  }

  @ResolveField(() => TokenSummary, {
    description: 'All its tokens in parts of equal length, and where the extremes are.',
    complexity: () => summaryCost,
  })
  tokenSummary(
    @Parent() trajectory: ReadTrajectory,
    @Args('buckets', { type: () => Int, defaultValue: 1000, description: 'Parts, up to 2,000.' })
    buckets: number,
  ): TokenSummary {
    return summarizeTokens(
      trajectory.stored,
      parseInput(tokenSummaryRequest, { buckets }, 'sum tokens up').buckets,
    );
  }
}
